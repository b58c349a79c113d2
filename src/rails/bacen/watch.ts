// Learns of payments: all of a period in pages, or one by its id.
import { AppError } from '../../lib/errors.ts';
import type { Client } from '../bank-client/client.ts';
import { idAt, listAt, textAt } from '../bank-client/read-answer.ts';
import { unanswered } from '../bank-client/unanswered.ts';
import type { Receipt, ReceiptPage, ReceiptsByTime, UnreadableReceipt } from '../rail.ts';
import { isAbsent } from './charges.ts';
import { FIRST_PAGE, type PagePosition, pageAfter } from './pages.ts';
import { hintsIn, readReceipt, type Unreadable } from './receipts.ts';
import type { BacenDeps, BacenSettings, FullProfile } from './settings.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** A payment can be returned within this time; PSPs list by the time of payment, not of the return. */
const RETURN_DAYS = 91;

/** The PSP's clock may be behind: an end in its future is refused. What arrives within this time is found by the next look. */
const CLOCK_MARGIN_MS = 10_000;
/** How many locations of requests are remembered, so that a pix of another program is asked about once and not at each look. */
const MAX_LOCATIONS = 10_000;

/** The most payments of a page that are logged because they cannot be read, or more was returned than paid. */
const MAX_NAMED = 20;

/** One query to the PSP: payments between two times, all or only those with a return. */
type Window = { readonly fromMs: number; readonly toMs: number; readonly isForReturns: boolean };

