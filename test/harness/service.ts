// A whole service for a test: real HTTP, a database of its own, a clock that the test moves, jobs that run when told to.
import pg from 'pg';
import { type App, startApp } from '../../src/app.ts';
import type { Chains } from '../../src/chains/chain.ts';
import { readConfig } from '../../src/config.ts';
import type { Log } from '../../src/lib/log.ts';
import type { Mode } from '../../src/lib/mode.ts';
import type { PriceSource } from '../../src/prices/price.ts';
import type { Rails } from '../../src/rails/rail.ts';
import { type TestClock, testClock } from './clock.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { silentLog } from './log.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came, and as JSON reads it. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  readonly json: any;
};

export type Service = {
  readonly url: string;
  readonly clock: TestClock;
  readonly databaseUrl: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request as it is given. */
  send(path: string, init: RequestInit): Promise<Answer>;
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>;
  runJobs(): Promise<number>;
  stop(): Promise<void>;
};

type Options = {
  readonly mode?: Mode;
  readonly demo?: boolean;
  readonly pageSize?: number;
  readonly rails?: Rails;
  readonly chains?: Chains;
  readonly walletWait?: string;
  readonly prices?: PriceSource;
  /** Variables beside those that the other options set. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  readonly now?: string;
  /** True: jobs and sweeps run by themselves, as in a real service. */
  readonly work?: boolean;
  /** A service whose database this one shares, as a further node; it is stopped after this one. */
  readonly beside?: Service;
};

export async function startService(options: Options = {}): Promise<Service> {
  const database = options.beside ? shared(options.beside) : await createDatabase();
  const clock = testClock(options.now ?? '2026-11-16T12:00:00.000Z');
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    TRILHO_MODE: options.mode ?? 'sandbox',
    TRILHO_DEMO: options.demo ? 'on' : 'off',
    TRILHO_WALLET_WAIT: options.walletWait,
    TRILHO_PAGE_SIZE: options.pageSize === undefined ? undefined : String(options.pageSize),
    ...options.env,
  });
  const needs = {
    log: options.log ?? silentLog,
    clock,
    work: options.work ?? false,
    ...(options.rails && { rails: options.rails }),
    ...(options.chains && { chains: options.chains }),
    ...(options.prices && { prices: options.prices }),
  };
  const app: App = await startApp(config, needs);
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  const send = async (path: string, init: RequestInit) => toAnswer(await fetch(app.url + path, init));
  return {
    url: app.url,
    clock,
    databaseUrl: database.url,
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
    stop: async () => {
      await pool.end();
      await app.stop();
      await database.drop();
    },
  };
}

function shared({ databaseUrl }: Service): TestDatabase {
  return { url: databaseUrl, drop: async () => {} };
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}
