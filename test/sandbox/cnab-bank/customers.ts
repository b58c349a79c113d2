// The customers of the simulated bank: those of the agreements by which the tests write.
import type { Customer } from '../../../src/sandbox/cnab-bank/customer.ts';
import { AGREEMENTS } from '../../packages/cnab/agreements.ts';

export function customerOf(bank: string): Customer {
  const { account, holder, ...rest } = AGREEMENTS[bank]!;
  return { ...rest, ...account, bank, holderDocument: holder.document };
}
