// Reads the one file in a ZIP archive, as far as Sicoob's archives need it: stored or deflated, without encryption.
import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_LENGTH = 22;
const LOCAL_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;
/** A small archive can unpack to any size. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Undefined when it is not such an archive, or larger than anything that a bank sends. */
export function unzipOne(archive: Buffer): Buffer | undefined {
  try {
    const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
    if (end < 0 || end + END_LENGTH > archive.length || archive.readUInt32LE(end) !== END_SIGNATURE) return undefined;
    const entry = archive.readUInt32LE(end + 16);
    if (archive.readUInt32LE(entry) !== ENTRY_SIGNATURE) return undefined;
    const method = archive.readUInt16LE(entry + 10);
    const packedLength = archive.readUInt32LE(entry + 20);
    const local = archive.readUInt32LE(entry + 42);
    if (archive.readUInt32LE(local) !== LOCAL_SIGNATURE) return undefined;
    const start = local + LOCAL_LENGTH + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + packedLength);
    if (packed.length !== packedLength) return undefined;
    if (method === STORED) return packed;
    return method === DEFLATED ? inflateRawSync(packed, { maxOutputLength: MAX_BYTES }) : undefined;
  } catch {
    return undefined;
  }
}
