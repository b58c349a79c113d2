// How an unmatched receipt is shown.
import type { StoredReceipt } from './store.ts';

export function unmatchedView({ amountCents, returnedCents, postedAt, decidedAt, ...rest }: StoredReceipt) {
  return {
    ...rest,
    amountCents: Number(amountCents),
    ...(returnedCents !== undefined && { returnedCents: Number(returnedCents) }),
    postedAt: postedAt.toISOString(),
    ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
  };
}
