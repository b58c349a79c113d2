// What differs between live and sandbox; everything else is the same.
import type { FastifyInstance } from 'fastify';
import type { AccountPolicy } from '../accounts/require.ts';
import type { Chains } from '../chains/chain.ts';
import type { ChargeRules } from '../charges/create/check.ts';
import type { RateSource } from '../charges/rate.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PriceSource } from '../prices/price.ts';
import type { Rails } from '../rails/rails.ts';
import type { SandboxRouteDeps } from '../sandbox/routes/routes.ts';
import type { Database } from '../storage/database.ts';
import type { Overrides } from './overrides.ts';
import type { Stops } from './stops.ts';

export type Composition = {
  readonly clock: Clock;
  /** Runs before each request, batch of jobs and iteration of a loop. */
  readonly beforeWork?: () => Promise<void>;
  readonly rails: Rails;
  readonly chains: Chains;
  readonly prices: PriceSource;
  readonly rates: RateSource;
  readonly accounts: AccountPolicy;
  readonly chargeRules: ChargeRules;
  readonly requiresKeys: boolean;
  /** Whether webhooks may be on this machine and use plain http. */
  readonly allowsLocal: boolean;
  /** Routes besides those of the API. */
  routes?(
    server: FastifyInstance,
    deps: Omit<SandboxRouteDeps, 'clock' | 'chainStore' | 'testNetworks' | 'customers'>,
  ): void;
};

type ComposeDeps = {
  readonly db: Database;
  readonly log: Log;
  /** The time of the database's machine, which all nodes share. */
  readonly databaseClock: Clock;
  /** The chains of the settings. */
  readonly opened: Chains;
  readonly overrides: Overrides;
  readonly stops: Stops;
};

export type Compose = (config: Config, deps: ComposeDeps) => Promise<Composition>;