export function watchOf(
  settings: BacenSettings,
  profile: FullProfile,
  { call }: Client,
  { clock, log }: BacenDeps,
): ReceiptsByTime {
  const readOptions = { pixKey: settings.pixKey, feePath: profile.feePath };
  const locations = new Map<string, string | undefined>();

  function readAll(list: readonly unknown[]): Required<Omit<ReceiptPage, 'next'>> {
    const read = list.map(pix => readReceipt(pix, readOptions));
    const odd = read.filter(one => 'kind' in one || one.unreadableReturn !== undefined);
    for (const one of odd.slice(0, MAX_NAMED)) {
      log.error('the PSP lists a payment or a return of one that cannot be read; look for it at the PSP', {
        rail: settings.name,
        ...(one.reference !== undefined && { paymentReference: one.reference }),
        count: odd.length,
      });
    }
    const receipts = read.flatMap(one => ('kind' in one ? [] : one));
    for (const { reference } of receipts.filter(isOverReturned).slice(0, MAX_NAMED)) {
      const fields = { rail: settings.name, paymentReference: reference };
      log.warn('the PSP lists more returned of a payment than was paid; ask the PSP', fields);
    }
    return {
      receipts,
      unreadable: odd.length,
      unreadableReceipts: odd.flatMap(unreadableOf),
    };
  }

  return {
    by: 'time',
    receipts: async (from, to, cursor) => {
      // The norm refuses an end in the future, and it must stay the same from page to page.
      const latestMs = Math.min(to.getTime(), clock.now().getTime() - CLOCK_MARGIN_MS);
      const position = readCursor(cursor) ?? { toMs: latestMs, index: 0, ...FIRST_PAGE };
      const { toMs, index } = position;
      const windows = windowsOf(from.getTime(), toMs, profile.maxWindowDays * DAY_MS);
      const window = windows[index];
      if (!window) return { receipts: [] };
      const { body, list } = await readPage(window, position.page);
      const all = readAll(list);
      const receipts = window.isForReturns
        ? all.receipts.filter(receipt => hasReturnSince(receipt, from))
        : all.receipts;
      const after = pageAfter(body, idAt(list[0], 'endToEndId'), list.length, position, profile.pageSize);
      if (after.missing > 0) {
        log.error('the PSP counts more payments than it lists; look for them at the PSP', {
          rail: settings.name,
          count: after.missing,
        });
      }
      const next = after.next ? { index, ...after.next } : { index: index + 1, ...FIRST_PAGE };
      const isLast = next.index >= windows.length;
      // Earlier payments were counted in their own period.
      const unreadable = window.isForReturns ? 0 : all.unreadable + after.missing;
      return {
        receipts,
        unreadable,
        unreadableReceipts: all.unreadableReceipts,
        ...(!isLast && { next: cursorOf({ toMs, ...next }) }),
      } satisfies ReceiptPage;
    },
    receipt: async reference => {
      const answer = await call({ method: 'GET', resource: 'pix', path: [reference] });
      // Some PSPs answer 400 to an id of another bank.
      if (isAbsent(answer) || (answer.kind === 'refused' && [400, 422].includes(answer.status))) return undefined;
      if (answer.kind !== 'ok') throw unanswered(answer);
      const receipt = readReceipt(answer.body, readOptions);
      if (!('kind' in receipt)) return receipt.reference === reference ? receipt : undefined;
      throw new AppError('rail_unavailable', 'The PSP answered with a payment that cannot be read.');
    },
    locationOf: async txid => {
      if (locations.has(txid)) return locations.get(txid);
      const answer = await call({ method: 'GET', resource: 'cobv', path: [txid] });
      if (answer.kind !== 'ok' && answer.kind !== 'refused') throw unanswered(answer);
      const body = answer.kind === 'ok' ? answer.body : undefined;
      const location = (textAt(body, 'loc.location') ?? textAt(body, 'location'))?.replace(/^https?:\/\//i, '');
      if (locations.size >= MAX_LOCATIONS) locations.clear();
      locations.set(txid, location);
      return location;
    },
    hints: hintsIn,
  };

  async function readPage(window: Window, page: number): Promise<{ body: unknown; list: readonly unknown[] }> {
    const answer = await call({
      method: 'GET',
      resource: 'pix',
      query: {
        ...timesOf(window, profile.pixDates, clock.now().getTime()),
        ...(window.isForReturns && { devolucaoPresente: 'true' }),
        'paginacao.paginaAtual': String(page),
        'paginacao.itensPorPagina': String(profile.pageSize),
      },
    });
    // Elsewhere a 404 comes from a wrong baseUrl, and must not be mistaken for a period without payments.
    if (isAbsent(answer)) {
      if (profile.emptyListIs404) return { body: undefined, list: [] };
      throw new AppError('rail_unavailable', 'The PSP has no list of payments there (404 or 410): check baseUrl.');
    }
    if (answer.kind !== 'ok') throw unanswered(answer);
    if (answer.body === undefined) throw new AppError('rail_unavailable', 'The PSP answered with no list of payments.');
    return { body: answer.body, list: listAt(answer.body, 'pix') };
  }
}

/** The periods to query, in order: the payments, then earlier payments that may have been returned meanwhile. */
function windowsOf(fromMs: number, toMs: number, maxMs: number): Window[] {
  if (fromMs > toMs) return [];
  const split = (startMs: number, endMs: number, isForReturns: boolean): Window[] => {
    const count = Math.max(1, Math.ceil((endMs - startMs) / maxMs));
    return Array.from({ length: count }, (_, index) => ({
      fromMs: startMs + index * maxMs,
      toMs: Math.min(endMs, startMs + (index + 1) * maxMs),
      isForReturns,
    }));
  };
  return [...split(fromMs, toMs, false), ...split(fromMs - RETURN_DAYS * DAY_MS, fromMs, true)];
}

function unreadableOf(one: Receipt | Unreadable): UnreadableReceipt[] {
  const { reference, amountCents } = one;
  if (reference === undefined) return [];
  const about = 'kind' in one ? 'payment' : 'return';
  const words = 'kind' in one ? one.words : (one.unreadableReturn ?? '');
  return [{ reference, about, words, ...(amountCents !== undefined && { amountCents }) }];
}

function isOverReturned({ amountCents, returns }: Receipt): boolean {
  const back = returns.filter(({ status }) => status !== 'FAILED');
  return back.reduce((sum, one) => sum + one.amountCents, 0n) > amountCents;
}

function hasReturnSince({ returns }: Receipt, from: Date): boolean {
  return returns.some(({ at, status }) => at === undefined || at >= from || status === 'PENDING');
}

/** Rounded outward to whole seconds so that nothing is missed, but never into the future. */
function timesOf({ fromMs, toMs }: Window, format: FullProfile['pixDates'], nowMs: number) {
  const text = (ms: number) => new Date(ms).toISOString();
  if (format === 'milliseconds') return { inicio: text(fromMs), fim: text(toMs) };
  const seconds = (ms: number) => text(ms).replace(/\.\d+Z$/, 'Z');
  return { inicio: seconds(fromMs), fim: seconds(Math.min(toMs + SECOND_MS - 1, nowMs)) };
}

type Position = PagePosition & { readonly toMs: number; readonly index: number };

function cursorOf({ toMs, index, page, listed, firstId }: Position): string {
  return [toMs, index, page, listed, firstId].join(':');
}

function readCursor(cursor: string | undefined): Position | undefined {
  const [, toMs, index, page, listed, firstId = ''] =
    /^(\d{1,15}):(\d{1,6}):(\d{1,6}):(\d{1,9}):(.*)$/.exec(cursor ?? '') ?? [];
  return toMs === undefined
    ? undefined
    : { toMs: Number(toMs), index: Number(index), page: Number(page), listed: Number(listed), firstId };
}
