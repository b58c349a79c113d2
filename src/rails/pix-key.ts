// The static pix key rail: a BR Code of a key the receiver has at any bank. It registers nothing and hears nothing: an
// operator or an imported statement tells of money, and money goes back by hand.

import { MAX_PIX_CENTS, type Receiver, staticBrCodes, txidOf } from './br-code.ts';
import type { Rail } from './rail.ts';

export function pixKeyRail(receiver: Receiver): Rail<'pix'> {
  const brCode = staticBrCodes(receiver);
  return {
    name: 'pix-key',
    method: 'pix',
    // A static code can be paid for ever, and money goes back in the app of the bank.
    can: { refund: false, withdraw: false },
    limits: { maxAmountCents: MAX_PIX_CENTS },
    check: () => undefined,
    prepare: ({ id, amountCents }) => {
      const txid = txidOf(id);
      return { txid, emv: brCode(amountCents, txid) };
    },
    // It can be paid from the moment it is made: nobody is asked.
    submit: async () => ({ kind: 'registered' }),
    lookup: async () => ({ kind: 'registered' }),
    cancel: async () => ({ kind: 'rejected', reason: 'A static code cannot be withdrawn.' }),
    refund: async () => ({ kind: 'rejected', reason: 'A static pix key cannot send money back.' }),
    lookupRefund: async () => ({ kind: 'absent' }),
    reconcileAfter: () => undefined,
    reconcile: async () => [],
  };
}
