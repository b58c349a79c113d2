// The static pix key rail: a BR Code with a pix key of the receiver, at any bank. It has no connection to the bank: payments are recorded
// by an operator or an imported statement, and refunds are made by hand.
import { checkPix, type Receiver, staticBrCodes, txidOf } from '../br-code.ts';
import type { Rail } from '../rail.ts';

/** The name of the rail in charges. */
export const PIX_KEY_RAIL = 'pix-key';

/** Whether the codes of a rail ask for the same amount every day, under any rail name. */
export function isStaticKey(rail: string): boolean {
  return rail === PIX_KEY_RAIL;
}

/** A static code stays payable for ever, and refunds are made in the app of the bank. */
export const STATIC_KEY_CAN = { refund: false, withdraw: false, reduce: false };

export function pixKeyRail(receiver: Receiver): Rail<'pix'> {
  const brCode = staticBrCodes(receiver);
  return {
    name: PIX_KEY_RAIL,
    method: 'pix',
    can: STATIC_KEY_CAN,
    check: checkPix,
    prepare: ({ id, amountCents }) => {
      const reference = txidOf(id);
      return { reference, instrument: { emv: brCode(amountCents, reference) } };
    },
    // A static code is payable without registration.
    submit: async () => ({ kind: 'registered' }),
    lookup: async () => ({ kind: 'registered' }),
    cancel: async () => ({ kind: 'too_late' }),
    // A static code carries no due day.
    changeDueDay: () => ({ kind: 'changed' }),
    refund: async () => ({ kind: 'rejected', reason: 'A static pix key cannot refund.' }),
    lookupRefund: async () => ({ kind: 'absent' }),
  };
}
