// The account policy of a sandbox: an account is created when it is first named, and all callers share idempotency keys.
import type { AccountPolicy } from '../accounts/require.ts';
import { openAccounts } from '../accounts/store.ts';

export const sandboxAccounts: AccountPolicy = {
  usable: async (tx, named) => {
    await openAccounts(tx, named);
    return new Set(named.map(({ id }) => id));
  },
  keyScopeOf: () => 'sandbox',
};
