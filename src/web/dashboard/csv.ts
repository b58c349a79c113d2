// Lists as CSV, read and written page by page, so that any size takes the memory of one page.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asksForPresent, type ListReadDeps, type ListReadOptions, nameAge } from '../../http/server/list-read.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PageQuery } from '../../lib/paging.ts';
import { recordReading } from '../../storage/audit.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type Html, html } from '../html.ts';
import { addressWith } from './parts.ts';

type Cell = string | number | bigint | undefined;

/** A cell that a spreadsheet would run as a formula is written as text. https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;
/** A spreadsheet in Portuguese separates cells by semicolons, and does not know quotes that open inside a cell. */
const INNER_FORMULA = /([;\t\r\n]["\s]*)(?=[=+\-@])/g;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

function cellOf(value: Cell): string {
  const text = value === undefined ? '' : String(value);
  const inner = text.replace(INNER_FORMULA, "$1'");
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${inner}` : inner;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Columns by their headings. */
export type Columns<T> = Readonly<Record<string, (row: T) => Cell>>;

/**
 * Sends all pages; each is read when the client has taken the one before. The first is read before anything is sent: it may be
 * refused, and it sets a header with its age.
 */
export async function sendCsv<T>(
  reply: FastifyReply,
  name: string,
  columns: Columns<T>,
  pages: AsyncGenerator<readonly T[]>,
): Promise<FastifyReply> {
  const cells = Object.values(columns);
  const textOf = (rows: readonly T[]) => rows.map(row => lineOf(cells.map(cell => cell(row)))).join('');
  const first = await pages.next();
  async function* lines(): AsyncGenerator<string> {
    // Without the byte order mark, spreadsheets read the file as Latin-1.
    yield `\uFEFF${lineOf(Object.keys(columns))}${first.done ? '' : textOf(first.value)}`;
    for await (const rows of pages) {
      if (rows.length > 0) yield textOf(rows);
    }
  }
  reply.header('content-disposition', `attachment; filename="${name}.csv"`);
  return reply.type('text/csv; charset=utf-8').send(Readable.from(lines()));
}

/** The same filters as a file. */
export function csvLink(request: FastifyRequest, path: string): Html {
  return html`<a class="button secondary small" href="${addressWith(request, { page: '', before: '' }, path)}">CSV</a>`;
}

/**
 * Reads the pages of one export by the rules of the lists: from a replica where there is one, unless the caller needs the present. A page
 * is never from an earlier snapshot than the one before, since rows between the two would be lost. So the age of the first is that of all.
 */
export function pageReader(
  { db, replica }: ListReadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { isFresh = false }: ListReadOptions = {},
): <T>(read: (db: Sql) => Promise<T>) => Promise<T> {
  let isPrimary = isFresh || asksForPresent(request);
  let notBefore: Date | undefined;
  return async read => {
    if (isPrimary) return read(db);
    const { value, asOf } = await replica.read(read, { notBefore });
    if (asOf && !notBefore) nameAge(reply, asOf);
    isPrimary = asOf === undefined;
    notBefore = asOf;
    return value;
  };
}

type Listed = { readonly id: string; readonly createdAt: Date | string };
type CsvDeps = ListReadDeps & { readonly db: Database; readonly clock: Clock };
type CsvList<T, Q> = {
  /** Of the file, and of its address below `/dashboard`. */
  readonly name: string;
  readonly columns: Columns<T>;
  query(request: FastifyRequest): Q;
  read(db: Sql, query: Q): Promise<readonly T[]>;
};

type Query = PageQuery & { readonly externalId?: string; readonly chargeId?: string };

/** The route of a list that is newest first, as CSV. Each reading of it is on record. */
export function csvOfList<T extends Listed, Q extends Query>(
  app: FastifyInstance,
  deps: CsvDeps,
  { name, columns, query: queryFor, read }: CsvList<T, Q>,
): void {
  const options = { config: { isOnRecord: true }, schema: { hide: true } } as const;
  app.get(`/dashboard/${name}.csv`, options, async (request, reply) => {
    const query = queryFor(request);
    await recordReading(deps.db);
    const isFresh = query.externalId !== undefined || query.chargeId !== undefined;
    const reader = pageReader(deps, request, reply, { isFresh });
    const readPage = (page: PageQuery) => reader(db => read(db, { ...query, ...page }));
    const pages = walkBack(deps.clock.now(), query, readPage, ({ id, createdAt }) => ({ id, at: createdAt }));
    return sendCsv(reply, name, columns, pages);
  });
}

const PAGE_SIZE = 500;
type Dated = { readonly id: string; readonly at: Date | string };

/**
 * All pages of a list that is newest first. Each begins where the one before has ended, by time: page numbers would skip rows
 * when others leave the list meanwhile, and cost more the deeper they are.
 */
export async function* walkBack<T>(
  now: Date,
  { page: _, pageSize: __, to, ...query }: PageQuery,
  read: (query: PageQuery) => Promise<readonly T[]>,
  identify: (row: T) => Dated,
): AsyncGenerator<readonly T[]> {
  let untilMs = Math.min(to?.floorMs ?? Number.POSITIVE_INFINITY, now.getTime());
  let page = 1;
  /** The rows of the last moment that are already written. */
  let written = new Set<string>();
  for (;;) {
    const until = { ceilMs: untilMs, floorMs: untilMs, beyond: '' };
    const rows = await read({ ...query, to: until, page, pageSize: PAGE_SIZE });
    yield rows.filter(row => !written.has(identify(row).id));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    const lastMs = new Date(identify(last).at).getTime();
    const ofLast = rows.map(identify).filter(({ at }) => new Date(at).getTime() === lastMs);
    // More rows of one moment than fit on a page are read by page number.
    const isStuck = lastMs === untilMs;
    page = isStuck ? page + 1 : 1;
    written = new Set([...(isStuck ? written : []), ...ofLast.map(({ id }) => id)]);
    untilMs = lastMs;
  }
}

/** The matching rows among those that were searched, and the moment down to which the search went. */
type Window<T> = { readonly rows: readonly T[]; readonly searchedTo?: Date };

/** All pages of a list that searches a limited number of rows at a time: each search begins where the one before ended. */
export async function* walkWindows<T>(
  now: Date,
  query: PageQuery,
  read: (query: PageQuery) => Promise<Window<T>>,
  identify: (row: T) => Dated,
): AsyncGenerator<readonly T[]> {
  let beginMs = Math.min(query.to?.floorMs ?? Number.POSITIVE_INFINITY, now.getTime());
  /** The rows of the moment at which the last search ended. */
  let written = new Set<string>();
  for (;;) {
    let searchedTo: Date | undefined;
    const ofEnd = new Map<string, number>();
    const begin = { ceilMs: beginMs, floorMs: beginMs, beyond: '' };
    const look = async (page: PageQuery) => {
      const found = await read(page);
      searchedTo = found.searchedTo;
      return found.rows;
    };
    for await (const rows of walkBack(now, { ...query, to: begin }, look, identify)) {
      for (const { id, at } of rows.map(identify)) ofEnd.set(id, new Date(at).getTime());
      yield rows.filter(row => !written.has(identify(row).id));
    }
    const endMs = (searchedTo as Date | undefined)?.getTime();
    if (endMs === undefined) return;
    // More rows of one moment than one search takes cannot be separated by time: the rest is skipped.
    beginMs = endMs < beginMs ? endMs : endMs - 1;
    written = new Set([...ofEnd].filter(([, ms]) => ms === endMs).map(([id]) => id));
  }
}

/** All pages of a short list, by their numbers. */
export async function* walkPages<T>(
  read: (page: { readonly page: number; readonly pageSize: number }) => Promise<{
    readonly rows: readonly T[];
    readonly hasMore: boolean;
  }>,
): AsyncGenerator<readonly T[]> {
  for (let page = 1, isMore = true; isMore; page++) {
    const { rows, hasMore } = await read({ page, pageSize: PAGE_SIZE });
    yield rows;
    isMore = hasMore;
  }
}

/** All pages of a list with positions, newest first. */
export async function* walkPositions<T extends { readonly position: bigint }>(
  read: (before: bigint | undefined, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  let before: bigint | undefined;
  for (;;) {
    const rows = await read(before, PAGE_SIZE);
    yield rows;
    before = rows.at(-1)?.position;
    if (before === undefined || rows.length < PAGE_SIZE) return;
  }
}
