// Learns of payments: all of a time in pages, or one by its id.
import { AppError } from '../../lib/errors.ts';
import type { Client } from '../bank-client/client.ts';
import { listAt, textAt } from '../bank-client/read-answer.ts';
import { unanswered } from '../bank-client/unanswered.ts';
import type { Receipt, ReceiptPage, ReceiptsByTime } from '../rail.ts';
import { isAbsent } from './charges.ts';
import { hintsIn, readReceipt } from './receipts.ts';
import type { BacenDeps, BacenSettings, FullProfile } from './settings.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** A payment can go back for so long; the list of a PSP is by the time of payment, not of the return. */
const RETURN_DAYS = 91;
const MAX_PAGES = 100_000;

/** One question to the PSP: payments between two times, all or only those with a return. */
type Window = { readonly fromMs: number; readonly toMs: number; readonly isForReturns: boolean };

export function watchOf(
  settings: BacenSettings,
  profile: FullProfile,
  { call }: Client,
  { clock, log }: BacenDeps,
): ReceiptsByTime {
  const readOptions = { pixKey: settings.pixKey, feePath: profile.feePath };

  function readAll(list: readonly unknown[]): { receipts: Receipt[]; unreadable: number } {
    const receipts = list.flatMap(pix => {
      const read = readReceipt(pix, readOptions);
      return 'kind' in read ? [] : read;
    });
    const unreadable = list.length - receipts.length;
    if (unreadable > 0) {
      log.error('the PSP lists payments that cannot be read; look for them at the PSP', {
        rail: settings.name,
        count: unreadable,
      });
    }
    return { receipts, unreadable };
  }

  return {
    by: 'time',
    receipts: async (from, to, cursor) => {
      const position = readCursor(cursor);
      // The norm refuses an end in the future, and it must stay the same from page to page.
      const toMs = position?.toMs ?? Math.min(to.getTime(), clock.now().getTime());
      const windows = windowsOf(from.getTime(), toMs, profile.maxWindowDays * DAY_MS);
      const [index, page] = [position?.index ?? 0, position?.page ?? 0];
      const window = windows[index];
      if (!window) return { receipts: [] };
      const { body, list } = await readPage(window, page);
      const all = readAll(list);
      const receipts = window.isForReturns
        ? all.receipts.filter(receipt => hasReturnSince(receipt, from))
        : all.receipts;
      const next = hasNextPage(body, list.length, page, profile.pageSize)
        ? { index, page: page + 1 }
        : { index: index + 1, page: 0 };
      const isLast = next.index >= windows.length;
      // Among earlier payments it was counted in its own time.
      const unreadable = window.isForReturns ? 0 : all.unreadable;
      return {
        receipts,
        unreadable,
        ...(!isLast && { next: `${toMs}:${next.index}:${next.page}` }),
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
      const answer = await call({ method: 'GET', resource: 'cobv', path: [txid] });
      if (answer.kind === 'refused') return undefined;
      if (answer.kind !== 'ok') throw unanswered(answer);
      const location = textAt(answer.body, 'loc.location') ?? textAt(answer.body, 'location');
      return location?.replace(/^https?:\/\//i, '');
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
    // Elsewhere a 404 comes from a wrong baseUrl, and must not pass for a time without payments.
    if (isAbsent(answer)) {
      if (profile.emptyListIs404) return { body: undefined, list: [] };
      throw new AppError('rail_unavailable', 'The PSP has no list of payments there (404 or 410): check baseUrl.');
    }
    if (answer.kind !== 'ok') throw unanswered(answer);
    if (answer.body === undefined) throw new AppError('rail_unavailable', 'The PSP answered with no list of payments.');
    return { body: answer.body, list: listAt(answer.body, 'pix') };
  }
}

/** The times that are asked for, in order: the payments, then earlier payments that may have gone back meanwhile. */
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

function hasReturnSince({ returns }: Receipt, from: Date): boolean {
  return returns.some(({ at, status }) => at === undefined || at >= from || status === 'PENDING');
}

/** By the PSP's own count where it gives one; a full page may have another after it. */
function hasNextPage(body: unknown, length: number, page: number, pageSize: number): boolean {
  if (page + 1 >= MAX_PAGES) return false;
  const pages = Number(textAt(body, 'parametros.paginacao.quantidadeDePaginas'));
  return Number.isInteger(pages) ? page + 1 < pages : length >= pageSize;
}

/** Whole seconds are rounded so that nothing of the window is left out, except what would lie in the future. */
function timesOf({ fromMs, toMs }: Window, format: FullProfile['pixDates'], nowMs: number) {
  const text = (ms: number) => new Date(ms).toISOString();
  if (format === 'milliseconds') return { inicio: text(fromMs), fim: text(toMs) };
  const seconds = (ms: number) => text(ms).replace(/\.\d+Z$/, 'Z');
  return { inicio: seconds(fromMs), fim: seconds(Math.min(toMs + SECOND_MS - 1, nowMs)) };
}

function readCursor(cursor: string | undefined): { toMs: number; index: number; page: number } | undefined {
  const [, toMs, index, page] = /^(\d{1,15}):(\d{1,6}):(\d{1,6})$/.exec(cursor ?? '') ?? [];
  return toMs === undefined ? undefined : { toMs: Number(toMs), index: Number(index), page: Number(page) };
}
