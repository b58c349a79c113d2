// The kinds of lists that are asked for: pages at the front, in the middle and at the end, every filter, ranges, and all of
// them together.
import { FIRST_MOMENT, LAST_MOMENT } from './seed.ts';

export type Filter = {
  readonly symbol?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
};
export type Place = 'first' | 'middle' | 'last';
export type Kind = { readonly name: string; readonly filter: Filter; readonly place: Place; readonly pageSize: number };
/** A kind with the page that its place is in one database. */
export type Query = Kind & { readonly page: number; readonly total: number };

const PAGE_SIZE = 20;
const LARGE_PAGE_SIZE = 100;
const DAY_MS = 86_400_000;

/** Part of the two years, from a share of them on. */
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

export const KINDS: readonly Kind[] = [
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

export function pageOf(place: Place, totalPages: number): number {
  if (place === 'first') return 1;
  return place === 'last' ? Math.max(totalPages, 1) : Math.max(Math.ceil(totalPages / 2), 1);
}

export function targetOf({ filter, page, pageSize }: Pick<Query, 'filter' | 'page' | 'pageSize'>): string {
  const words = new URLSearchParams({ ...filter, page: String(page) });
  // Twenty is what nobody need ask for.
  if (pageSize !== PAGE_SIZE) words.set('pageSize', String(pageSize));
  return `/crypto/transactions?${words}`;
}

/** Every kind with its page in the database behind a service, which it is asked for. */
export async function placedQueries(url: string): Promise<Query[]> {
  const queries: Query[] = [];
  for (const one of KINDS) {
    const answer = await fetch(url + targetOf({ ...one, page: 1 }));
    if (!answer.ok) throw new Error(`${one.name} was answered with ${answer.status}: ${await answer.text()}`);
    const { total, totalPages } = (await answer.json()) as { total: number; totalPages: number };
    queries.push({ ...one, total, page: pageOf(one.place, totalPages) });
  }
  return queries;
}
