// Directus, a product that puts an API over tables: the same two resources as its collections.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { chargeBody } from './bodies.ts';
import { get, post } from './load.ts';
import type { Needs } from './parts/part.ts';
import { installPeer, type Peer, peerFolder } from './peer.ts';
import type { Filter, Query } from './queries.ts';
import { type Running, run } from './running.ts';
import { COLUMNS, fill } from './seed.ts';
import { type Stage, withClient } from './stage.ts';

const TOKEN = 'bench-token-of-this-machine-only';
const PORT = 18_055;
const DECIMAL = { numeric_precision: 38, numeric_scale: 18 };

const FIELDS: Record<string, Record<string, { type: string; schema?: object }>> = {
  crypto_transactions: {
    ...texts('account_id', 'status', 'network', 'symbol', 'currency', 'wallet_id', 'wallet_address', 'wallet_name'),
    ...texts('settlement_schedule'),
    quantity: { type: 'decimal', schema: DECIMAL },
    cost: { type: 'decimal', schema: DECIMAL },
    price: { type: 'decimal', schema: DECIMAL },
    settlement_date: { type: 'timestamp' },
    created_at: { type: 'timestamp' },
    updated_at: { type: 'timestamp' },
  },
  charges: {
    ...texts('account_id', 'external_id', 'currency', 'boleto_status', 'pix_status'),
    amount_cents: { type: 'bigInteger' },
    methods: { type: 'json' },
    customer: { type: 'json' },
    taxes: { type: 'json' },
    due_at: { type: 'timestamp' },
  },
};

const INDEXES = `
  create index on crypto_transactions (created_at desc, id desc);
  create index on crypto_transactions (symbol, created_at desc, id desc);
  create index on crypto_transactions (status, created_at desc, id desc);
  create unique index on charges (account_id, external_id)`;

function texts(...names: string[]): Record<string, { type: string }> {
  return Object.fromEntries(names.map(name => [name, { type: 'string' }]));
}

export async function startDirectus(needs: Needs): Promise<Peer> {
  const { stage, report, options } = needs;
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error('its install is written for Linux on x64 and arm64');
  }
  await installPeer({ report }, 'directus');
  const database = `directus_${options.peerRows}`;
  const isNew = !(await stage.has(database));
  const draft = `${database}_draft`;
  if (isNew) {
    await stage.create(draft);
    bootstrap(stage, draft);
    const running = await start(stage, draft);
    try {
      for (const [collection, fields] of Object.entries(FIELDS)) await createCollection(running, collection, fields);
    } finally {
      await running.stop();
    }
    await withClient(stage.url(draft), async client => {
      await client.query(INDEXES);
      const filling = { what: 'orders for Directus', rows: options.peerRows, where: 'where not ended' };
      await fill({ report }, client, filling, [COLUMNS]);
    });
    await stage.rename(draft, database);
  }
  const running = await start(stage, database);
  return {
    name: 'Directus',
    database,
    running,
    lists: [
      {
        what: 'with a total',
        request: query => get(listTarget(query, true), AUTHORISED),
        totalOf: answer => (answer as { meta: { filter_count: number } }).meta.filter_count,
      },
      { what: 'without a total', request: query => get(listTarget(query, false), AUTHORISED) },
    ],
    charge: () => post('/items/charges', JSON.stringify(chargeItem()), AUTHORISED),
  };
}

const AUTHORISED = { Authorization: `Bearer ${TOKEN}` };

function program(stage: Stage, database: string) {
  const folder = peerFolder('directus');
  const node = path.join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  const env = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(PORT),
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    DB_CLIENT: 'pg',
    DB_HOST: stage.socketDir,
    DB_PORT: '5432',
    DB_USER: 'trilho',
    DB_PASSWORD: 'trusted',
    DB_DATABASE: database,
    DB_POOL__MAX: '20',
    SECRET: 'a secret of the bench, which guards nothing',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'bench-of-this-machine-only',
    ADMIN_TOKEN: TOKEN,
    TELEMETRY: 'false',
    // It would refuse part of the load rather than be late with all of it.
    PRESSURE_LIMITER_ENABLED: 'false',
    LOG_LEVEL: 'warn',
    EXTENSIONS_PATH: path.join(stage.dir, 'directus-extensions'),
    STORAGE_LOCAL_ROOT: path.join(stage.dir, 'directus-uploads'),
  };
  return { folder, node, cli: path.join('node_modules', 'directus', 'cli.js'), env };
}

function bootstrap(stage: Stage, database: string): void {
  const { folder, node, cli, env } = program(stage, database);
  const done = spawnSync(node, [cli, 'bootstrap'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: stage.dir, ...env },
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`directus bootstrap: ${(done.stdout + done.stderr).slice(-2_000)}`);
}

function start(stage: Stage, database: string): Promise<Running> {
  const { folder, node, cli, env } = program(stage, database);
  const url = `http://127.0.0.1:${PORT}`;
  return run(stage, {
    name: 'directus',
    command: node,
    args: [cli, 'start'],
    cwd: folder,
    env,
    url,
    readyAt: '/server/ping',
  });
}

async function createCollection(
  { url }: Running,
  collection: string,
  fields: Record<string, { type: string; schema?: object }>,
): Promise<void> {
  const id = { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'], hidden: true } };
  const rest = Object.entries(fields).map(([field, { type, schema = {} }]) => {
    const special = type === 'json' ? ['cast-json'] : null;
    return { field, type, schema, meta: { special } };
  });
  const answer = await fetch(`${url}/collections`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...AUTHORISED },
    body: JSON.stringify({ collection, schema: {}, meta: {}, fields: [id, ...rest] }),
  });
  if (!answer.ok) throw new Error(`directus did not make ${collection}: ${answer.status} ${await answer.text()}`);
}

function listTarget({ filter, page, pageSize }: Query, withTotal: boolean): string {
  const words = new URLSearchParams({ limit: String(pageSize), page: String(page), sort: '-created_at,-id' });
  const conditions = conditionsOf(filter);
  if (conditions.length > 0) words.set('filter', JSON.stringify({ _and: conditions }));
  if (withTotal) words.set('meta', 'filter_count');
  return `/items/crypto_transactions?${words}`;
}

function conditionsOf({ symbol, status, from, to }: Filter): object[] {
  return [
    ...(symbol === undefined ? [] : [{ symbol: { _eq: symbol } }]),
    ...(status === undefined ? [] : [{ status: { _eq: status } }]),
    ...(from === undefined ? [] : [{ created_at: { _gte: from } }]),
    ...(to === undefined ? [] : [{ created_at: { _lte: to } }]),
  ];
}

function chargeItem(): object {
  const { accountId, externalId, amountCents, currency, methods, customer, taxes, dueAt } = chargeBody();
  return {
    ...{
      account_id: accountId,
      external_id: externalId,
      amount_cents: amountCents,
      currency,
      methods,
      customer,
      taxes,
    },
    ...{ due_at: dueAt, boleto_status: 'CREATING', pix_status: 'CREATING' },
  };
}
