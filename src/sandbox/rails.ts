// The sandbox rail: real encoders in front of a simulated bank. Every instrument has a valid form and cannot be paid:
// the pix key is at example.com, and no bank has the number 999.

import { boletoBarcode, digitableLine } from '@trilho/cnab';
import { uuidToBigInt } from '../lib/ids.ts';
import { checkBoleto } from '../rails/boleto/check.ts';
import { checkPix, staticBrCodes, txidOf } from '../rails/br-code.ts';
import type { Method } from '../rails/methods/methods.ts';
import type { PaymentRequest, Rail, ReceiptsByRequest } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import * as bank from './bank.ts';
import { sandboxBank } from './bank-999.ts';

const brCode = staticBrCodes({
  key: 'sandbox@example.com',
  receiverName: 'Trilho Sandbox',
  receiverCity: 'Sao Paulo',
});

const watchBy = (method: Method): ReceiptsByRequest => ({
  by: 'request',
  nextLook: (request, after) => bank.nextLook(request, method, after),
  receiptsOf: async (request, reference, until) => bank.receivedUntil(request, method, reference, until),
});

const pix: Rail<'pix'> = {
  name: 'sandbox',
  method: 'pix',
  can: { refund: true, withdraw: true, reduce: true },
  check: checkPix,
  prepare: ({ id, amountCents, abatement, discounts }) => {
    const reference = txidOf(id);
    // A PSP puts the amount of the day behind the code; this one has only room for one amount.
    const asked = abatement || discounts ? undefined : amountCents;
    return { reference, instrument: { emv: brCode(asked, reference) } };
  },
  submit: async ({ amountCents }) => bank.submit(amountCents),
  lookup: async ({ amountCents }) => bank.lookup(amountCents),
  cancel: async () => ({ kind: 'withdrawn' }),
  changeDueDay: ({ amountCents }) => bank.changeDueDay(amountCents),
  refund: async request => bank.submitRefund(request),
  lookupRefund: async request => bank.lookupRefund(request),
  watch: watchBy('pix'),
};

const boleto: Rail<'boleto'> = {
  name: 'sandbox',
  method: 'boleto',
  can: { refund: true, withdraw: true, reduce: true },
  check: checkBoleto,
  prepare: ({ id, amountCents, dueDay }: PaymentRequest) => {
    const reference = ourNumberOf(id);
    const freeField = sandboxBank.freeField({}, reference);
    const barcode = boletoBarcode({ bank: sandboxBank.code, dueDay, amountCents, freeField });
    return { reference, instrument: { barcode, digitableLine: digitableLine(barcode) } };
  },
  submit: async ({ amountCents }) => bank.submit(amountCents),
  lookup: async ({ amountCents }) => bank.lookup(amountCents),
  cancel: async () => ({ kind: 'withdrawn' }),
  changeDueDay: ({ amountCents }) => bank.changeDueDay(amountCents),
  refund: async request => bank.submitRefund(request),
  lookupRefund: async request => bank.lookupRefund(request),
  watch: watchBy('boleto'),
};

export const sandboxRails: Rails = { pix, boleto };

/** 25 digits from a UUIDv7: 13 from its time, 12 from its random bits. */
function ourNumberOf(uuid: string): string {
  const bits = uuidToBigInt(uuid);
  const timeMs = bits >> 80n;
  const random = bits & ((1n << 62n) - 1n);
  return String(timeMs).padStart(13, '0').slice(-13) + String(random % 10n ** 12n).padStart(12, '0');
}
