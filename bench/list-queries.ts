// The kinds of lists that are requested: first, middle and last pages, every filter, ranges of time, and combinations.
import type { Caller } from './callers.ts';
import { get } from './http-load.ts';
import { FIRST_MOMENT, LAST_MOMENT } from './orders.ts';

export type Filter = {
  readonly accountId?: string;
  readonly symbol?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
};
type Place = 'first' | 'middle' | 'last';
type Kind = { readonly name: string; readonly filter: Filter; readonly place: Place; readonly pageSize: number };
/** A kind with its page number and total in one database. */
export type Query = Kind & { readonly page: number; readonly total: number };

const PAGE_SIZE = 20;
const LARGE_PAGE_SIZE = 100;
const DAY_MS = 86_400_000;

/** A range of days within the two years of orders, starting after `share` of them. */
function range(share: number, days: number): Filter {
  const from = new Date(FIRST_MOMENT.getTime() + share * (LAST_MOMENT.getTime() - FIRST_MOMENT.getTime()));
  return { from: from.toISOString(), to: new Date(from.getTime() + days * DAY_MS).toISOString() };
}

const kind = (name: string, filter: Filter, place: Place, pageSize = PAGE_SIZE): Kind => ({
  name: `${name}, ${place} page`,
  filter,
  place,
  pageSize,
});

export const FIRST_PAGE = kind('all', {}, 'first');

const KINDS: readonly Kind[] = [
  FIRST_PAGE,
  kind('all', {}, 'middle'),
  kind('all', {}, 'last'),
  kind('all by the hundred', {}, 'first', LARGE_PAGE_SIZE),
  kind('usdt', { symbol: 'usdt' }, 'first'),
  kind('usdc', { symbol: 'usdc' }, 'middle'),
  kind('trx', { symbol: 'trx' }, 'last'),
  kind('fulfilled', { status: 'fulfilled' }, 'first'),
  kind('fulfilled', { status: 'fulfilled' }, 'middle'),
  kind('pending_payment', { status: 'pending_payment' }, 'middle'),
  kind('fulfilling', { status: 'fulfilling' }, 'last'),
  kind('a day', range(0.4, 1), 'first'),
  kind('a month', range(0.6, 30), 'middle'),
  kind('a year', range(0.2, 365), 'middle'),
  kind('since a day', { from: range(0.3, 1).from! }, 'last'),
  kind('until a day', { to: range(0.7, 1).to! }, 'middle'),
  kind('usdc and fulfilled', { symbol: 'usdc', status: 'fulfilled' }, 'middle'),
  kind('eth and pending_payment', { symbol: 'eth', status: 'pending_payment' }, 'last'),
  kind('usdt in a month', { symbol: 'usdt', ...range(0.5, 30) }, 'middle'),
  kind('fulfilled in a year', { status: 'fulfilled', ...range(0.1, 365) }, 'middle'),
  kind('usdt and fulfilled in a year', { symbol: 'usdt', status: 'fulfilled', ...range(0.3, 365) }, 'middle'),
];

function pageAt(place: Place, totalPages: number): number {
  if (place === 'first') return 1;
  return place === 'last' ? Math.max(totalPages, 1) : Math.max(Math.ceil(totalPages / 2), 1);
}

/** The path and query of a list. The service knows the account by the key. */
export function listTarget({ filter, page, pageSize }: Pick<Query, 'filter' | 'page' | 'pageSize'>): string {
  const { accountId: _, ...rest } = filter;
  const parameters = new URLSearchParams({ ...rest, page: String(page) });
  if (pageSize !== PAGE_SIZE) parameters.set('pageSize', String(pageSize));
  return `/crypto/transactions?${parameters}`;
}

/** Requests all queries in turn, by index. Without a caller no key is sent, as in the sandbox. */
export function listRequests(queries: readonly Query[], caller?: Caller): (index: number) => string {
  const requests = queries.map(query => get(listTarget(query), caller?.headers));
  return index => requests[index % requests.length]!;
}

/**
 * Every kind with its page in the database of a running service. With a caller, as in live, each is a list of that caller's
 * account; without one it is a list of all accounts.
 */
export async function placeQueries(url: string, caller?: Caller): Promise<Query[]> {
  const queries: Query[] = [];
  for (const one of KINDS) {
    const filter = { ...(caller && { accountId: caller.accountId }), ...one.filter };
    const answer = await fetch(url + listTarget({ ...one, filter, page: 1 }), { headers: { ...caller?.headers } });
    if (!answer.ok) throw new Error(`${one.name} was answered with ${answer.status}: ${await answer.text()}`);
    const { total, totalPages } = (await answer.json()) as { total: number; totalPages: number };
    queries.push({ ...one, filter, total, page: pageAt(one.place, totalPages) });
  }
  return queries;
}
