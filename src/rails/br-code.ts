// The BR Code: the text behind a pix QR code, «copia e cola».
// https://www.bcb.gov.br/content/estabilidadefinanceira/spb_docs/ManualBRCode.pdf
import assert from 'node:assert/strict';
import { generatePixPayload } from '@brazilian-utils/brazilian-utils';
import { uuidToBigInt } from '../lib/ids.ts';

/** Field 54 holds thirteen characters: 9999999999.99. */
export const MAX_PIX_CENTS = 999_999_999_999n;

const TXID_LENGTH = 25;

/** Who is paid. */
export type Receiver = { readonly key: string; readonly receiverName: string; readonly receiverCity: string };

/**
 * Writes static codes with their amount and txid. Names are folded to ASCII and cut to what the code holds. Most of a code is
 * the same for every charge of a receiver, and is made once.
 */
export function staticBrCodes({ key, receiverName, receiverCity }: Receiver): (cents: bigint, txid: string) => string {
  const sample = generatePixPayload({ key, merchantName: receiverName, merchantCity: receiverCity });
  const fields = readFields(sample ?? '');
  assert(sample && fields, 'a BR Code needs a valid key, name and city');
  const among = (from: string, to: string) =>
    fields
      .filter(({ id }) => id >= from && id < to)
      .map(({ id, value }) => field(id, value))
      .join('');
  const [before, after] = [among('00', AMOUNT), among(AMOUNT, MORE)];
  return (amountCents, txid) => {
    assert(amountCents >= 1n && amountCents <= MAX_PIX_CENTS, 'a BR Code cannot hold this amount');
    assert(TXID.test(txid), 'a BR Code cannot hold this txid');
    const text = `${before}${field(AMOUNT, reaisText(amountCents))}${after}${field(MORE, field(TXID_IN_MORE, txid))}${CHECKSUM}`;
    return text + checksum(text);
  };
}

const AMOUNT = '54';
const MORE = '62';
const TXID_IN_MORE = '05';
const TXID = /^[0-9A-Za-z]{1,25}$/;
const CHECKSUM = '6304';

function reaisText(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

function field(id: string, value: string): string {
  return id + String(value.length).padStart(2, '0') + value;
}

/** A UUID as the 25 letters and digits that a static code's txid may have: 36^25 is just above 2^128. */
export function txidOf(uuid: string): string {
  return uuidToBigInt(uuid).toString(36).toUpperCase().padStart(TXID_LENGTH, '0');
}

/**
 * Whether a BR Code came whole: every field as long as it says, down into the templates, the version first, and a checksum
 * last that matches. It promises nothing about who is paid or how much. A code that only sets up a recurrence has neither
 * key nor location and is intact all the same, which is why a validator of payments does not serve here.
 */
export function isBrCodeIntact(emv: string): boolean {
  const fields = readFields(emv);
  if (!fields?.every(({ id, value }) => !isTemplate(id) || readFields(value) !== undefined)) return false;
  const [first, last] = [fields[0], fields.at(-1)];
  if (first?.id !== '00' || first.value !== '01' || last?.id !== '63') return false;
  return last.value === checksum(emv.slice(0, -CHECKSUM_LENGTH));
}

const CHECKSUM_LENGTH = 4;

type Field = { readonly id: string; readonly value: string };

/** Two digits of id, two of length, then the value, one field after another; undefined when they do not add up. */
function readFields(text: string): readonly Field[] | undefined {
  const fields: Field[] = [];
  for (let at = 0; at < text.length; ) {
    const head = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4));
    if (!head) return undefined;
    const end = at + 4 + Number(head[2]);
    if (end > text.length) return undefined;
    fields.push({ id: head[1]!, value: text.slice(at + 4, end) });
    at = end;
  }
  return fields;
}

/** The fields made of fields: receivers of each arrangement, additional data, other languages, and the unreserved ones. */
function isTemplate(id: string): boolean {
  return (id >= '26' && id <= '51') || id === '62' || id === '64' || id >= '80';
}

/** CRC-16/CCITT-FALSE in four upper-case hexadecimal digits. */
function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) crc = ((crc << 8) ^ CRC_OF_BYTE[(crc >> 8) ^ byte]!) & 0xffff;
  return crc.toString(16).toUpperCase().padStart(CHECKSUM_LENGTH, '0');
}

/** What each value of a byte does to the checksum, bit by bit. */
const CRC_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});
