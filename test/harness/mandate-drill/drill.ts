// Mandates through all journeys at a simulated PSP that loses, repeats and reorders, on two nodes of a live service that are killed while
// the clock of all is moved. Subscriptions have the charge of each cycle collected; what no collection brings their payers pay by its code.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type Psp, startPsp } from '@trilho/psp';
import { createKey } from '../../../src/accounts/create-key.ts';
import { SCOPES } from '../../../src/accounts/scopes.ts';
import { openAccount } from '../../../src/accounts/store.ts';
import { compareDay } from '../../../src/charges/reconcile/compare-day.ts';
import { hasNoJobs } from '../../../src/jobs/queue.ts';
import { addDays, civilDay, DAY_MS } from '../../../src/lib/civil-days.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../../src/nouns.ts';
import { absentRail } from '../../../src/rails/absent.ts';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import { findWatchedRail } from '../../../src/rails/watched-rails.ts';
import type { Database } from '../../../src/storage/database.ts';
import { claimInstallation } from '../../../src/storage/installation.ts';
import { silentLog } from '../log.ts';
import { lossesOf, setLosses } from '../lossy-psp.ts';
import { AUTOMATIC } from '../mandates-at-psp.ts';
import { freePort } from '../process.ts';
import { RAIL, railSettings, registerWebhookAt } from '../psp.ts';
import { randomOf } from '../random.ts';
import { ACTS, type ActCounts, act, payWhatIsOpen } from './acts.ts';
import { type Call, callerOf } from './call.ts';
import { foundTwice, makeTwice } from './control.ts';
import { startNodes } from './nodes.ts';
import { type Made, makePayer, type Payer, payerOf } from './payers.ts';
import { type MandateProof, proveMandates } from './proof.ts';

type Options = {
  readonly db: Database;
  /** Of a migrated database in which no service has started. */
  readonly databaseUrl: string;
  /** A folder for the nodes. */
  readonly folder: string;
  readonly mandates: number;
  /** Of cycles by the week; by the month there are as many as fit. */
  readonly weeks: number;
  readonly kills: number;
  readonly seed: number;
  /** More to be checked at the end: what is wrong. */
  check?(env: Readonly<Record<string, string>>): Promise<readonly string[]>;
  onDay?(day: number): void;
};

export type MandateDrill = MandateProof & {
  readonly kills: number;
  readonly notifications: number;
  /** How often each fault of the PSP hit, and each act was done. */
  readonly losses: Readonly<Record<string, number>>;
  readonly acts: Readonly<Record<string, number>>;
  /** In which journey the payers approved. */
  readonly approvedBy: readonly number[];
  readonly fallbacks: number;
  /** What the proof finds of a charge, a collection and a payment that are made twice at the very end. */
  readonly control: readonly string[];
};

