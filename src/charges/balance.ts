// What is owed and was paid of several charges, as the API shows it. Its schema is `Balance` in api/.
import type { ChargeSums, CountedSum } from './store/sums.ts';

export function balanceView({ open, overdue, missing, paid, refunded }: ChargeSums) {
  return {
    open: sumView(open),
    overdue: sumView(overdue),
    missing: sumView(missing),
    paid: sumView(paid),
    refunded: sumView(refunded),
  };
}

function sumView({ count, amountCents }: CountedSum) {
  return { count, amountCents: Number(amountCents) };
}
