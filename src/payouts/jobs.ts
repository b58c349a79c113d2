// The jobs of payouts: one queue for each network, so that a network that does not answer does not slow the others. In their own
// file, because the code that enqueues them must not import their handlers.
import { NETWORKS, type Network } from '../chains/asset.ts';
import { defineJob, type JobKind } from '../jobs/job.ts';

export type PayoutId = { readonly accountId: string; readonly payoutId: string };

/** Signs, saves, sends and looks up one payout. */
export const ADVANCE = perNetwork<PayoutId>('payout.advance');

/** Lets payouts in the line of a network take slots. The name stays, since jobs with it may be in a queue. */
export const CLAIM = perNetwork<{ readonly network: Network }>('order.claim');

/** The kinds of one job, one for each network. */
function perNetwork<Payload extends object>(name: string): Readonly<Record<Network, JobKind<Payload>>> {
  return Object.fromEntries(NETWORKS.map(network => [network, defineJob<Payload>(`${name}.${network}`)])) as Record<
    Network,
    JobKind<Payload>
  >;
}

export const PAYOUT_JOBS: readonly JobKind<object>[] = [...Object.values(ADVANCE), ...Object.values(CLAIM)];
