// The BR Code: the text behind a pix QR code, «copia e cola».
// https://www.bcb.gov.br/content/estabilidadefinanceira/spb_docs/ManualBRCode.pdf
import assert from 'node:assert/strict';
import { generatePixPayload } from '@brazilian-utils/brazilian-utils';
import { uuidToBigInt } from '../lib/ids.ts';
import { checkCeiling } from './ceiling.ts';
import type { PaymentRequest, Refusal } from './rail.ts';

/** Field 54 holds thirteen characters: 9999999999.99. */
export const MAX_PIX_CENTS = 999_999_999_999n;

/** Refuses a charge that cannot be paid by pix. */
export function checkPix({ amountCents }: PaymentRequest): Refusal | undefined {
  return checkCeiling('pix', MAX_PIX_CENTS, amountCents);
}

const TXID_LENGTH = 25;

/** The receiver of the payment. */
export type Receiver = { readonly key: string; readonly receiverName: string; readonly receiverCity: string };

/**
 * Builds static codes with txid and amount; without an amount the payer types it. Names are converted to ASCII and cut to the length that the code allows. What is the same for
 * every charge of a receiver is built once.
 */
export function staticBrCodes({
  key,
  receiverName,
  receiverCity,
}: Receiver): (cents: bigint | undefined, txid: string) => string {
  const sample = generatePixPayload({ key, merchantName: receiverName, merchantCity: receiverCity });
  const fields = readFields(sample ?? '');
  assert(sample && fields, 'a BR Code needs a valid key, name and city');
  const fieldsBetween = (from: string, to: string) =>
    fields
      .filter(({ id }) => id >= from && id < to)
      .map(({ id, value }) => field(id, value))
      .join('');
  const [before, after] = [fieldsBetween('00', AMOUNT), fieldsBetween(AMOUNT, ADDITIONAL_DATA)];
  return (amountCents, txid) => {
    const isInRange = amountCents === undefined || (amountCents >= 1n && amountCents <= MAX_PIX_CENTS);
    assert(isInRange, 'a BR Code cannot hold this amount');
    assert(TXID.test(txid), 'a BR Code cannot hold this txid');
    const amount = amountCents === undefined ? '' : field(AMOUNT, reaisText(amountCents));
    const text = `${before}${amount}${after}${field(ADDITIONAL_DATA, field(TXID_FIELD, txid))}${CHECKSUM}`;
    return text + checksum(text);
  };
}

/** A location as a code holds it: host, perhaps a port, and path, without a scheme. */
const LOCATION = /^(?=.{1,77}$)[0-9A-Za-z.-]+(?::\d{1,5})?\/[\x21-\x7e]+$/;

/**
 * The code of a charge whose amount and terms are behind a location. Undefined when a code cannot hold the location. The package builds
 * the rest, but refuses locations with a port, which test PSPs have.
 */