/** In the past, so that commands of the service find all of it before their own time. */
const BEGIN = new Date('2026-08-03T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How far the clock is moved at once. */
const STEPS_MS = [4 * MINUTE_MS, 5 * HOUR_MS, 9 * HOUR_MS, 12 * HOUR_MS] as const;
/** The steps at the beginning in which all mandates are made. */
const MAKING_STEPS = 6;
const FIRST_DUE_DAYS = 12;
const LAST_RETRY_DAYS = 9;
const MONTH_WEEKS = 4.5;
const RETRY_MS = [300, 1_000];
/** Within this time after a move a node is killed. */
const KILL_WITHIN_MS = 900;
/** After a kill its jobs wait for another node, and the clock goes on meanwhile. */
const QUIET_AFTER_KILL_MS = 4_000;
const QUIET_LIMIT_MS = 10 * MINUTE_MS;
const LOOK_AGAIN_MS = 100;

export async function runMandates(options: Options): Promise<MandateDrill> {
  const { db, weeks, kills, seed, mandates, onDay } = options;
  const random = randomOf(seed, 0);
  let offsetMs = BEGIN.getTime() - Date.now();
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const psp = await startPsp({ seed, clock, webhooks: { retryMs: RETRY_MS } });
  const { envs, apiKey } = await prepare(options, psp);
  const nodes = await startNodes(envs, offsetMs);
  try {
    await registerWebhooks(db, psp, envs[0]!, clock);
    const call = callerOf(() => random.pick(nodes.urls()), apiKey);
    const cycles = { weekly: weeks, monthly: 1 + Math.floor((weeks - 1) / MONTH_WEEKS) };
    const plans = {
      weekly: await makePlan(call, 'weekly', cycles.weekly),
      monthly: await makePlan(call, 'monthly', cycles.monthly),
    };
    const payers = Array.from({ length: mandates }, (_, index) => payerOf(seed, index));
    const counts: ActCounts = new Map(ACTS.map(each => [each, 0]));
    const ofRef = new Map(payers.map(payer => [String(payer.index), payer]));
    const actors = { db, psp, call, random, counts, payers: ofRef, recovers: new Map() };
    const made: Made[] = [];
    setLosses(psp);

    const days = FIRST_DUE_DAYS + 7 * (weeks - 1) + LAST_RETRY_DAYS;
    const end = new Date(BEGIN.getTime() + days * DAY_MS);
    let [killed, day] = [0, 0];
    for (let step = 0; clock.now() < end; step++) {
      made.push(...(await makeSome(payers.slice(...shareOf(step, mandates)), call, plans, clock.now())));
      await act(actors, clock.now());
      offsetMs += random.pick(STEPS_MS);
      await nodes.move(offsetMs);
      const share = (clock.now().getTime() - BEGIN.getTime()) / (end.getTime() - BEGIN.getTime());
      const isKilled = killed < Math.min(kills, Math.floor(share * (kills + 1)));
      if (isKilled) {
        await wait(random.below(KILL_WITHIN_MS));
        await nodes.replace(random.below(envs.length), offsetMs);
        killed++;
      }
      await quiet(db, psp, clock.now(), isKilled ? QUIET_AFTER_KILL_MS : QUIET_LIMIT_MS);
      while (day < Math.floor(share * days)) {
        day++;
        onDay?.(day);
      }
    }

    const losses = lossesOf(psp);
    psp.clearFaults();
    const rest = async (ms: number) => {
      offsetMs += ms;
      await nodes.move(offsetMs);
      assert.ok(await quiet(db, psp, clock.now(), QUIET_LIMIT_MS), 'the nodes do not come to rest');
    };
    // Each mandate is looked at once a day, and what was missed is looked for.
    for (let times = 0; times < 4; times++) await rest(9 * HOUR_MS);
    const stranded = await strandedCycles(db);
    const unpayable = await payWhatIsOpen(actors, 1);
    for (let times = 0; times < 3; times++) await rest(20 * MINUTE_MS);
    await nodes.kill();
    const proof = await proveMandates(db, psp, made, cycles);
    const [{ fallbacks }] = (await db.query<{ fallbacks: number }>(
      'select count(*)::int as fallbacks from subscription_cycles where fallback_reason is not null',
    )) as [{ fallbacks: number }];
    const approved = await db.query<{ approved_by: number; times: number }>(
      'select approved_by, count(*)::int as times from mandates where approved_by is not null group by approved_by',
    );
    const checked = [...(await comparedDays(db, psp, clock)), ...((await options.check?.(envs[0]!)) ?? [])];
    await makeTwice(db, psp, clock);
    return {
      ...proof,
      wrong: [...proof.wrong, ...stranded, ...unpayable, ...checked],
      control: foundTwice((await proveMandates(db, psp, made, cycles)).doubled),
      ...{ kills: killed, losses, fallbacks, acts: Object.fromEntries(counts) },
      approvedBy: [1, 2, 3, 4].map(way => approved.find(row => row.approved_by === way)?.times ?? 0),
      notifications: psp.notifications().length,
    };
  } finally {
    await nodes.kill();
    await psp.stop();
  }
}

/** A key of the account, and the settings of two nodes, of which the first is notified. */
async function prepare({ db, databaseUrl, folder }: Options, psp: Psp) {
  const clock = { now: () => BEGIN };
  await db.transaction(async tx => {
    await claimInstallation(tx, { mode: 'live', at: BEGIN });
    await openAccount(tx, 'acme', BEGIN);
  });
  const { text } = await createKey({ db, clock }, { accountId: 'acme', scopes: SCOPES, createdBy: 'operator' });
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  const envFor = (port: number) => ({
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TRILHO_DATA_DIR: `${folder}/data`,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    TRILHO_MODE: 'live',
    TRILHO_RATE_LIMIT: '0',
    TRILHO_RAILS: JSON.stringify([railSettings(psp, { automatic: AUTOMATIC })]),
    TRILHO_RECEIVER: JSON.stringify({ port, certificateFile, privateKeyFile }),
  });
  return { envs: [envFor(await freePort()), envFor(await freePort())], apiKey: text };
}

async function registerWebhooks(
  db: Database,
  psp: Psp,
  env: { readonly TRILHO_RECEIVER: string },
  clock: Clock,
): Promise<void> {
  const [row] = await db.query<{ path_token: string }>('select path_token from rails where name = $1', [RAIL]);
  const { port } = JSON.parse(env.TRILHO_RECEIVER) as { port: number };
  await registerWebhookAt(psp, `https://localhost:${port}/${row!.path_token}`, clock, { automatic: AUTOMATIC });
}

async function makePlan(call: Call, interval: Payer['interval'], cycles: number): Promise<string> {
  const terms = {
    name: interval,
    amountCents: 9_900,
    interval,
    cycles,
    methods: ['pix'],
    daysAhead: 5,
    automatic: true,
  };
  return (await call('POST', '/plans', { accountId: 'acme', ...terms }, `plan ${interval}`)).id;
}

/** The payers that are made in a step: from which to which. */
function shareOf(step: number, count: number): [number, number] {
  const upTo = (steps: number) => Math.ceil((count * Math.min(steps, MAKING_STEPS)) / MAKING_STEPS);
  return [upTo(step), upTo(step + 1)];
}

function makeSome(payers: readonly Payer[], call: Call, plans: Record<Payer['interval'], string>, now: Date) {
  return Promise.all(payers.map(payer => makePayer(call, payer, plans[payer.interval], now)));
}

/** Waits until the nodes have done what is due; false when the time is over. */
async function quiet(db: Database, psp: Psp, now: Date, limitMs: number): Promise<boolean> {
  const names = ALL_JOBS.map(({ name }) => name);
  const limit = performance.now() + limitMs;
  for (let calm = 0; performance.now() < limit; ) {
    await psp.settled();
    const [row] = await db.query<{ is_due: boolean }>(
      `select exists (select from mandates where next_look_at <= $1)
           or exists (select from mandate_collections where next_look_at <= $1)
           or exists (select from subscriptions where next_at <= $1) as is_due`,
      [now],
    );
    calm = !row!.is_due && (await hasNoJobs(db, names)) ? calm + 1 : 0;
    // A second look: a job may have been enqueued between the two questions.
    if (calm === 2) return true;
    await wait(LOOK_AGAIN_MS);
  }
  return false;
}

/** Cycles that are neither paid nor left to their customers. */
async function strandedCycles(db: Database): Promise<string[]> {
  const rows = await db.query<{ text: string }>(
    `select subscription_id || ' ' || number || ' is ' || status || ' and no customer was asked for it' as text
       from subscription_cycles where charge_id is not null and status <> 'paid' and fallback_reason is null`,
  );
  return rows.map(({ text }) => text);
}

/** What `trilho reconcile` would find on any of the days. */
async function comparedDays(db: Database, psp: Psp, clock: Clock): Promise<string[]> {
  const rail = bacenRail(railSettings(psp, { automatic: AUTOMATIC }), { clock, log: silentLog });
  const watched = findWatchedRail({ pix: rail, boleto: absentRail('boleto') }, rail.name)!;
  const found: string[] = [];
  for (let day = civilDay(BEGIN); day <= civilDay(clock.now()); day = addDays(day, 1)) {
    const { differences, unreadable } = await compareDay(
      { db, clock, chargeFollowers: CHARGE_FOLLOWERS },
      watched,
      day,
    );
    found.push(...differences.map(({ kind, reference }) => `${day}: ${reference} is ${kind}`));
    if (unreadable > 0) found.push(`${day}: ${unreadable} cannot be read`);
  }
  rail.stop();
  return found;
}
