// A customer with what it owes and has paid, summed over its charges.
import { balanceView } from '../../charges/balance.ts';
import { chargesOf } from '../../charges/store/of-customer.ts';
import { readChargeSums } from '../../charges/store/sums.ts';
import type { Sql } from '../../storage/database.ts';
import { whoseCharges } from './charges-of.ts';
import type { Customer } from './customer.ts';
import { customerView } from './view.ts';

export async function showCustomer({ db }: { readonly db: Sql }, customer: Customer) {
  const sums = await readChargeSums(db, parameter => chargesOf(whoseCharges(customer), parameter));
  return { ...customerView(customer), balance: balanceView(sums) };
}
