// Lists as CSV: page after page is read and written, so any size takes the memory of one page.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

type Cell = string | number | bigint | undefined;

/** What a spreadsheet would run as a formula is text. https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

function cellOf(value: Cell): string {
  const text = value === undefined ? '' : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

export type CsvPage = { readonly rows: readonly (readonly Cell[])[]; readonly hasMore: boolean };

const MAX_PAGES = 1_000_000;

/** Sends all pages; the next is read when the reader has taken the one before. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  head: readonly string[],
  readPage: (page: number) => Promise<CsvPage>,
): FastifyReply {
  async function* lines(): AsyncGenerator<string> {
    // Spreadsheets take a file without it for Latin-1.
    yield `\uFEFF${lineOf(head)}`;
    for (let page = 1; page <= MAX_PAGES; page++) {
      const { rows, hasMore } = await readPage(page);
      if (rows.length > 0) yield rows.map(lineOf).join('');
      if (!hasMore) return;
    }
  }
  reply.header('content-disposition', `attachment; filename="${name}.csv"`);
  return reply.type('text/csv; charset=utf-8').send(Readable.from(lines()));
}
