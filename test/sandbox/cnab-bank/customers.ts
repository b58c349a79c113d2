// The customers of the simulated bank, one for each agreement of the tests.
import type { Agreement } from '@trilho/cnab';
import type { Customer } from '../../../src/sandbox/cnab-bank/customer.ts';
import { AGREEMENTS } from '../../packages/cnab/agreements.ts';

export function customerOf(bank: string): Customer {
  return customerWith(AGREEMENTS[bank]!);
}

export function customerWith({ account, holder, ...rest }: Agreement): Customer {
  return { ...rest, ...account, holderDocument: holder.document };
}
