// A flood of wrong links: each gets a plain page without a query, and a payer with a valid link is still served.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { newCharge, openCharge, pathOf } from '../harness/checkouts.ts';
import { recordingLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

const TRIES = scaled(10_000, 2_000);
const CONNECTIONS = 50;

let service: Service;
const { log, lines } = recordingLog();
before(async () => {
  service = await startService({ log });
});
after(() => service.stop());

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
after(() => agent.destroy());

function statusOf(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(service.url + path, { agent, headers: { 'accept-encoding': 'br' } }, answer => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    request.once('error', reject);
  });
}

/** A query would wait for the lock until then. */
const HANGS_AFTER_MS = 120_000;

test('thousands of wrong links from one address are refused without a query, while a valid one still opens', {
  timeout: HANGS_AFTER_MS,
}, async t => {
  const good = await pathOf(service, await openCharge(service));
  const forged = await pathOf(service, await newCharge(service));
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  // Forged links have the id of a real charge, so that only their MAC is wrong; others have any form.
  const wrong = Array.from({ length: TRIES }, (_, index) => {
    const [one, other] = [
      letters[index % letters.length],
      letters[Math.floor(index / letters.length) % letters.length],
    ];
    return index % 2 === 0 ? `${forged.slice(0, -4)}${one}${other}A${forged.slice(-1)}` : `/pay/${index}`;
  }).filter(path => path !== forged);
  const statuses = new Map<number, number>();
  const flood = async (paths: readonly string[]) => {
    const queue = [...paths];
    const send = async () => {
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
        const status = await statusOf(path);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
  };

  // While the table is locked, a query for a charge would wait forever.
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  t.after(() => client.end());
  await client.query('begin; lock table charges, account_settings in access exclusive mode');
  const began = performance.now();
  await flood(wrong.slice(0, TRIES / 2));
  t.diagnostic(`${TRIES / 2} wrong links took ${Math.round(performance.now() - began)} ms`);
  await client.query('rollback');

  let isOver = false;
  const rest = flood(wrong.slice(TRIES / 2)).then(() => {
    isOver = true;
  });
  assert.equal((await fetch(service.url + good)).status, 200);
  assert.equal(isOver, false, 'the good link opens in the midst of the flood');
  await rest;
  assert.deepEqual([...statuses.keys()].sort(), [404, 429]);
  const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  assert.equal(total, wrong.length);
  const waits = statuses.get(429) ?? 0;
  assert.ok(waits > TRIES / 2, 'most have to wait');

  // They must not fill the disk: one line at once, then one with their number each second.
  type Line = { msg: string; route?: string; status?: number; count?: number };
  const refused = () =>
    lines
      .map((line): Line => JSON.parse(line))
      .filter(({ route, status }) => route === '/pay/:token' && status === 429);
  const logged = () =>
    refused().reduce((sum, { msg, count }) => sum + (msg === 'requests refused' ? (count ?? 0) : 1), 0);
  await until('every refusal in the log', () => logged() >= waits);
  assert.equal(logged(), waits, 'each is counted once');
  const seconds = Math.ceil((performance.now() - began) / 1000);
  assert.ok(refused().length <= 2 * (seconds + 1), `${refused().length} lines in ${seconds} s`);
});
