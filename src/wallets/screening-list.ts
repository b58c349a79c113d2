// A list of blocked addresses, as text. One address per line: alone, in a CSV cell, or as `address` of a JSON object. A comment
// (`# date: 2026-11-01`) or a JSON object ({"date": "2026-11-01"}) has the date of the list.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { bodyOf } from '../chains/address.ts';
import { FAMILIES } from '../chains/families.ts';

/** The identity of a list. */
export type ListIdentity = {
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly digest: string;
  /** The date in the list, `YYYY-MM-DD`. */
  readonly date?: string;
};

export type ScreeningList = ListIdentity & {
  /** The number of distinct addresses. */
  readonly size: number;
  /** Lines without an address of a supported network, such as those of Bitcoin. */
  readonly skipped: number;
  /** Compares the twenty bytes of a canonical address, so a key that is listed on one network is listed on all. */
  has(address: string): boolean;
};

const DATE = /^(\d{4}-\d{2}-\d{2})(?:$|[T\s])/;
const DATE_COMMENT = /^#\s*date\s*[:=]\s*(\S+)/i;

/** A long list takes seconds, so it is read in parts, between which requests continue. */
const LINES_AT_ONCE = 500;

type Line = { readonly body?: string; readonly date?: string; readonly fault?: string; readonly isComment?: true };

/** Reads a list, or returns its fault as the end of a sentence about the file. */
export async function readScreeningList(bytes: Uint8Array): Promise<ScreeningList | { readonly fault: string }> {
  const text = decoded(bytes);
  if (text === undefined) return { fault: 'is not text in UTF-8' };
  const bodies = new Set<string>();
  let [date, skipped]: [string | undefined, number] = [undefined, 0];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (index % LINES_AT_ONCE === 0) await setImmediate();
    const read = readLine(line.trim());
    if (read.fault !== undefined) return { fault: `has in line ${index + 1} ${read.fault}` };
    if (read.body !== undefined) bodies.add(read.body);
    else if (read.date !== undefined) date ??= read.date;
    else if (!read.isComment) skipped++;
  }
  if (bodies.size === 0) return { fault: 'has no address of a supported network' };
  return {
    digest: createHash('sha256').update(bytes).digest('hex'),
    ...(date !== undefined && { date }),
    size: bodies.size,
    skipped,
    has: address => bodies.has(bodyOf(address)),
  };
}

function readLine(line: string): Line {
  if (line === '') return { isComment: true };
  if (line.startsWith('#')) {
    const given = DATE_COMMENT.exec(line)?.[1];
    return given === undefined ? { isComment: true } : readDate(given);
  }
  return line.startsWith('{') ? readObject(line) : readCells(line.split(/[,;\t]/).map(unquoted));
}

function readObject(line: string): Line {
  const value = parsed(line);
  if (typeof value !== 'object' || value === null) return { fault: 'an object that is not JSON' };
  if ('address' in value && typeof value.address === 'string') return readCells([value.address.trim()]);
  if ('date' in value && typeof value.date === 'string') return readDate(value.date);
  return {};
}

/** The first cell that has the form of an address. One with a wrong character would never match, so it is a fault. */
function readCells(cells: readonly string[]): Line {
  for (const cell of cells) {
    const family = FAMILIES.find(({ addresses }) => addresses.listedAs.test(cell));
    if (!family) continue;
    const body = family.addresses.bodyOf(cell);
    return body === undefined ? { fault: `an address of ${family.label} with a wrong checksum` } : { body };
  }
  return {};
}

function readDate(given: string): Line {
  const [, date] = DATE.exec(given) ?? [];
  const isDay = date !== undefined && !Number.isNaN(Date.parse(`${date}T00:00:00Z`));
  return isDay ? { date } : { fault: 'a date that is not a day such as 2026-11-01' };
}

function unquoted(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
