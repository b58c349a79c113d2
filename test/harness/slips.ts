// A boleto as a sandbox charge makes it, for tests that change one field.
import { sandboxRails } from '../../src/sandbox/rails.ts';
import type { BoletoSlip } from '../../src/web/boleto/slip.ts';

const CHARGE = {
  id: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  amountCents: 15_990n,
  createdAt: new Date('2026-11-16T12:00:00Z'),
  expireAt: new Date('2027-01-10T02:59:59Z'),
  dueDay: '2026-12-10',
  expireDay: '2027-01-09',
  payer: { name: 'Maria', document: '52998224725' },
};

export function slipWith(changes: Partial<BoletoSlip> = {}): BoletoSlip {
  const { reference: ourNumber, instrument } = sandboxRails.boleto.prepare(CHARGE);
  return {
    bankName: 'Banco Sandbox',
    barcode: instrument!.barcode,
    ourNumber,
    carteira: '17',
    documentNumber: 'pedido-1042',
    issuedDay: '2026-11-16',
    processedDay: '2026-11-17',
    dueDay: CHARGE.dueDay,
    lastPayableDay: '2027-01-11',
    amountCents: CHARGE.amountCents,
    finePercent: '2',
    interestPercent: '1',
    beneficiary: {
      name: 'Padaria São João Ltda.',
      document: '12ABC34501DE35',
      agency: '0001',
      code: '0000042',
      address: {
        street: 'Avenida Paulista',
        number: '1000',
        complement: '10º andar',
        neighborhood: 'Bela Vista',
        city: 'São Paulo',
        state: 'SP',
        postalCode: '01310100',
        countryCode: 'BR',
      },
    },
    payer: {
      name: 'Maria da Conceição Araújo',
      document: '52998224725',
      address: {
        street: 'Rua das Acácias',
        number: '42',
        complement: 'apto. 31',
        neighborhood: 'Jardim América',
        city: 'Ribeirão Preto',
        state: 'SP',
        postalCode: '14020260',
        countryCode: 'BR',
      },
    },
    pixEmv: sandboxRails.pix.prepare(CHARGE).instrument!.emv,
    sandbox: true,
    ...changes,
  };
}
