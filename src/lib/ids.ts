// Ids are made by the application: UUID version 7 (RFC 9562), so that they sort by time and need no sequence.
import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4092;
const DIGITS_PER_ID = 12;
let pool = '';
let used = 0;

/** Twelve digits of chance. One call into the operating system serves some seven hundred ids. */
function nextRandom(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += DIGITS_PER_ID;
  return pool.slice(used - DIGITS_PER_ID, used);
}

/** Where the count begins is chance, so that two processes do not count alike; far enough from its end. */
let count = randomBytes(4).readUInt32BE() & 0x01ff_ffff;

/**
 * A UUIDv7 for the given moment. Those that one process makes for one millisecond are in order: the 26 bits after the time
 * count up (RFC 9562, section 6.2), and 48 bits of chance follow.
 */
export function uuidV7(at: Date): string {
  count = (count + 1) & 0x03ff_ffff;
  const high = (0x7000 | (count >>> 14)).toString(16);
  const low = (0x8000 | (count & 0x3fff)).toString(16);
  return `${timeText(timeOf(at))}-${high}-${low}-${nextRandom()}`;
}

const lastTime = { ms: Number.NaN, text: '' };

/** Many ids are made for one moment, whose part is written once. */
function timeText(ms: number): string {
  if (ms !== lastTime.ms) {
    const digits = ms.toString(16).padStart(12, '0');
    lastTime.ms = ms;
    lastTime.text = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  }
  return lastTime.text;
}

/** The time of an id begins with 1970; what lies before is as old as an id can say. */
function timeOf(at: Date): number {
  return Math.max(at.getTime(), 0);
}

/** The UUIDv7 of a moment and ten bytes, for data that must come out the same each time. */
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

/** The 128 bits of a UUID as a number. */
export function uuidToBigInt(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`);
}
