// A node that is killed at any point of creating boletos and files to their bank: no number and no sequence is used twice, a file
// that was seen keeps its bytes, and the bank gets every boleto once.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { openBank } from '../../src/sandbox/cnab-bank/bank.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { FileCrash } from '../harness/file-crash-at-step.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { customerOf } from '../sandbox/cnab-bank/customers.ts';

const NOW = '2026-11-17T12:00:00.000Z';
const AGREEMENT = agreementEntry('756', { name: 'sicoob:main', maxTitles: 3 });
let bench: FileExchangeBench;
const folder = mkdtempSync(path.join(tmpdir(), 'trilho-files-'));
before(async () => {
  bench = await startFileExchange('756', { name: 'sicoob:main', maxTitles: 3 });
});
after(async () => {
  await bench.stop();
  rmSync(folder, { recursive: true });
});

function crashVerb(verb: string, prepare: () => Promise<readonly string[]>, check: () => void = () => {}) {
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: async (chargeIds: readonly string[], step) => {
      const { databaseUrl } = bench.service;
      const order: FileCrash = { verb, step, now: NOW, databaseUrl, agreement: AGREEMENT, folder, chargeIds };
      const hasDied = await crashAt('file-crash-at-step.ts', order);
      check();
      return hasDied;
    },
  });
}

async function newCharges(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await bench.service.post('/charges', boletoBody())).json.id);
  return ids;
}

test('the number of a charge is assigned only once', async () => {
  const steps = await crashVerb('create', async () => []);
  for (const [index] of steps.entries()) {
    const again = await bench.service.post('/charges', boletoBody({ externalId: `crash-${index + 1}` }));
    assert.equal(again.status, 201, again.text);
  }
  const numbers = await bench.service.sql<{ reference: string }>(
    "select reference from charge_methods where method = 'boleto' order by reference",
  );
  assert.equal(numbers.length, steps.length);
  assert.deepEqual(
    numbers.map(({ reference }) => Number(reference)),
    numbers.map((_, index) => index + 1),
    'a number that was rolled back is assigned to the next',
  );
});

test('instructing the bank', async () => {
  const victims = await crashVerb('instruct', () => newCharges(2));
  await bench.service.runJobs();
  const rows = await bench.service.sql<{ count: string }>(
    'select count(*) from boleto_instructions where charge_id = any($1) group by charge_id',
    [victims.flat()],
  );
  assert.deepEqual(
    rows.map(({ count }) => count),
    victims.flat().map(() => '1'),
  );
});

test('making and offering files', async () => {
  const seen = new Map<string, string>();
  /** No name ever has other bytes, or half a file. */
  const look = () => {
    for (const name of readdirSync(folder).filter(one => !one.startsWith('.'))) {
      const bytes = readFileSync(path.join(folder, name));
      const digest = createHash('sha256').update(bytes).digest('hex');
      assert.equal(seen.get(name) ?? digest, digest, name);
      assert.match(bytes.toString('latin1', bytes.length - 242), /^75699999/, 'whole');
      seen.set(name, digest);
    }
  };
  let former: string[] = [];
  const victims = await crashVerb(
    'write',
    async () => {
      // One of the last round is canceled, so a registration is dropped or a write-off waits.
      if (former[0] !== undefined) await bench.service.post(`/charges/${former[0]}/cancel`, {});
      former = await newCharges(2);
      await bench.service.runJobs();
      return former;
    },
    look,
  );
  assert.ok(victims.length > 8, 'the verb has several steps');
  await bench.offer(folder);
  look();

  const stored = await bench.service.sql<{ sequence: number; digest: string; offered: boolean }>(
    `select sequence, encode(sha256, 'hex') as digest, offered_at is not null as offered from boleto_files order by sequence`,
  );
  assert.deepEqual(
    stored.map(({ sequence, offered }) => [sequence, offered]),
    stored.map((_, index) => [index + 1, true]),
    'no sequence is missing',
  );
  assert.deepEqual(stored.map(({ digest }) => digest).sort(), [...seen.values()].sort(), 'all are in the folder');

  const bank = openBank(customerOf('756'));
  for (const name of [...seen.keys()].sort()) bank.take(readFileSync(path.join(folder, name)), '2026-11-17');
  const { titles, news } = bank.state();
  assert.deepEqual([...new Set(news.map(({ occurrence }) => occurrence))].sort(), ['02', '09'], 'nothing is refused');
  assert.equal(news.filter(({ occurrence }) => occurrence === '02').length, Object.keys(titles).length);
  await bench.read(bank.makeReturn({ day: '2026-11-17', time: '180000' }));
  const states = await bench.service.sql<{ status: string; count: string }>(
    "select status, count(*) from charge_methods where method = 'boleto' group by status order by status",
  );
  assert.deepEqual(
    states.map(({ status }) => status),
    ['CANCELED', 'REGISTERED'],
    'the bank knows every boleto that can be paid',
  );
  const env = { TRILHO_MODE: 'live', DATABASE_URL: bench.service.databaseUrl };
  assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
});
