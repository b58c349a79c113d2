// Writes the few protobuf fields that a transfer needs: variable-length integers and length-delimited bytes.
// https://protobuf.dev/programming-guides/encoding/

const LENGTH_DELIMITED = 2n;
const MAX_INT64 = 2n ** 63n - 1n;

/** A field of an integer. Like every protobuf writer it leaves zero out. */
export function integerField(number: number, value: bigint): Uint8Array {
  if (value < 0n || value > MAX_INT64) throw new RangeError('an integer of a transaction is from 0 to 2^63 - 1');
  if (value === 0n) return new Uint8Array();
  return concat(varint(BigInt(number) << 3n), varint(value));
}

export function bytesField(number: number, value: Uint8Array): Uint8Array {
  return concat(varint((BigInt(number) << 3n) | LENGTH_DELIMITED), varint(BigInt(value.length)), value);
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Seven bits a byte, the lowest first; the highest bit of a byte says that more follow. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
