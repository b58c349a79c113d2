// Reads protobuf messages as a node does. Independent of the encoder of the service, so that a mistake in one is not repeated in the other.

/** The fields of a message, in the order in which they came. */
type Fields = readonly { readonly number: number; readonly value: bigint | Buffer }[];

export class Malformed extends Error {
  override readonly name = 'Malformed';
}

const INT64_BITS = 64;

export function parseMessage(bytes: Buffer): Fields {
  const fields: { number: number; value: bigint | Buffer }[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const [key, afterKey] = takeVarint(rest);
    const [value, afterValue] = takeVarint(afterKey);
    const number = Number(key / 8n);
    switch (key % 8n) {
      case 0n:
        fields.push({ number, value: BigInt.asIntN(INT64_BITS, value) });
        rest = afterValue;
        break;
      case 2n:
        if (value > BigInt(afterValue.length)) throw new Malformed('the message ends inside a field');
        fields.push({ number, value: afterValue.subarray(0, Number(value)) });
        rest = afterValue.subarray(Number(value));
        break;
      default:
        throw new Malformed(`field ${number} has a type that transactions do not have`);
    }
  }
  return fields;
}

export function integerOf(fields: Fields, number: number): bigint {
  const value = fields.findLast(field => field.number === number)?.value ?? 0n;
  if (typeof value !== 'bigint') throw new Malformed(`field ${number} is no integer`);
  return value;
}

export function bytesOf(fields: Fields, number: number): Buffer {
  return allBytesOf(fields, number).at(-1) ?? Buffer.alloc(0);
}

export function allBytesOf(fields: Fields, number: number): Buffer[] {
  return fields
    .filter(field => field.number === number)
    .map(({ value }) => {
      if (typeof value === 'bigint') throw new Malformed(`field ${number} has no bytes`);
      return value;
    });
}

function takeVarint(bytes: Buffer): readonly [bigint, Buffer] {
  const last = bytes.findIndex(byte => byte < 128);
  if (last < 0 || last > 9) throw new Malformed('an integer does not end');
  const value = bytes.subarray(0, last + 1).reduceRight((sum, byte) => sum * 128n + BigInt(byte % 128), 0n);
  return [value, bytes.subarray(last + 1)];
}
