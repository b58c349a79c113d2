// A whole service for a test: real HTTP, a database of its own, a clock that the test moves, jobs that run when the test says so.
// In live it has the account acme, and requests use a key of it unless they bring another. Every answer is validated against
// the OpenAPI document of the service.
import assert from 'node:assert/strict';
import pg from 'pg';
import { createKey, revokeKey } from '../../src/accounts/create-key.ts';
import { SCOPES, type Scope } from '../../src/accounts/scopes.ts';
import { openAccount } from '../../src/accounts/store.ts';
import { type App, startApp } from '../../src/app.ts';
import type { Chains } from '../../src/chains/chain.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Log } from '../../src/lib/log.ts';
import type { Mode } from '../../src/lib/mode.ts';
import type { Resolve } from '../../src/lib/outgoing-request.ts';
import type { PriceSource } from '../../src/prices/price.ts';
import type { RailEntry, RailKind } from '../../src/rails/kind.ts';
import type { Rails } from '../../src/rails/rails.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { claimInstallation } from '../../src/storage/installation.ts';
import { type TestClock, testClock } from './clock.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { silentLog } from './log.ts';
import { type Judge, judgeOfApp } from './openapi.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, and parsed as JSON. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer.
  readonly json: any;
};

export type Service = {
  readonly url: string;
  readonly clock: TestClock;
  /** Moves the monotonic time of the heartbeats of loops, which no clock changes. */
  advanceUptimeMs(ms: number): void;
  /** Where banks send notifications, if they may. */
  readonly receiverUrl: string | undefined;
  readonly databaseUrl: string;
  readonly routes: App['routes'];
  /** Opens the account and creates a key, as the command line does. */
  makeKey(accountId: string, scopes?: readonly Scope[]): Promise<{ id: string; text: string }>;
  revokeKey(id: string): Promise<void>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request as it is given. */
  send(path: string, init: RequestInit): Promise<Answer>;
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
  runJobs(): Promise<number>;
  /** Runs due jobs, then removes what is past its retention. */
  prune(): Promise<void>;
  stop(): Promise<void>;
};

const CREDENTIALS = ['authorization', 'x-api-key', 'cookie'];

type Options = {
  readonly mode?: Mode;
  readonly demo?: boolean;
  readonly pageSize?: number;
  readonly rails?: Rails;
  /** Kinds of rails instead of the shipped ones, and entries of `rails` for them. */
  readonly railKinds?: readonly RailKind[];
  readonly railEntries?: readonly RailEntry[];
  readonly chains?: Chains;
  readonly walletWait?: string;
  readonly prices?: PriceSource;
  /** Variables beside those that the other options set. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** The database of another service, to be a second node of it; it is not dropped with this one. */
  readonly beside?: Pick<Service, 'databaseUrl' | 'clock'>;
  readonly now?: string;
  /** How host names of webhooks are resolved. */
  readonly resolve?: Resolve;
  /** How long a reader of a stream may read nothing. */
  readonly streamStallTimeoutMs?: number;
  /** How long a connection may read nothing while data waits to be sent. */
  readonly unreadLimitMs?: number;
  /** How long a move of the sandbox's clock waits for those before it. */
  readonly turnLimitMs?: number;
  /** True: jobs and sweeps run by themselves, as in a real service. */
  readonly work?: boolean;
};

export async function startService(options: Options = {}): Promise<Service> {
  const database = options.beside ? shared(options.beside) : await createDatabase();
  const clock = clockOf(options);
  const settings = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    TRILHO_MODE: options.mode ?? 'sandbox',
    TRILHO_DEMO: options.demo ? 'on' : 'off',
    TRILHO_WALLET_WAIT: options.walletWait,
    TRILHO_PAGE_SIZE: options.pageSize === undefined ? undefined : String(options.pageSize),
    ...options.env,
  });
  const config = options.railEntries ? { ...settings, rails: options.railEntries } : settings;
  let uptimeMs = 0;
  const overrides = {
    clock,
    uptimeMs: () => uptimeMs,
    work: options.work ?? false,
    ...(options.rails && { rails: options.rails }),
    ...(options.railKinds && { railKinds: options.railKinds }),
    ...(options.chains && { chains: options.chains }),
    ...(options.prices && { prices: options.prices }),
    ...(options.resolve && { resolve: options.resolve }),
    ...(options.streamStallTimeoutMs !== undefined && { streamStallTimeoutMs: options.streamStallTimeoutMs }),
    ...(options.unreadLimitMs !== undefined && { unreadLimitMs: options.unreadLimitMs }),
    ...(options.turnLimitMs !== undefined && { turnLimitMs: options.turnLimitMs }),
  };
  const makeKey: Service['makeKey'] = (accountId, scopes = SCOPES) => keyFor(database.url, clock, accountId, scopes);
  const own = options.mode === 'live' && !options.beside ? (await makeKey('acme')).text : undefined;
  const app: App = await startApp(config, options.log ?? silentLog, overrides);
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  let judge: Judge | undefined;
  const send = async (path: string, { headers, ...init }: RequestInit) => {
    const given = new Headers(headers);
    if (own !== undefined && !CREDENTIALS.some(name => given.has(name))) {
      given.set('authorization', `Bearer ${own}`);
    }
    const answer = await toAnswer(await fetch(app.url + path, { ...init, headers: given }));
    // Read inside the process: a request for it would be counted, logged and limited like those of the test.
    judge ??= judgeOfApp(app, config.mode);
    assertDocumented(judge, init.method ?? 'GET', path, answer);
    return answer;
  };
  return {
    url: app.url,
    receiverUrl: app.receiverUrl,
    clock,
    advanceUptimeMs: ms => {
      uptimeMs += ms;
    },
    databaseUrl: database.url,
    routes: app.routes,
    makeKey,
    revokeKey: id => withDatabase(database.url, async db => void (await revokeKey({ db, clock }, id))),
    send,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    sql: async (text, values) => (await pool.query(text, values)).rows,
    runJobs: () => app.runDueJobs(),
    prune: async () => {
      await app.runDueJobs();
      await app.removeOldRows();
    },
    stop: async () => {
      await pool.end();
      await app.stop();
      await database.drop();
    },
  };
}

/** Fails unless the document of the service says that the operation may answer this. */
function assertDocumented(judge: Judge, method: string, path: string, { status, headers, text, json }: Answer): void {
  const contentType = headers.get('content-type') ?? '';
  const fault = judge.faultOfAnswer({ method, path, status, contentType, text, json });
  assert.equal(fault, undefined, `${method} ${path} answered ${status}, which /openapi.json does not allow: ${fault}`);
}

function shared({ databaseUrl }: Pick<Service, 'databaseUrl'>): TestDatabase {
  return { url: databaseUrl, drop: async () => {} };
}

/** Nodes of one service share a clock, unless one is to be ahead. */
function clockOf({ beside, now }: Options): TestClock {
  return beside && now === undefined ? beside.clock : testClock(now ?? '2026-11-16T12:00:00.000Z');
}

/** What `trilho accounts create` and `trilho keys create` do, in a database that may be new. */
function keyFor(url: string, clock: TestClock, accountId: string, scopes: readonly Scope[]) {
  return withDatabase(url, async db => {
    await db.transaction(async tx => {
      await claimInstallation(tx, { mode: 'live', at: clock.now() });
      await openAccount(tx, accountId, clock.now());
    });
    return createKey({ db, clock }, { accountId, scopes, createdBy: 'operator' });
  });
}

async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({ connection: { connectionString: url }, log: silentLog });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}
