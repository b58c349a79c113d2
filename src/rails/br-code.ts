// The BR Code: the text behind a pix QR code, «copia e cola».
// https://www.bcb.gov.br/content/estabilidadefinanceira/spb_docs/ManualBRCode.pdf
import assert from 'node:assert/strict';
import { generatePixPayload } from '@brazilian-utils/brazilian-utils';
import { uuidToBigInt } from '../lib/ids.ts';

/** Field 54 holds thirteen characters: 9999999999.99. */
export const MAX_PIX_CENTS = 999_999_999_999n;

const TXID_LENGTH = 25;

type StaticCode = {
  readonly key: string;
  readonly receiverName: string;
  readonly receiverCity: string;
  readonly amountCents: bigint;
  readonly txid: string;
};

/** A static code with its amount and txid; names are folded to ASCII and cut to what the code holds. */
export function staticBrCode({ key, receiverName, receiverCity, amountCents, txid }: StaticCode): string {
  assert(amountCents >= 1n && amountCents <= MAX_PIX_CENTS, 'a BR Code cannot hold this amount');
  const emv = generatePixPayload({
    key,
    merchantName: receiverName,
    merchantCity: receiverCity,
    // At most 12 significant digits, so the division by 100 is exact to the cent in a double.
    amount: Number(amountCents) / 100,
    txid,
  });
  assert(emv, 'a BR Code needs a valid key, name, city and txid');
  return emv;
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
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(CHECKSUM_LENGTH, '0');
}
