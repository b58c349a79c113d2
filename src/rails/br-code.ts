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
