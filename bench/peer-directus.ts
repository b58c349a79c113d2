// Directus, a product that serves an API over tables: the same two resources as its collections.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { ChargeRequests } from './charge-requests.ts';
import { type DatabaseServer, withClient } from './database-server.ts';
import { get, post } from './http-load.ts';
import type { Filter, Query } from './list-queries.ts';
import { COLUMNS, fillOrders } from './orders.ts';
import type { PartDeps } from './parts/part.ts';
import { installPeer, type Peer, peerFolder } from './peer.ts';
import { type RunningProgram, startProgram } from './programs.ts';

const TOKEN = 'bench-token-of-this-machine-only';
const PORT = 18_055;
const DECIMAL = { numeric_precision: 38, numeric_scale: 18 };

const FIELDS: Record<string, Record<string, { type: string; schema?: object }>> = {
  orders: {
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
    ...texts('account_id', 'external_id', 'currency', 'boleto_status', 'pix_status', 'pix_code'),
    amount_cents: { type: 'bigInteger' },
    methods: { type: 'json' },
    customer: { type: 'json' },
    taxes: { type: 'json' },
    due_at: { type: 'timestamp' },
  },
};

const INDEXES = `
  create index on orders (created_at desc, id desc);
  create index on orders (symbol, created_at desc, id desc);
  create index on orders (status, created_at desc, id desc);
  create index on orders (account_id, created_at desc, id desc);
  create index on orders (account_id, symbol, created_at desc, id desc);
  create index on orders (account_id, status, created_at desc, id desc);
  create unique index on charges (account_id, external_id)`;

function texts(...names: string[]): Record<string, { type: string }> {
  return Object.fromEntries(names.map(name => [name, { type: 'string' }]));
}

export async function startDirectus({ server, report, options }: PartDeps, charges: ChargeRequests): Promise<Peer> {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error('its install script supports Linux on x64 and arm64 only');
  }
  await installPeer({ report }, 'directus');
  const database = `directus_${options.peerRows}`;
  const isNew = !(await server.has(database));
  const draft = `${database}_draft`;
  if (isNew) {
    await server.create(draft);
    bootstrap(server, draft);
    const program = await start(server, draft);
    try {
      for (const [collection, fields] of Object.entries(FIELDS)) await createCollection(program, collection, fields);
    } finally {
      await program.stop();
    }
    await withClient(server.url(draft), async client => {
      await client.query(INDEXES);
      const filling = { name: 'orders for Directus', rows: options.peerRows, where: 'where not ended' };
      await fillOrders({ report }, client, filling, [COLUMNS]);
    });
    await server.rename(draft, database);
  }
  const program = await start(server, database);
  return {
    name: 'Directus',
    database,
    program,
    lists: [
      {
        name: 'with a total',
        request: query => get(listTarget(query, true), HEADERS),
        totalOf: answer => (answer as { meta: { filter_count: number } }).meta.filter_count,
      },
      { name: 'without a total', request: query => get(listTarget(query, false), HEADERS) },
    ],
    nextCharge: () => post('/items/charges', JSON.stringify(chargeItem(charges)), HEADERS),
    writes: 'a charge as one row, with its own record of the change (activity and revision)',
  };
}

const HEADERS = { Authorization: `Bearer ${TOKEN}` };

function commandFor(server: DatabaseServer, database: string) {
  const folder = peerFolder('directus');
  const node = path.join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  const env = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(PORT),
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    DB_CLIENT: 'pg',
    DB_HOST: server.socketDir,
    DB_PORT: '5432',
    DB_USER: 'trilho',
    DB_PASSWORD: 'trusted',
    DB_DATABASE: database,
    DB_POOL__MAX: '20',
    SECRET: 'a secret of the bench that protects nothing',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'bench-of-this-machine-only',
    ADMIN_TOKEN: TOKEN,
    TELEMETRY: 'false',
    // The limiter would refuse part of the load.
    PRESSURE_LIMITER_ENABLED: 'false',
    LOG_LEVEL: 'warn',
    EXTENSIONS_PATH: path.join(server.dir, 'directus-extensions'),
    STORAGE_LOCAL_ROOT: path.join(server.dir, 'directus-uploads'),
  };
  return { folder, node, cli: path.join('node_modules', 'directus', 'cli.js'), env };
}

function bootstrap(server: DatabaseServer, database: string): void {
  const { folder, node, cli, env } = commandFor(server, database);
  const done = spawnSync(node, [cli, 'bootstrap'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: server.dir, ...env },
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`directus bootstrap: ${(done.stdout + done.stderr).slice(-2_000)}`);
}

function start(server: DatabaseServer, database: string): Promise<RunningProgram> {
  const { folder, node, cli, env } = commandFor(server, database);
  const url = `http://127.0.0.1:${PORT}`;
  return startProgram(server, {
    name: 'directus',
    command: node,
    args: [cli, 'start'],
    cwd: folder,
    env,
    url,
    readyPath: '/server/ping',
  });
}

async function createCollection(
  { url }: RunningProgram,
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
    headers: { 'content-type': 'application/json', ...HEADERS },
    body: JSON.stringify({ collection, schema: {}, meta: {}, fields: [id, ...rest] }),
  });
  if (!answer.ok) throw new Error(`Directus did not create ${collection}: ${answer.status} ${await answer.text()}`);
}

function listTarget({ filter, page, pageSize }: Query, withTotal: boolean): string {
  const parameters = new URLSearchParams({ limit: String(pageSize), page: String(page), sort: '-created_at,-id' });
  const conditions = conditionsOf(filter);
  if (conditions.length > 0) parameters.set('filter', JSON.stringify({ _and: conditions }));
  if (withTotal) parameters.set('meta', 'filter_count');
  return `/items/orders?${parameters}`;
}

function conditionsOf({ accountId, symbol, status, from, to }: Filter): object[] {
  return [
    ...(accountId === undefined ? [] : [{ account_id: { _eq: accountId } }]),
    ...(symbol === undefined ? [] : [{ symbol: { _eq: symbol } }]),
    ...(status === undefined ? [] : [{ status: { _eq: status } }]),
    ...(from === undefined ? [] : [{ created_at: { _gte: from } }]),
    ...(to === undefined ? [] : [{ created_at: { _lte: to } }]),
  ];
}

/** Its statuses and a code as long as a real one, as the service answers and stores them. */
function chargeItem(charges: ChargeRequests): object {
  const { accountId, externalId, amountCents, currency, methods, customer, taxes, dueAt } = charges.next().charge;
  const statuses = methods.map(method => [`${method}_status`, 'CREATING']);
  return {
    account_id: accountId,
    external_id: externalId,
    amount_cents: amountCents,
    currency,
    methods,
    customer,
    taxes,
    due_at: dueAt,
    pix_code: PIX_CODE,
    ...Object.fromEntries(statuses),
  };
}

/** Directus computes nothing, so the caller sends the code: 130 characters, as long as the service's. */
const PIX_CODE = '0'.repeat(130);
