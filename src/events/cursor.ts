// Cursors of the feed: the position of an event and its mark, as one encrypted block. The position counts the events of all
// accounts, so a caller must not be able to read or guess it.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { type FeedPosition, readCursorSettings } from './store-feed.ts';

export type Cursors = {
  /** The same position always has the same text. */
  textOf(position: FeedPosition): string;
  /** The position that a text names, or why it is not a cursor. Does not check whether the feed has that position. */
  read(text: string): FeedPosition | 'malformed' | 'outdated';
};

/** The beginning of the feed. */
export const START: FeedPosition = { position: 0n, mark: '' };
const START_TEXT = '0';

/** A single block needs no chaining: for one key it is a permutation, and no two positions share a block. */
const CIPHER = 'aes-256-ecb';
const CURSOR = /^[0-9a-f]{32}$/;
const MARK_AT = 8;
const FILL_AT = 14;
/** As 0.2.0 wrote them: the position and the mark in plain text. */
const PLAIN_CURSOR = /^([1-9]\d{0,17})-([0-9a-f]{12})$/;

export async function openCursors(db: Database): Promise<Cursors> {
  const { key, plainUpTo } = await readCursorSettings(db);
  return {
    textOf: ({ position, mark }) => (position === 0n ? START_TEXT : encrypt(key, position, mark)),
    read: text => {
      if (text === START_TEXT) return START;
      if (CURSOR.test(text)) return decrypt(key, text) ?? 'malformed';
      const [, digits, mark] = PLAIN_CURSOR.exec(text) ?? [];
      if (digits === undefined || mark === undefined) return 'malformed';
      // Beyond it a caller could guess positions with the mark of its own event.
      return BigInt(digits) <= plainUpTo ? { position: BigInt(digits), mark } : 'outdated';
    },
  };
}

function encrypt(key: Buffer, position: bigint, mark: string): string {
  const block = Buffer.alloc(16);
  block.writeBigUInt64BE(position);
  block.write(mark, MARK_AT, 'hex');
  const cipher = createCipheriv(CIPHER, key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
}

/** Undefined for a block that this key did not make. */
function decrypt(key: Buffer, text: string): FeedPosition | undefined {
  const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(text, 'hex'), decipher.final()]);
  if (block.readUInt16BE(FILL_AT) !== 0) return undefined;
  return { position: block.readBigUInt64BE() & MAX_BIGINT, mark: block.toString('hex', MARK_AT, FILL_AT) };
}

/** The greatest position that the database can hold. */
const MAX_BIGINT = 0x7fff_ffff_ffff_ffffn;
