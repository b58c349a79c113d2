// Lists of recurrences and of collections by the time of their creation, in pages.
import type { AutomaticCalls, NoAnswer, Page, Period, Recurrence, RecurrenceRequest } from '../../automatic.ts';
import type { Client } from '../../bank-client/client.ts';
import { listAt } from '../../bank-client/read-answer.ts';
import { documentField } from '../charge-body.ts';
import { isAbsent, noAnswer } from '../charges.ts';
import { FIRST_PAGE, type PagePosition, pageAfter } from '../pages.ts';
import { AUTOMATIC_SCOPES, type Resource } from '../profile.ts';
import type { FullProfile } from '../settings.ts';
import { readCollection, readRecurrence, recurrenceIdAt } from './read.ts';

type ListCalls = Pick<AutomaticCalls, 'findRecurrence' | 'recurrences' | 'collections'>;

type List<T> = {
  readonly resource: Resource;
  readonly field: string;
  readonly read: (item: unknown) => T | undefined;
  readonly idOf: (item: T) => string;
};

const RECURRENCES: List<Recurrence> = {
  resource: 'rec',
  field: 'recs',
  read: readRecurrence,
  idOf: ({ id }) => id,
};
const COLLECTIONS = {
  resource: 'cobr',
  field: 'cobsr',
  read: readCollection,
  idOf: ({ reference }) => reference,
} as const satisfies List<NonNullable<ReturnType<typeof readCollection>>>;

export function listsAt({ pageSize }: FullProfile, { call }: Pick<Client, 'call'>): ListCalls {
  async function page<T>(
    { resource, field, read, idOf }: List<T>,
    { from, to }: Period,
    cursor: string | undefined,
    filters: Readonly<Record<string, string>> = {},
  ): Promise<Page<T> | NoAnswer> {
    const position = readCursor(cursor);
    const query = {
      ...{ inicio: from.toISOString(), fim: to.toISOString(), ...filters },
      'paginacao.paginaAtual': String(position.page),
      'paginacao.itensPorPagina': String(pageSize),
    };
    const answer = await call({ method: 'GET', resource, query, scopes: AUTOMATIC_SCOPES });
    if (answer.kind !== 'ok') return noAnswer(answer);
    if (answer.body === undefined) return { kind: 'unknown' };
    const list = listAt(answer.body, field);
    const items = list.flatMap(item => read(item) ?? []);
    const firstId = items[0] && idOf(items[0]);
    const { next, missing } = pageAfter(answer.body, firstId, list.length, position, pageSize);
    const unreadable = list.length - items.length + missing;
    return { kind: 'page', items, unreadable, ...(next && { next: cursorOf(next) }) };
  }

  /** Undefined when the PSP shows no recurrence with the location. */
  async function recurrenceAt(locationId: string | undefined) {
    if (locationId === undefined) return undefined;
    const location = await call({
      method: 'GET',
      resource: 'locrec',
      path: [locationId],
      scopes: AUTOMATIC_SCOPES,
    });
    if (location.kind !== 'ok') return isAbsent(location) ? undefined : noAnswer(location);
    const id = recurrenceIdAt(location.body);
    if (id === undefined) return undefined;
    const answer = await call({ method: 'GET', resource: 'rec', path: [id], scopes: AUTOMATIC_SCOPES });
    if (answer.kind !== 'ok') return noAnswer(answer);
    const recurrence = readRecurrence(answer.body);
    return recurrence ? { kind: 'listed' as const, recurrences: [recurrence] } : { kind: 'unknown' as const };
  }

  return {
    recurrences: (period, cursor) => page(RECURRENCES, period, cursor),
    collections: (period, cursor) => page(COLLECTIONS, period, cursor),
    findRecurrence: async (request, period) => {
      const atLocation = await recurrenceAt(request.locationId);
      if (atLocation) return atLocation;
      const recurrences: Recurrence[] = [];
      let cursor: string | undefined;
      do {
        const answer = await page(RECURRENCES, period, cursor, documentField(request.payer.document));
        if (answer.kind !== 'page') return answer;
        recurrences.push(...answer.items.filter(item => mayBeOf(item, request)));
        cursor = answer.next;
      } while (cursor !== undefined);
      return { kind: 'listed', recurrences };
    },
  };
}

/** A PSP may leave out what it shows of one; what it shows must be the same. */
function mayBeOf(item: Recurrence, request: RecurrenceRequest): boolean {
  const { contract, firstDay, period, amountCents, locationId } = request;
  if (item.contract !== contract) return false;
  if (item.firstDay !== undefined && item.firstDay !== firstDay) return false;
  if (item.period !== undefined && item.period !== period) return false;
  if (item.amountCents !== undefined && item.amountCents !== amountCents) return false;
  return item.location === undefined || item.location.id === locationId;
}

function cursorOf({ page, listed, firstId }: PagePosition): string {
  return [page, listed, firstId].join(':');
}

function readCursor(cursor: string | undefined): PagePosition {
  const [, page, listed, firstId = ''] = /^(\d{1,6}):(\d{1,9}):(.*)$/.exec(cursor ?? '') ?? [];
  return page === undefined ? FIRST_PAGE : { page: Number(page), listed: Number(listed), firstId };
}
