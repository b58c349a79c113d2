// npm run drill -- webhooks [<seconds> <events per second>]: a hundred receivers of every event, ten of which accept a request
// and do not answer it. Prints the time from the commit of an event to its delivery at the other ninety.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { insertEvents } from '../src/events/store.ts';
import { uuidV7 } from '../src/lib/ids.ts';
import { createLog } from '../src/lib/log.ts';
import { startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';

const RECEIVERS = 100;
const HANGING = 10;
const HANG_MS = 30_000;
const SECONDS = Number(process.argv[2] ?? 40);
const EVENTS_PER_SECOND = Number(process.argv[3] ?? 3);
/** How long after the last event a delivery may arrive; later ones count as missing. */
const LAST_DELIVERY_MS = 30_000;

const log = createLog('error', process.stderr);
const dataDir = await mkdtemp(path.join(tmpdir(), 'trilho-webhooks-'));
const embedded = await startEmbeddedPostgres({ dataDir, log });
const { host = '' } = embedded.connection;
const databaseUrl = `postgres:///postgres?host=${encodeURIComponent(host)}&user=trilho`;
const app = await startApp(readConfig({ PORT: '0', DATABASE_URL: databaseUrl, TRILHO_DEMO: 'off' }), log);
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();

const committedAt = new Map<string, number>();
const latencies: number[] = [];
const servers: Server[] = [];
let hanging = 0;

try {
  for (let index = 0; index < RECEIVERS; index++) await startReceiver(index < HANGING);
  print(
    `${RECEIVERS} receivers, ${HANGING} of them hang for ${HANG_MS / 1000} s; ${EVENTS_PER_SECOND} events per second`,
  );
  const count = SECONDS * EVENTS_PER_SECOND;
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    await wait(Math.max(0, started + (index * 1000) / EVENTS_PER_SECOND - performance.now()));
    await writeEvent();
    if (index % (10 * EVENTS_PER_SECOND) === 0) progress();
  }
  const expected = count * (RECEIVERS - HANGING);
  const limit = performance.now() + LAST_DELIVERY_MS;
  while (latencies.length < expected && performance.now() < limit) await wait(100);
  progress();
  report(expected);
} finally {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await client.end();
  await app.stop();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function startReceiver(hangs: boolean): Promise<void> {
  const server = createServer((request, response) => {
    if (hangs) {
      hanging++;
      setTimeout(() => response.end(), HANG_MS).unref();
      return;
    }
    latencies.push(performance.now() - (committedAt.get(String(request.headers['webhook-id'])) ?? Number.NaN));
    response.writeHead(204).end();
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`${app.url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/` }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

async function writeEvent(): Promise<void> {
  const occurredAt = new Date();
  const [id, objectId] = [uuidV7(occurredAt), uuidV7(occurredAt)];
  const event = {
    id,
    accountId: 'acme',
    type: 'charge.paid',
    objectId,
    sequence: 1,
    occurredAt,
    object: { pad: 'x'.repeat(1_000) },
  };
  committedAt.set(id, performance.now());
  await insertEvents({ query: async (text, values) => (await client.query(text, values as unknown[])).rows }, [event]);
  committedAt.set(id, performance.now());
}

function progress(): void {
  print(`${committedAt.size} events, ${latencies.length} delivered, ${hanging} hanging so far`);
}

function report(expected: number): void {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)} ms`;
  print('');
  print('| deliveries to healthy receivers | p50 | p90 | p99 | longest | missing |');
  print('|---|---|---|---|---|---|');
  print(`| ${latencies.length} | ${at(0.5)} | ${at(0.9)} | ${at(0.99)} | ${at(1)} | ${expected - latencies.length} |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
