// A backup as one stream: a tar archive of its entries in their order (POSIX ustar), so that any tar can unpack it into a folder.
import { StartError } from '../../lib/errors.ts';
import type { Entry } from './format.ts';

const BLOCK = 512;
/** More than any entry that is written here. */
const MAX_ENTRY_BYTES = 1024 * 1024 * 1024;
const CHECKSUM_AT = 148;
const CHECKSUM_LENGTH = 8;

/** The two empty blocks at the end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/** Header, content and padding of one entry. */
export function tarBlocks({ name, bytes }: Entry, at: Date): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'utf8');
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(
    `${Math.floor(at.getTime() / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
  );
  header.write('0', 156);
  header.write('ustar\x0000', 257, 'latin1');
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT);
  return [header, bytes, Buffer.alloc(padding(bytes.length))];
}

/** The sum of all bytes of a header, its checksum counted as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [place, byte] of header.entries()) {
    sum += place >= CHECKSUM_AT && place < CHECKSUM_AT + CHECKSUM_LENGTH ? 0x20 : byte;
  }
  return sum;
}

function padding(length: number): number {
  return (BLOCK - (length % BLOCK)) % BLOCK;
}

/** The entries of an archive as they arrive. Refuses a stream that is cut off or not an archive. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const read = exactReader(chunks);
  for (;;) {
    const header = await read(BLOCK);
    if (header.every(byte => byte === 0)) return;
    if (Number.parseInt(header.toString('latin1', CHECKSUM_AT, CHECKSUM_AT + 6), 8) !== checksumOf(header)) {
      throw new StartError('The stream is damaged or not a backup.');
    }
    const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
    if (!(size <= MAX_ENTRY_BYTES)) throw new StartError('The stream is not a backup.');
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
    const bytes = await read(size);
    await read(padding(size));
    yield { name, bytes };
  }
}

function exactReader(chunks: AsyncIterable<Uint8Array>): (length: number) => Promise<Buffer> {
  const source = chunks[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [];
  let available = 0;
  return async length => {
    while (available < length) {
      const { value, done } = await source.next();
      if (done) throw new StartError('The stream ends in the middle of the backup.');
      waiting.push(value);
      available += value.length;
    }
    const all = Buffer.concat(waiting);
    waiting = [all.subarray(length)];
    available -= length;
    return all.subarray(0, length);
  };
}
