// What a caller is told when a charge is made: its id and a result per method. Kept with the charge, so that a repeat is
// answered with the same words. In JSON: what is undefined is not there.
import { type ChargeMethod, isOf } from './charge.ts';

export type BoletoResult = {
  readonly success: boolean;
  readonly status: string;
  readonly reason: string | undefined;
  readonly digitableLine: string | undefined;
  readonly barcode: string | undefined;
  /** Where the page to print is. */
  readonly pdfUrl: string | undefined;
};

export type PixResult = {
  readonly success: boolean;
  /** The BR Code; empty when the rail refused. */
  readonly emv: string;
  readonly status: string;
  readonly reason: string | undefined;
  readonly txid: string | undefined;
  /** Where the picture of the code is. */
  readonly qrCodeUrl: string | undefined;
};

export type ChargeAnswer = {
  readonly id: string;
  readonly boleto: BoletoResult | undefined;
  readonly pix: PixResult | undefined;
};

export function chargeAnswer(id: string, methods: readonly ChargeMethod[]): ChargeAnswer {
  const boleto = methods.find(isOf('boleto'));
  const pix = methods.find(isOf('pix'));
  return { id, boleto: boleto && boletoResult(id, boleto), pix: pix && pixResult(id, pix) };
}

export function boletoResult(id: string, { status, reason, instrument }: ChargeMethod<'boleto'>): BoletoResult {
  return {
    success: status !== 'FAILED',
    status,
    reason,
    digitableLine: instrument?.digitableLine,
    barcode: instrument?.barcode,
    pdfUrl: instrument && `/charges/${id}/boleto.pdf`,
  };
}

export function pixResult(id: string, { status, reason, instrument }: ChargeMethod<'pix'>): PixResult {
  return {
    success: status !== 'FAILED',
    emv: instrument?.emv ?? '',
    status,
    reason,
    txid: instrument?.txid,
    qrCodeUrl: instrument && `/charges/${id}/pix.png`,
  };
}
