// Sends payouts that were just opened: signs them, SAVES all, then sends them with the lowest nonce first. What cannot be signed or
// sent now is left to the lookup of the payout, which is due soon and gives its owner the reason.
import type { Chain } from '../../chains/chain.ts';
import type { Clock } from '../../lib/clock.ts';
import { concurrencyLimit } from '../../lib/concurrency-limit.ts';
import type { Log } from '../../lib/log.ts';
import { runInTrace, type Tracing } from '../../lib/tracing.ts';
import type { Database } from '../../storage/database.ts';
import { findTraces } from '../../storage/object-traces.ts';
import type { OwnerRecords } from '../owner.ts';
import { type Payout, transferOf } from '../payout.ts';
import { markSent, type NewAttempt } from '../store/payouts.ts';
import { saveFirst } from './first-signature.ts';
import { logFieldsOf } from './log-change.ts';

type Deps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly payoutOwner: Pick<OwnerRecords, 'logFieldsOf'>;
  readonly tracing?: Tracing | undefined;
};

/** Concurrent sends. They start with the lowest nonce, so that a node sees no gap for long. */
const SENDS_AT_ONCE = 16;

export async function sendOpened(deps: Deps, chain: Chain, payouts: readonly Payout[]): Promise<void> {
  const traces = await findTraces(
    deps,
    payouts.map(({ id }) => id),
  );
  const inTrace = <T>({ id }: Payout, work: () => T) => runInTrace(deps.tracing, traces.get(id), work);
  const signed = await Promise.all(payouts.map(payout => inTrace(payout, () => signFirst(deps, chain, payout))));
  const added = signed.filter(one => one !== undefined);
  if (added.length === 0) return;
  const { saved } = await saveFirst(deps.db, chain.network, added);
  const inTurn = concurrencyLimit(SENDS_AT_ONCE);
  const sentAt = deps.clock.now();
  const sent = added
    .filter(({ payout }) => saved.has(payout.id))
    .map(({ payout, attempt }) => {
      const fields = { ...logFieldsOf(deps.payoutOwner, payout), attempt: 1 };
      deps.log.info('a transfer is signed and saved; it is sent next', fields);
      return inTurn(() => inTrace(payout, () => chain.broadcast(attempt, payout.sender)));
    });
  await Promise.all(sent);
  await markSent(deps.db, [...saved], sentAt);
}

async function signFirst({ clock }: Deps, chain: Chain, payout: Payout): Promise<NewAttempt | undefined> {
  const signed = await chain.sign(transferOf(payout), []);
  if (signed.kind !== 'signed') return undefined;
  const { hash, raw } = signed;
  return { payout, attempt: { number: 1, kind: 'transfer', hash, raw, signedAt: clock.now() } };
}
