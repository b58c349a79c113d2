// Lists of recurrences and of collections by the time of their creation, in pages.
import type { AutomaticCalls, NoAnswer, Page, Period, Recurrence } from '../../automatic.ts';
import type { Client } from '../../bank-client/client.ts';
import { listAt } from '../../bank-client/read-answer.ts';
import { documentField } from '../charge-body.ts';
import { noAnswer } from '../charges.ts';
import { FIRST_PAGE, type PagePosition, pageAfter } from '../pages.ts';
import { AUTOMATIC_SCOPES, type Resource } from '../profile.ts';
import type { FullProfile } from '../settings.ts';
import { readCollection, readRecurrence } from './read.ts';

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
    const { next } = pageAfter(answer.body, firstId, list.length, position, pageSize);
    return { kind: 'page', items, ...(next && { next: cursorOf(next) }) };
  }

  return {
    recurrences: (period, cursor) => page(RECURRENCES, period, cursor),
    collections: (period, cursor) => page(COLLECTIONS, period, cursor),
    findRecurrence: async ({ contract, payer }, period) => {
      const recurrences: Recurrence[] = [];
      let cursor: string | undefined;
      do {
        const answer = await page(RECURRENCES, period, cursor, documentField(payer.document));
        if (answer.kind !== 'page') return answer;
        recurrences.push(...answer.items.filter(item => item.contract === contract));
        cursor = answer.next;
      } while (cursor !== undefined);
      return { kind: 'listed', recurrences };
    },
  };
}

function cursorOf({ page, listed, firstId }: PagePosition): string {
  return [page, listed, firstId].join(':');
}

function readCursor(cursor: string | undefined): PagePosition {
  const [, page, listed, firstId = ''] = /^(\d{1,6}):(\d{1,9}):(.*)$/.exec(cursor ?? '') ?? [];
  return page === undefined ? FIRST_PAGE : { page: Number(page), listed: Number(listed), firstId };
}
