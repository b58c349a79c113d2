// Keeps listed payments that cannot be read for a person, and asks the bank about them again until they can be read.
import { isOutageOfOthers } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Receipt, UnreadableReceipt } from '../../rails/rail.ts';
import type { WatchedRail } from '../../rails/watched-rails.ts';
import { comparable, findRecorded } from '../store/money.ts';
import { insertUnreadable, markRead, takeDueUnreadable } from '../unmatched/store-unreadable.ts';
import type { ReceiptDeps } from './receipts.ts';

type Deps = ReceiptDeps & { readonly log: Log };

const LOOK_AGAIN_MS = 15 * 60_000;
/** Asked about per poll. */
const MAX_ASKED = 20;

function seenNow({ clock }: ReceiptDeps) {
  const at = clock.now();
  return { at, lookAgainAt: new Date(at.getTime() + LOOK_AGAIN_MS) };
}

/** A payment that a person has recorded needs no further attention; a return of it does. */
export async function keepUnreadable(
  deps: Deps,
  { rail }: WatchedRail,
  receipts: readonly UnreadableReceipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  const payments = receipts.filter(({ about }) => about === 'payment');
  const recorded = await findRecorded(
    deps.db,
    payments.map(({ reference }) => reference),
  );
  const open = receipts.filter(({ about, reference }) => about === 'return' || !recorded.has(comparable(reference)));
  await insertUnreadable(deps.db, rail.name, open, seenNow(deps));
}

/** `take` is called with each payment that can be read now. If the bank's answer is missing or unreadable, it is asked again later. */
export async function readAgain(
  deps: Deps,
  watched: WatchedRail,
  take: (receipt: Receipt) => Promise<void>,
): Promise<void> {
  const due = await takeDueUnreadable(deps.db, watched.rail.name, seenNow(deps), MAX_ASKED);
  for (const { reference, about } of due) {
    try {
      const receipts = [(await watched.watch.receipt(reference)) ?? []].flat();
      const odd = receipts.filter(({ unreadableReturn }) => unreadableReturn !== undefined);
      for (const receipt of receipts) await take(receipt);
      await keepUnreadable(deps, watched, odd.map(returnOf));
      if (receipts.length > 0 && (about === 'payment' || odd.length === 0)) {
        await markRead(deps.db, reference, about, deps.clock.now());
      }
    } catch (error) {
      if (!isOutageOfOthers(error)) throw error;
      deps.log.info('a payment still cannot be read; the bank is asked again', {
        rail: watched.rail.name,
        paymentReference: reference,
        error,
      });
    }
  }
}

function returnOf({ reference, amountCents, unreadableReturn: words = '' }: Receipt): UnreadableReceipt {
  return { reference, about: 'return', words, amountCents };
}
