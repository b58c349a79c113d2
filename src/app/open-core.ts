// What every noun may use: the composition of the mode with its calls counted, the queue, the replica, secrets and traces.
import { Registry } from 'prom-client';
import { guardedChains } from '../chains/guarded.ts';
import { observedChains } from '../chains/observed.ts';
import { rememberingChains } from '../chains/remembered.ts';
import { openLinks } from '../charges/links/links.ts';
import { LINK_SECRETS } from '../charges/store/links.ts';
import type { Config } from '../config/config.ts';
import { openCursors } from '../events/cursor.ts';
import { createObservers } from '../http/server/observers.ts';
import { startQueue } from '../jobs/queue.ts';
import type { Log } from '../lib/log.ts';
import { startTracing } from '../lib/opentelemetry.ts';
import { slowStep } from '../lib/slow-step.ts';
import { version } from '../lib/version.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS, SECRET_STORES } from '../nouns.ts';
import { observedRails } from '../rails/observed.ts';
import type { Database } from '../storage/database.ts';
import { noReplica, startReplica } from '../storage/replica.ts';
import { NO_MASTER_KEY, NOT_RESEALED, requireMasterKeys, sealPlain, sealsSecrets } from '../storage/sealed-secrets.ts';
import { secretBox as openSecretBox, type SecretBox } from '../storage/secret-box.ts';
import type { Composition } from './composition.ts';
import type { Storage } from './open-storage.ts';
import type { Stops } from './stops.ts';

type Deps = Storage & {
  readonly log: Log;
  readonly stops: Stops;
  /** Where people reach the service; known once it listens. */
  publicUrl(): string;
};

export async function openCore(config: Config, composed: Omit<Composition, 'routes'>, deps: Deps) {
  const { db, log, stops, heartbeats, publicUrl } = deps;
  const secretBox = await openSecrets(config, db, log);
  const registry = new Registry();
  const observers = createObservers(registry);
  const tracing =
    config.tracing && (await startTracing({ log, version, mode: config.mode, ...observers }, config.tracing));
  // Stopped after everything that makes spans.
  if (tracing) stops.add(() => tracing.stop());
  const readDeps = { db, log, heartbeats, ...observers };
  const replica = config.replica ? await startReplica(readDeps, config.replica) : noReplica({ db });
  stops.add(() => replica.stop());
  const { clock, beforeWork } = composed;
  const observed = observedChains(composed.chains, observers.observeChainCall);
  const queue = await slowStep(log, 'preparing the job queue', () =>
    startQueue({ db, log, heartbeats, tracing, kinds: ALL_JOBS, beforeWork }),
  );
  const cursors = await openCursors(db);
  const links = await openLinks(db, publicUrl, secretBox);
  return {
    ...composed,
    ...observers,
    rails: observedRails(composed.rails, observers.observeRailCall),
    chains: rememberingChains(guardedChains(observed, clock), clock),
    mode: config.mode,
    version,
    pageSize: config.pageSize,
    disputeDays: config.disputeDays,
    db,
    log,
    heartbeats,
    machineClock: deps.machineClock,
    databaseClock: deps.databaseClock,
    publicUrl,
    secretBox,
    registry,
    tracing,
    replica,
    queue,
    cursors,
    links,
    chargeFollowers: CHARGE_FOLLOWERS,
  };
}

async function openSecrets(config: Config, db: Database, log: Log): Promise<SecretBox> {
  const secretBox = openSecretBox(config.masterKeys);
  await requireMasterKeys(db, SECRET_STORES, secretBox);
  // A migration creates it.
  const isSealing = await sealsSecrets(db);
  if (isSealing) await sealPlain(db, LINK_SECRETS, secretBox);
  if (config.mode === 'live' && secretBox.keyId === undefined) log.warn(NO_MASTER_KEY);
  if (secretBox.keyId !== undefined && !isSealing) log.warn(NOT_RESEALED);
  return secretBox;
}
