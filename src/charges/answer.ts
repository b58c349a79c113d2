// The answer to the request that created a charge: its id and a result for each method. It is stored with the charge, so that
// a repeat gets the same answer. Its schema is `CreatedCharge` in api/; JSON leaves out what is undefined.
import { type Charge, type ChargeMethod, isOf } from './charge.ts';

export function chargeAnswer({ id, methods }: Pick<Charge, 'id' | 'methods'>) {
  const boleto = methods.find(isOf('boleto'));
  const pix = methods.find(isOf('pix'));
  return { id, boleto: boleto && boletoResult(id, boleto), pix: pix && pixResult(id, pix) };
}

export function boletoResult(id: string, { status, reason, instrument }: ChargeMethod<'boleto'>) {
  return {
    success: status !== 'FAILED',
    status,
    reason,
    digitableLine: instrument?.digitableLine,
    barcode: instrument?.barcode,
    pdfUrl: instrument && `/charges/${id}/boleto.pdf`,
  };
}

export function pixResult(id: string, { status, reason, reference, instrument }: ChargeMethod<'pix'>) {
  return {
    success: status !== 'FAILED',
    emv: instrument?.emv ?? '',
    status,
    reason,
    txid: reference,
    qrCodeUrl: instrument && `/charges/${id}/pix.png`,
  };
}
