// What a caller is told when a charge is made: its id and a result per method. Kept with the charge, so that a repeat is
// answered with the same words.
import { type ChargeMethod, isOf } from './charge.ts';

export type BoletoResult = {
  readonly success: boolean;
  readonly status: string;
  readonly reason?: string;
  readonly digitableLine?: string;
  readonly barcode?: string;
  /** Where the page to print is. */
  readonly pdfUrl?: string;
};

export type PixResult = {
  readonly success: boolean;
  /** The BR Code; empty when the rail refused. */
  readonly emv: string;
  readonly status: string;
  readonly reason?: string;
  readonly txid?: string;
  /** Where the picture of the code is. */
  readonly qrCodeUrl?: string;
};

export type ChargeAnswer = { readonly id: string; readonly boleto?: BoletoResult; readonly pix?: PixResult };

export function chargeAnswer(id: string, methods: readonly ChargeMethod[]): ChargeAnswer {
  const boleto = methods.find(isOf('boleto'));
  const pix = methods.find(isOf('pix'));
  return { id, ...(boleto && { boleto: boletoResult(id, boleto) }), ...(pix && { pix: pixResult(id, pix) }) };
}

export function boletoResult(id: string, { status, reason, instrument }: ChargeMethod<'boleto'>): BoletoResult {
  return {
    success: status !== 'FAILED',
    status,
    ...(reason !== undefined && { reason }),
    ...(instrument && {
      digitableLine: instrument.digitableLine,
      barcode: instrument.barcode,
      pdfUrl: `/charges/${id}/boleto.pdf`,
    }),
  };
}

export function pixResult(id: string, { status, reason, instrument }: ChargeMethod<'pix'>): PixResult {
  return {
    success: status !== 'FAILED',
    emv: instrument?.emv ?? '',
    status,
    ...(reason !== undefined && { reason }),
    ...(instrument && { txid: instrument.txid, qrCodeUrl: `/charges/${id}/pix.png` }),
  };
}
