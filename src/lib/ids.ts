// Generates ids: UUID version 7 (RFC 9562), which sort by time and need no sequence in the database.
import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4092;
const DIGITS_PER_ID = 12;
let pool = '';
let used = 0;

/** Twelve random hexadecimal digits. One call to the operating system serves about seven hundred ids. */
function nextRandom(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += DIGITS_PER_ID;
  return pool.slice(used - DIGITS_PER_ID, used);
}

/** Far below the maximum of the counter. */
function randomStart(): number {
  return Number.parseInt(nextRandom(), 16) % 0x0200_0000;
}

/**
 * Makes UUIDv7s from one clock. Those of one millisecond are in order: the 26 bits after the time are a counter (RFC 9562, section 6.2),
 * followed by 48 random bits. The counter restarts, at a random value, with every later millisecond: otherwise it would reveal to a caller
 * how many ids were made between two of its own. Times of another clock would restart it too early.
 */
export function idsOfOneClock(): (at: Date) => string {
  let latestMs = -1;
  let count = 0;
  return at => {
    const ms = timeOf(at);
    count = ms > latestMs ? randomStart() : (count + 1) & 0x03ff_ffff;
    latestMs = Math.max(latestMs, ms);
    const high = (0x7000 | (count >>> 14)).toString(16);
    const low = (0x8000 | (count & 0x3fff)).toString(16);
    return `${timeText(ms)}-${high}-${low}-${nextRandom()}`;
  };
}

/** A UUIDv7 for a time of the service's clock. */
export const uuidV7 = idsOfOneClock();

const ofMachine = idsOfOneClock();

/** A UUIDv7 for now by the clock of the machine, which a sandbox does not move. */
export function requestUuid(): string {
  return ofMachine(new Date());
}

const lastTime = { ms: Number.NaN, text: '' };

/** Many ids share one millisecond, so its text is cached. */
function timeText(ms: number): string {
  if (ms !== lastTime.ms) {
    const digits = ms.toString(16).padStart(12, '0');
    lastTime.ms = ms;
    lastTime.text = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  }
  return lastTime.text;
}

/** The time of a UUIDv7 begins in 1970; an earlier time becomes 0. */
function timeOf(at: Date): number {
  return Math.max(at.getTime(), 0);
}

/** A UUIDv7 from a time and ten given bytes, for data that must be the same each time. */
export function uuidV7Of(at: Date, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(timeOf(at), 0, 6);
  bytes.set(random, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The UUID that a text is, as people write it; null for other texts. */
export function uuidIn(text: string): string | null {
  const lower = text.toLowerCase();
  return isUuid(lower) ? lower : null;
}

/** The 128 bits of a UUID as a number. */
export function uuidToBigInt(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`);
}
