// A customer with what it owes and has paid, summed over its charges.
import { type CountedSum, readCustomerSums } from '../../charges/store/of-customer.ts';
import type { Sql } from '../../storage/database.ts';
import { whoseCharges } from './charges-of.ts';
import type { Customer } from './customer.ts';
import { customerView } from './view.ts';

export async function showCustomer({ db }: { readonly db: Sql }, customer: Customer) {
  const { open, overdue, missing, paid, refunded } = await readCustomerSums(db, whoseCharges(customer));
  const balance = {
    open: sumView(open),
    overdue: sumView(overdue),
    missing: sumView(missing),
    paid: sumView(paid),
    refunded: sumView(refunded),
  };
  return { ...customerView(customer), balance };
}

function sumView({ count, amountCents }: CountedSum) {
  return { count, amountCents: Number(amountCents) };
}
