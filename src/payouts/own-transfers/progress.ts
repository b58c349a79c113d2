// Posts changes of cold sweeps and top-ups to the ledger. A failed sweep is not sent again automatically: an operator sees it in the
// list and in the log.
import {
  coldSweepEntry,
  coldSweepUndoneEntry,
  feeCorrectionEntry,
  networkFeeEntry,
  topUpEntry,
  topUpUndoneEntry,
} from '../../ledger/entries.ts';
import type { Entry } from '../../ledger/entry.ts';
import { postEntries } from '../../ledger/store.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import type { ApplyChanges, PayoutChange } from '../owner.ts';
import { type Payout, sentUnits } from '../payout.ts';
import { lockPayouts } from '../store/cold-sweeps.ts';

/** Locks the payouts. They have no owner that could change in the meantime. */
export async function lockOwnTransfers(tx: Sql, payouts: readonly Payout[]): Promise<ApplyChanges> {
  await lockPayouts(tx, payouts);
  return async (changes, at) => {
    await postEntries(
      tx,
      changes.flatMap(change => entriesOf(change, at)),
    );
  };
}

function entriesOf({ before, after }: PayoutChange, at: Date): Entry[] {
  const { accountId, symbol, network, isTopUp } = after;
  const [sent, undone] = isTopUp ? [topUpEntry, topUpUndoneEntry] : [coldSweepEntry, coldSweepUndoneEntry];
  const entry = (units: bigint) => ({ id: uuidV7(at), accountId, at, payoutId: after.id, symbol, network, units });
  const [hadLeft, hasLeft] = [sentUnits(before), sentUnits(after)];
  const [posted, fee] = [before.feeUnits ?? 0n, after.feeUnits ?? 0n];
  return [
    ...(hadLeft === 0n && hasLeft > 0n ? [sent(entry(hasLeft))] : []),
    ...(hadLeft > 0n && hadLeft !== hasLeft ? [undone(entry(hadLeft - hasLeft))] : []),
    ...(posted === 0n && fee > 0n ? [networkFeeEntry(entry(fee))] : []),
    ...(posted > 0n && posted !== fee ? [feeCorrectionEntry(entry(fee - posted))] : []),
  ];
}
