// Ids are made by the application: UUID version 7 (RFC 9562), so that they sort by time and need no sequence.
import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4096;
const RANDOM_BYTES_PER_ID = 10;
let pool = randomBytes(POOL_BYTES);
let used = 0;

// One call into the operating system serves some four hundred ids.
function nextRandom(): Buffer {
  if (used + RANDOM_BYTES_PER_ID > POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  const bytes = pool.subarray(used, used + RANDOM_BYTES_PER_ID);
  used += RANDOM_BYTES_PER_ID;
  return bytes;
}

/** Where the count begins is chance, so that two processes do not count alike; far enough from its end. */
let count = randomBytes(4).readUInt32BE() & 0x01ff_ffff;

/**
 * A UUIDv7 for the given moment. Those that one process makes for one millisecond are in order: the 26 bits after the time
 * count up (RFC 9562, section 6.2), and 48 bits of chance follow.
 */
export function uuidV7(at: Date): string {
  const random = nextRandom();
  count = (count + 1) & 0x03ff_ffff;
  random.writeUInt16BE(count >>> 14, 0);
  random.writeUInt16BE(count & 0x3fff, 2);
  return uuidV7Of(at, random);
}

/** The UUIDv7 of a moment and ten bytes, for data that must come out the same each time. */
export function uuidV7Of(at: Date, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  // The time of an id begins with 1970; what lies before is as old as an id can say.
  bytes.writeUIntBE(Math.max(at.getTime(), 0), 0, 6);
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
