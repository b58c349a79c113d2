// trilho doctor: says what is checked and what is wrong. It changes nothing: a schema that is behind is named, not migrated.
import { prefixOf } from '../accounts/api-key.ts';
import { type ApiKey, listKeys } from '../accounts/store-keys.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/postgres.ts';
import { isMigrated } from '../storage/migrate.ts';
import { sayDatabase } from './say-database.ts';

const WARN_BEFORE_MS = 14 * DAY_MS;
const WRONG = 1;

type Finding = { readonly isRight: boolean; readonly words: string };

const right = (words: string): Finding => ({ isRight: true, words });
const wrong = (words: string): Finding => ({ isRight: false, words });

/** Exit code 0 when everything is right, 1 otherwise. Wrong settings end every command before, with exit code 2. */
export async function doctorCommand(config: Config, log: Log): Promise<number> {
  const findings = [right(`settings: read, mode ${config.mode}`), ...(await checkDatabase(config, log))];
  for (const { isRight, words } of findings) console.log(`${isRight ? 'right' : 'wrong'}  ${words}`);
  return findings.every(({ isRight }) => isRight) ? 0 : WRONG;
}

async function checkDatabase(config: Config, log: Log): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  sayDatabase(config);
  const stops: (() => Promise<void>)[] = [];
  try {
    const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined;
    if (embedded) stops.push(() => embedded.stop());
    const connection = embedded?.connection ?? { connectionString: databaseUrl };
    const db = await connect({ connection, log });
    stops.push(() => db.close());
    return [right('database: answers'), ...(await checkContent(db))];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [wrong(`database: ${error.message}`)];
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function checkContent(db: Database): Promise<Finding[]> {
  const [row] = await db.query<{ isNew: boolean; now: Date }>(
    `select to_regclass('schema_migrations') is null as "isNew", clock_timestamp() as now`,
  );
  if (!row || row.isNew || !(await isMigrated(db))) {
    return [wrong('schema: lacks a migration; start the service or run trilho migrate')];
  }
  const keys = (await listKeys(db)).filter(({ revokedAt }) => !revokedAt);
  const ending = keys.flatMap(key => findingOf(key, row.now));
  return [
    right('schema: up to date'),
    ...(ending.length > 0 ? ending : [right(`keys: none of ${keys.length} ends soon`)]),
  ];
}

function findingOf({ id, accountId, expiresAt }: ApiKey, now: Date): Finding[] {
  if (!expiresAt || expiresAt.getTime() - now.getTime() > WARN_BEFORE_MS) return [];
  const verb = expiresAt <= now ? 'expired' : 'expires';
  return [
    wrong(`key ${prefixOf(id)} of ${accountId}: ${verb} ${expiresAt.toISOString()}; make another, then revoke it`),
  ];
}
