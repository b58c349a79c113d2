// The answer to the request that created a charge: its id and a result for each method. It is stored with the charge, so that
// a repeat gets the same answer. Its schema is `CreatedCharge` in api/; JSON leaves out what is undefined.
import type { Method } from '../../rails/rail.ts';
import { type Charge, type ChargeMethod, isOf } from '../charge.ts';

export function chargeAnswer({ id, methods }: Pick<Charge, 'id' | 'methods'>) {
  const boleto = methods.find(isOf('boleto'));
  const pix = methods.find(isOf('pix'));
  return { id, boleto: boleto && boletoResult(id, boleto), pix: pix && pixResult(id, pix) };
}

export function boletoResult(id: string, boleto: ChargeMethod<'boleto'>) {
  const { status, reason } = boleto;
  const instrument = shownInstrument(boleto);
  return {
    success: status !== 'FAILED',
    status,
    reason,
    digitableLine: instrument?.digitableLine,
    barcode: instrument?.barcode,
    emv: instrument?.pix?.emv,
    pdfUrl: instrument && `/charges/${id}/boleto.pdf`,
  };
}

export function pixResult(id: string, pix: ChargeMethod<'pix'>) {
  const { status, reason, reference } = pix;
  const instrument = shownInstrument(pix);
  return {
    success: status !== 'FAILED',
    emv: instrument?.emv ?? '',
    status,
    reason,
    txid: reference,
    qrCodeUrl: instrument && `/charges/${id}/pix.png`,
  };
}

/** A method that its bank refused cannot be paid, although its code may have been made before the bank was asked. */
function shownInstrument<M extends Method>({ status, instrument }: ChargeMethod<M>) {
  return status === 'FAILED' ? undefined : instrument;
}
