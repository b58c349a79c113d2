// How an unmatched receipt is shown.
import type { ListedReceipt } from './store.ts';
import type { StoredUnreadable } from './store-unreadable.ts';

export function unmatchedView({ amountCents, returnedCents, postedAt, decidedAt, ...rest }: ListedReceipt) {
  return {
    ...rest,
    ...(amountCents !== undefined && { amountCents: Number(amountCents) }),
    ...(returnedCents !== undefined && { returnedCents: Number(returnedCents) }),
    postedAt: postedAt.toISOString(),
    ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
  };
}

export function unreadableView({ reference, words, amountCents, seenAt, dismissedAt }: StoredUnreadable) {
  return unmatchedView({
    reference,
    postedAt: seenAt,
    words,
    reason: 'unreadable',
    ...(amountCents !== undefined && { amountCents }),
    ...(dismissedAt && { decidedAt: dismissedAt }),
  });
}
