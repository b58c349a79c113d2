// trilho doctor: says what is checked and what is wrong, and how to mend it. It changes nothing: a schema that is behind is
// named, not migrated.
import { existsSync, statfsSync } from 'node:fs';
import { prefixOf } from '../accounts/api-key.ts';
import { type ApiKey, listKeys } from '../accounts/store-keys.ts';
import { type RailRecord, readRails } from '../charges/store-rails.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { systemClock } from '../lib/clock.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/postgres.ts';
import { isMigrated } from '../storage/migrate.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { type CheckedRail, checkRails } from './check-rails.ts';
import { sayDatabase } from './say-database.ts';

const WARN_BEFORE_MS = 14 * DAY_MS;
const WRONG = 1;

type Finding = { readonly isRight: boolean; readonly words: string };

const right = (words: string): Finding => ({ isRight: true, words });
const wrong = (words: string): Finding => ({ isRight: false, words });

const TRY_CHARGE = 'try-charge';

/** Exit code 0 when everything is right, 1 otherwise. Wrong settings end every command before, with exit code 2. */
export async function doctorCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { flags, faults } = readArguments(args, { flags: [TRY_CHARGE] });
  refuseFaults('doctor', faults);
  const database = await checkDatabase(config, log);
  const rails = await checkRails(config, log, database.rails, { triesCharge: flags.includes(TRY_CHARGE) });
  const findings = [
    right(`settings: read, mode ${config.mode}`),
    ...database.findings,
    ...checkDisk(config),
    ...rails.flatMap(findingsOfRail),
  ];
  for (const { isRight, words } of findings) console.log(`${isRight ? 'right' : 'wrong'}  ${words}`);
  return findings.every(({ isRight }) => isRight) ? 0 : WRONG;
}

function findingsOfRail({ name: rail, checks }: CheckedRail): Finding[] {
  return checks.map(({ name, ok, detail, mend }) => ({
    isRight: ok,
    words: `rail ${rail}: ${name}: ${detail}${mend === undefined ? '' : ` ${mend}`}`,
  }));
}

const GIB = 2 ** 30;
const MIN_FREE_GIB = 1;

/** Of the embedded database; a server of one's own has its disk elsewhere. */
function checkDisk({ databaseUrl, dataDir }: Config): Finding[] {
  if (databaseUrl !== undefined || !existsSync(dataDir)) return [];
  const { bavail, bsize } = statfsSync(dataDir);
  const free = (bavail * bsize) / GIB;
  const words = `disk: ${free.toFixed(1)} GiB free for the database`;
  return [free < MIN_FREE_GIB ? wrong(`${words}; make room, a full disk stops every write`) : right(words)];
}

type CheckedDatabase = {
  readonly findings: readonly Finding[];
  /** Absent when they could not be read. */
  readonly rails?: readonly RailRecord[];
};

async function checkDatabase(config: Config, log: Log): Promise<CheckedDatabase> {
  const { databaseUrl, dataDir } = config;
  sayDatabase(config);
  const stops: (() => Promise<void>)[] = [];
  try {
    const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined;
    if (embedded) stops.push(() => embedded.stop());
    const connection = embedded?.connection ?? { connectionString: databaseUrl };
    const db = await connect({ connection, log });
    stops.push(() => db.close());
    const { findings, rails } = await checkContent(db);
    return { findings: [right('database: answers'), ...findings], ...(rails && { rails }) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { findings: [wrong(`database: ${error.message}`)] };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function checkContent(db: Database): Promise<CheckedDatabase> {
  const [row] = await db.query<{ isNew: boolean; now: Date }>(
    `select to_regclass('schema_migrations') is null as "isNew", clock_timestamp() as now`,
  );
  if (!row || row.isNew || !(await isMigrated(db))) {
    return { findings: [wrong('schema: lacks a migration; start the service or run trilho migrate')] };
  }
  const keys = (await listKeys(db)).filter(({ revokedAt }) => !revokedAt);
  const ending = keys.flatMap(key => findingOf(key, row.now));
  const ofKeys = ending.length > 0 ? ending : [right(`keys: none of ${keys.length} ends soon`)];
  return { findings: [right('schema: up to date'), ...ofKeys, clockFinding(row.now)], rails: await readRails(db) };
}

function findingOf({ id, accountId, expiresAt }: ApiKey, now: Date): Finding[] {
  if (!expiresAt || expiresAt.getTime() - now.getTime() > WARN_BEFORE_MS) return [];
  const verb = expiresAt <= now ? 'expired' : 'expires';
  return [
    wrong(`key ${prefixOf(id)} of ${accountId}: ${verb} ${expiresAt.toISOString()}; make another, then revoke it`),
  ];
}

const MAX_CLOCK_OFFSET_MS = 30_000;

/** The time of the database is that of the service. */
function clockFinding(databaseNow: Date): Finding {
  const offsetMs = Math.abs(systemClock.now().getTime() - databaseNow.getTime());
  const words = `clock: ${Math.round(offsetMs / 1_000)} s off the database's`;
  return offsetMs > MAX_CLOCK_OFFSET_MS ? wrong(`${words}; set both by NTP`) : right(words);
}
