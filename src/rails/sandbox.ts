// The sandbox rail: real encoders before a simulated bank. Every instrument is valid and none can be paid: the pix key
// lies under example.com, and no bank has the number 999.
import { uuidToBigInt } from '../lib/ids.ts';
import { sandboxBank } from './boleto/bank-999.ts';
import { boletoBarcode, digitableLine, dueDateFactor, MAX_BOLETO_CENTS } from './boleto/barcode.ts';
import { MAX_PIX_CENTS, staticBrCodes, txidOf } from './br-code.ts';
import type { PaymentRequest, Rail, Rails } from './rail.ts';
import * as bank from './sandbox-bank.ts';

const brCode = staticBrCodes({
  key: 'sandbox@example.com',
  receiverName: 'Trilho Sandbox',
  receiverCity: 'Sao Paulo',
});

const pix: Rail<'pix'> = {
  name: 'sandbox',
  method: 'pix',
  can: { refund: true, withdraw: true },
  limits: { maxAmountCents: MAX_PIX_CENTS },
  check: () => undefined,
  prepare: ({ id, amountCents }) => {
    const txid = txidOf(id);
    return { txid, emv: brCode(amountCents, txid) };
  },
  submit: async ({ amountCents }) => bank.submit(amountCents),
  lookup: async ({ amountCents }) => bank.lookup(amountCents),
  cancel: async () => ({ kind: 'registered' }),
  refund: async request => bank.submitRefund(request),
  lookupRefund: async request => bank.lookupRefund(request),
  reconcileAfter: (request, after) => bank.reconcileAfter(request, 'pix', after),
  reconcile: async (request, { txid }, until) => bank.receiptsUntil(request, 'pix', txid, until),
};

const boleto: Rail<'boleto'> = {
  name: 'sandbox',
  method: 'boleto',
  can: { refund: true, withdraw: true },
  limits: { maxAmountCents: MAX_BOLETO_CENTS },
  check: ({ dueDay }) => {
    if (dueDateFactor(dueDay) === undefined) {
      return {
        path: 'dueAt',
        code: 'due_date_out_of_range',
        message: 'is a day that a boleto cannot name: it must lie between 2000-07-03 and 2049-10-13',
      };
    }
    return undefined;
  },
  prepare: ({ id, amountCents, dueDay }: PaymentRequest) => {
    const ourNumber = ourNumberOf(id);
    const freeField = sandboxBank.freeField({}, ourNumber);
    const barcode = boletoBarcode({ bank: sandboxBank.code, dueDay, amountCents, freeField });
    return { ourNumber, barcode, digitableLine: digitableLine(barcode) };
  },
  submit: async ({ amountCents }) => bank.submit(amountCents),
  lookup: async ({ amountCents }) => bank.lookup(amountCents),
  cancel: async () => ({ kind: 'registered' }),
  refund: async request => bank.submitRefund(request),
  lookupRefund: async request => bank.lookupRefund(request),
  reconcileAfter: (request, after) => bank.reconcileAfter(request, 'boleto', after),
  reconcile: async (request, { ourNumber }, until) => bank.receiptsUntil(request, 'boleto', ourNumber, until),
};

export const sandboxRails: Rails = { pix, boleto };

/** 25 digits from a UUIDv7: 13 of its time, 12 of its chance. */
function ourNumberOf(uuid: string): string {
  const bits = uuidToBigInt(uuid);
  const timeMs = bits >> 80n;
  const chance = bits & ((1n << 62n) - 1n);
  return String(timeMs).padStart(13, '0').slice(-13) + String(chance % 10n ** 12n).padStart(12, '0');
}