export function dynamicBrCode(location: string, receiver: Omit<Receiver, 'key'>): string | undefined {
  const { receiverName: merchantName, receiverCity: merchantCity } = receiver;
  const fields = readFields(generatePixPayload({ url: 'pix.example.com/qr', merchantName, merchantCity }) ?? '');
  const url = location.replace(/^https?:\/\//i, '');
  if (!fields || !LOCATION.test(url)) return undefined;
  const account = field('00', PIX) + field(LOCATION_FIELD, url);
  const parts = fields.filter(({ id }) => id !== '63').map(({ id, value }) => field(id, id === '26' ? account : value));
  const text = parts.join('') + CHECKSUM;
  return text + checksum(text);
}

/** The location in a dynamic code. */
export function locationIn(emv: string): string | undefined {
  return pixLocationIn(emv, id => id >= '26' && id <= '51');
}

/** The location of a recurrence in a code. */
export function recurrenceIn(emv: string): string | undefined {
  return pixLocationIn(emv, id => id === RECURRENCE);
}

function pixLocationIn(emv: string, isOfField: (id: string) => boolean): string | undefined {
  const accounts = readFields(emv)?.filter(({ id }) => isOfField(id)) ?? [];
  return accounts
    .map(({ value }) => readFields(value) ?? [])
    .find(([first]) => first?.value.toLowerCase() === PIX)
    ?.find(({ id }) => id === LOCATION_FIELD)?.value;
}

/** The name of the receiver in a code: what a bank's app shows before it fetches the charge. */
export function receiverIn(emv: string): string | undefined {
  return valueIn(emv, RECEIVER_NAME);
}

/** The amount in a static code, whatever is owed today; the bank gives that of a dynamic one. */
export function staticAmountIn(emv: string): bigint | undefined {
  const [, whole, cents] = /^(\d+)\.(\d{2})$/.exec(valueIn(emv, AMOUNT) ?? '') ?? [];
  return whole === undefined || locationIn(emv) !== undefined ? undefined : BigInt(`${whole}${cents}`);
}

/** Longer codes do not fit in the QR code that banks read. */
const MAX_CODE_LENGTH = 512;

/** Why a payer could not pay by a code that a bank made for a charge; undefined when the code is right. */
export function faultOfDynamicCode(emv: string): string | undefined {
  return faultOfCode(emv) ?? (LOCATION.test(locationIn(emv) ?? '') ? undefined : 'it has no location of a charge');
}

/** Why a payer could not approve a recurrence by a code that a bank made for it; undefined when the code is right. */
export function faultOfRecurrenceCode(emv: string): string | undefined {
  return (
    faultOfCode(emv) ?? (LOCATION.test(recurrenceIn(emv) ?? '') ? undefined : 'it has no location of a recurrence')
  );
}

function faultOfCode(emv: string): string | undefined {
  if (emv.length > MAX_CODE_LENGTH) return 'it is too long for a BR Code';
  if (readFields(emv) === undefined) return 'it is not a BR Code';
  if (!isBrCodeIntact(emv)) return 'its checksum or the length of a field is wrong';
  return valueIn(emv, CURRENCY) === REAIS && valueIn(emv, COUNTRY) === 'BR' ? undefined : 'it is not in reais';
}

const PIX = 'br.gov.bcb.pix';
const LOCATION_FIELD = '25';
/** Bacen's API 2.9.0 shows it in three examples of `pixCopiaECola`. */
const RECURRENCE = '80';
const CURRENCY = '53';
const REAIS = '986';
const COUNTRY = '58';
const RECEIVER_NAME = '59';
const AMOUNT = '54';
const ADDITIONAL_DATA = '62';
const TXID_FIELD = '05';
const TXID = /^[0-9A-Za-z]{1,25}$/;
const CHECKSUM = '6304';

function reaisText(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

function field(id: string, value: string): string {
  return id + String(value.length).padStart(2, '0') + value;
}

/** A UUID as a txid of 25 letters and digits, the maximum in a static code: 36^25 is just above 2^128. */
export function txidOf(uuid: string): string {
  return uuidToBigInt(uuid).toString(36).toUpperCase().padStart(TXID_LENGTH, '0');
}

/**
 * Whether a BR Code is complete: the lengths of all fields match, also inside templates, the version comes first, and the
 * checksum at the end is right. It does not check receiver and amount. A code that only sets up a recurrence has neither
 * key nor location and is still intact, so a validator for payment codes cannot be used here.
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

/** Reads fields of two digits id, two digits length, and value; undefined when the lengths do not match the text. */
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

function valueIn(emv: string, wanted: string): string | undefined {
  return readFields(emv)?.find(({ id }) => id === wanted)?.value;
}

/** Fields that contain fields: receivers of each arrangement, additional data, other languages, and the unreserved ones. */
function isTemplate(id: string): boolean {
  return (id >= '26' && id <= '51') || id === '62' || id === '64' || id >= '80';
}

/** CRC-16/CCITT-FALSE in four upper-case hexadecimal digits. */
function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) crc = ((crc << 8) ^ CRC_OF_BYTE[(crc >> 8) ^ byte]!) & 0xffff;
  return crc.toString(16).toUpperCase().padStart(CHECKSUM_LENGTH, '0');
}

/** The CRC lookup table, one entry per byte value. */
const CRC_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});
