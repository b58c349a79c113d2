// How an unmatched receipt is shown.
import type { StoredReceipt } from './store-unmatched.ts';

export function unmatchedView({ amountCents, postedAt, decidedAt, ...rest }: StoredReceipt) {
  return {
    ...rest,
    amountCents: Number(amountCents),
    postedAt: postedAt.toISOString(),
    ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
  };
}
