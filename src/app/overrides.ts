// What a test or a benchmark replaces.
import type { Chains } from '../chains/chain.ts';
import type { Clock } from '../lib/clock.ts';
import type { Resolve } from '../lib/outgoing-request.ts';
import type { PriceSource } from '../prices/price.ts';
import type { RailKind } from '../rails/kind.ts';
import type { Rails } from '../rails/rails.ts';

export type Overrides = {
  readonly clock?: Clock;
  /** The clock of the heartbeats of loops. */
  readonly uptimeMs?: () => number;
  readonly rails?: Rails;
  /** The kinds of rails that the settings may name. */
  readonly railKinds?: readonly RailKind[];
  readonly chains?: Chains;
  readonly prices?: PriceSource;
  /** How names of webhooks are looked up; by DNS when absent. */
  readonly resolve?: Resolve;
  /** How long a reader of a stream may read nothing. */
  readonly streamStallTimeoutMs?: number;
  /** How long a connection may read nothing of its pending output. */
  readonly unreadLimitMs?: number;
  /** How long a move of the sandbox clock waits for earlier moves. */
  readonly turnLimitMs?: number;
  /** False: jobs wait for `runDueJobs`. */
  readonly work?: boolean;
};
