// What a payer pays with, from the answer of a bank. A line with wrong check digits is never returned, nor a pix code that cannot be paid.
// The caller checks that the answer is about its request.

import { barcodeOfLine } from '@trilho/cnab';
import { idAt, textAt } from '../bank-client/read-answer.ts';
import { faultOfDynamicCode, locationIn } from '../br-code.ts';
import type { BoletoInstrument, BoletoPix } from '../methods/boleto.ts';

/** Where an answer has each part. */
type InstrumentPaths = {
  readonly line: string;
  readonly code: string;
  readonly number?: string;
  readonly txid?: string;
};

/**
 * Undefined while the bank shows no line with right check digits. The barcode is derived from the line: one bank shows the line in both
 * fields.
 */
export function instrumentIn(body: unknown, paths: InstrumentPaths): BoletoInstrument | undefined {
  const digitableLine = textAt(body, paths.line)?.replace(/\D/g, '') ?? '';
  const barcode = barcodeOfLine(digitableLine);
  if (barcode === undefined) return undefined;
  const pix = pixIn(body, paths);
  const ourNumber = paths.number === undefined ? undefined : idAt(body, paths.number);
  return { barcode, digitableLine, ...(pix && { pix }), ...(ourNumber !== undefined && { ourNumber }) };
}

function pixIn(body: unknown, { code, txid: txidPath }: InstrumentPaths): BoletoPix | undefined {
  const emv = textAt(body, code);
  if (emv === undefined || faultOfDynamicCode(emv) !== undefined) return undefined;
  const location = locationIn(emv);
  const txid = txidPath === undefined ? undefined : textAt(body, txidPath);
  return { emv, ...(location !== undefined && { location }), ...(txid !== undefined && { txid }) };
}
