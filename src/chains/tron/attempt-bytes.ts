// Reads what a lookup must know of signed bytes that were saved: which transaction they are, until when a block may take
// it, and which block it names.
import { sha256 } from '@noble/hashes/sha2.js';
import type { Attempt } from '../chain.ts';

export type AttemptFacts = {
  readonly hash: string;
  readonly expirationMs: number;
  /** The last sixteen bits of the height of the block that it names. */
  readonly refBlockBits: number;
};

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const MAX_VARINT_BYTES = 10;

/** Undefined when the bytes are not those of the attempt: then nothing may be concluded from them. */
export function attemptFacts({ raw, hash }: Attempt): AttemptFacts | undefined {
  const rawData = fieldsOf(Buffer.from(raw, 'hex'))?.get(1);
  if (!(rawData instanceof Uint8Array) || Buffer.from(sha256(rawData)).toString('hex') !== hash) return undefined;
  const fields = fieldsOf(rawData);
  const reference = fields?.get(1);
  const expiration = fields?.get(8);
  if (!(reference instanceof Uint8Array) || reference.length !== 2 || typeof expiration !== 'bigint') return undefined;
  return { hash, expirationMs: Number(expiration), refBlockBits: reference[0]! * 256 + reference[1]! };
}

/** The fields of a message by number, as integers and bytes; undefined when it has others or ends too soon. */
export function fieldsOf(bytes: Uint8Array): Map<number, bigint | Uint8Array> | undefined {
  const fields = new Map<number, bigint | Uint8Array>();
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag === undefined || value === undefined) return undefined;
    const [number, type] = [Number(tag >> 3n), Number(tag & 7n)];
    if (type === VARINT) fields.set(number, value);
    else if (type === LENGTH_DELIMITED && at + Number(value) <= bytes.length) {
      fields.set(number, bytes.subarray(at, at + Number(value)));
      at += Number(value);
    } else return undefined;
  }
  return fields;
}
