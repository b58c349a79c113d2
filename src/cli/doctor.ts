// trilho doctor: prints what it checked, what is wrong, and how to fix it. It writes nothing but a mark for the replica: a schema
// that is behind is reported, not migrated.
import { existsSync, statfsSync } from 'node:fs';
import { prefixOf } from '../accounts/api-key.ts';
import { type ApiKey, listKeys } from '../accounts/store-keys.ts';
import { readAgreementUses } from '../charges/bank-files/store-agreements.ts';
import { readOldFiles } from '../charges/bank-files/unanswered-files.ts';
import { type RailRecord, readRails } from '../charges/store/rails.ts';
import { readUnreadable } from '../charges/unmatched/store-unreadable.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { systemClock } from '../lib/clock.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { isMigrated } from '../storage/migrate.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { checkAgreements, type KnownOfAgreements } from './check-agreements.ts';
import { checkApprovals } from './check-approvals.ts';
import { checkArchiver } from './check-archiver.ts';
import { checkMail, checkUnsentMails } from './check-mail.ts';
import { checkPayouts } from './check-payouts.ts';
import { checkPrices } from './check-prices.ts';
import { checkRails } from './check-rails.ts';
import { checkReceiverCertificate } from './check-receiver.ts';
import { checkReplica } from './check-replica.ts';
import { checkSecrets } from './check-secrets.ts';
import { type Finding, findingOfCheck, right, warning, wrong } from './finding.ts';
import { openDatabaseOf, type Stops, stopAll } from './open-database.ts';
import { sayDatabase } from './say-database.ts';

const WARN_BEFORE_MS = 14 * DAY_MS;
const WRONG = 1;

const UNKNOWN_KEY =
  'pix key: TRILHO_PIX_KEY has the form of one, but no bank was asked whose it is; pay a charge of one real and look for it';
const TRY_CHARGE = 'try-charge';

/** Exit code 1 when something is wrong, 0 otherwise. Wrong settings end every command earlier, with exit code 2. */
export async function doctorCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { flags, faults } = readArguments(args, { flags: [TRY_CHARGE] });
  refuseFaults('doctor', faults);
  const database = await checkDatabase(config, log);
  const rails = await checkRails(config, log, database.rails, { triesCharge: flags.includes(TRY_CHARGE) });
  const agreements = await checkAgreements(config, log, database);
  const findings = [
    right(`settings: read, mode ${config.mode}`),
    ...database.findings,
    ...checkDisk(config),
    ...checkReceiverCertificate(config).map(check => findingOfCheck('receiver', check)),
    ...[...rails, ...agreements].flatMap(({ name, checks }) => {
      return checks.map(check => findingOfCheck(`rail ${name}`, check));
    }),
    ...(config.pixKey ? [warning(UNKNOWN_KEY)] : []),
    ...(await checkPayouts(config, log)),
    ...(await checkPrices(config, log)),
    ...(await checkMail(config)),
  ];
  for (const { level, message } of findings) console.log(`${level}  ${message}`);
  return findings.some(({ level }) => level === 'wrong') ? WRONG : 0;
}

const GIB = 2 ** 30;
const MIN_FREE_GIB = 1;

/** Of the embedded database; another server has its own disk. */
function checkDisk({ databaseUrl, dataDir }: Config): Finding[] {
  if (databaseUrl !== undefined || !existsSync(dataDir)) return [];
  const { bavail, bsize } = statfsSync(dataDir);
  const free = (bavail * bsize) / GIB;
  const message = `disk: ${free.toFixed(1)} GiB free for the database`;
  return [free < MIN_FREE_GIB ? wrong(`${message}; make room, a full disk stops every write`) : right(message)];
}

type CheckedDatabase = {
  readonly findings: readonly Finding[];
  /** Absent when the keys could not be read. */
  readonly rails?: readonly RailRecord[];
} & KnownOfAgreements;

async function checkDatabase(config: Config, log: Log): Promise<CheckedDatabase> {
  sayDatabase(config);
  const stops: Stops = [];
  try {
    const db = await openDatabaseOf({ config, log }, stops);
    const content = await checkContent(db);
    // Marks are left in a table of the schema.
    const replica = config.replica && content.rails ? [await checkReplica(db, config.replica)] : [];
    const secrets = content.rails ? await checkSecrets(db, config) : [];
    const archiver = await checkArchiver(db, systemClock.now());
    const approvals = content.rails ? await checkApprovals(db, config) : [];
    const findings = [
      right('database: answers'),
      ...content.findings,
      ...secrets,
      ...approvals,
      ...replica,
      ...archiver,
    ];
    return { ...content, findings };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { findings: [wrong(`database: ${error.message}`)] };
  } finally {
    await stopAll(stops);
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
  const ofKeys = ending.length > 0 ? ending : [right(`keys: ${keys.length}, and no key expires soon`)];
  const findings = [right('schema: up to date'), ...ofKeys, clockFinding(row.now)];
  const ofAgreements = { agreements: await readAgreementUses(db), oldFiles: await readOldFiles(db, row.now) };
  const others = [...(await unreadableFindings(db)), ...(await checkUnsentMails(db))];
  return { findings: [...findings, ...others], rails: await readRails(db), ...ofAgreements };
}

function findingOf({ id, accountId, expiresAt }: ApiKey, now: Date): Finding[] {
  if (!expiresAt || expiresAt.getTime() - now.getTime() > WARN_BEFORE_MS) return [];
  const verb = expiresAt <= now ? 'expired' : 'expires';
  return [
    wrong(`key ${prefixOf(id)} of ${accountId}: ${verb} ${expiresAt.toISOString()}; make another, then revoke it`),
  ];
}

const MAX_NAMED = 20;

/** Payments that a bank lists in a form that cannot be read. */
async function unreadableFindings(db: Database): Promise<Finding[]> {
  const found = await readUnreadable(db, MAX_NAMED);
  return found.map(({ rail, reference, words }) => {
    return warning(`rail ${rail}: payment ${reference}: ${words} Look for it at the PSP, then record or dismiss it`);
  });
}

const MAX_CLOCK_OFFSET_MS = 30_000;

/** The service takes its time from the database. */
function clockFinding(databaseNow: Date): Finding {
  const offsetMs = Math.abs(systemClock.now().getTime() - databaseNow.getTime());
  const message = `clock: ${Math.round(offsetMs / 1_000)} s off the database's`;
  return offsetMs > MAX_CLOCK_OFFSET_MS ? wrong(`${message}; set both by NTP`) : right(message);
}
