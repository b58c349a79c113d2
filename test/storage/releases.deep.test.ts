// Databases of every release, and of the last development version before 1.0.0, as those left them: this version upgrades them, the
// proofs hold, and open work continues.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { proveDatabase } from '../../src/cli/proofs.ts';
import { restoreCommand } from '../../src/cli/restore.ts';
import type { Mode } from '../../src/lib/mode.ts';
import { readTar } from '../../src/storage/backup/tar.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { isMigrated, missingMigrations } from '../../src/storage/migrate.ts';
import { testClock } from '../harness/clock.ts';
import { runCommand } from '../harness/commands.ts';
import { createDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import { ownFolder } from '../harness/process.ts';
import { RELEASES, readReleaseFile, withRelease } from '../harness/releases.ts';
import { type Service, startService } from '../harness/service.ts';

const CHANGELOG = readFileSync(path.join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
/** Its databases are refused, as CHANGELOG.md says of 0.2.0. */
const REFUSED = ['0.1.0'];
/** The development version with migrations/0104_halt_seen.sql: its tables are those with which 1.0.0 began. */
const SNAPSHOT = 'last-snapshot';
const SNAPSHOT_BACKUP = `${SNAPSHOT}-sandbox.backup.tar.gz`;

/** When the databases were made; their sandboxes are some days ahead of it. */
const MADE_AT: Readonly<Record<string, string>> = {
  '0.2.0': '2026-11-17T21:00:00.000Z',
  [SNAPSHOT]: '2026-11-19T11:30:00.000Z',
};
/** Of the account of the database, which has no other. */
const LIVE_KEYS: Readonly<Record<string, string>> = {
  '0.2.0': 'trilho_live_ycqtBrZtZi4w_ciOWIHVdLZqgH2t8cKsspN6BFR1PWodZHdvRgAaI8F61PiSLD',
  [SNAPSHOT]: 'trilho_live_yBYfeMxkvAZE_QoALbrRwysPC7BrsMkovdZJXXtCLDSAKCMSOgOFZO43472Htk',
};
const PIX_KEY = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme Ltda', TRILHO_PIX_CITY: 'Sao Paulo' };
/** As it was sent to the release. */
const OPEN_CHARGE = {
  accountId: 'acme',
  externalId: 'open',
  amountCents: 15_990,
  currency: 'BRL',
  methods: ['pix'],
  customer: { name: 'Maria da Silva', document: '529.982.247-25' },
  dueAt: '2030-12-10T23:59:59-03:00',
};

const released = [...CHANGELOG.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)]
  .map(([, version = '']) => version)
  .filter(version => !REFUSED.includes(version));

test('every release has its databases here', () => {
  const expected = [SNAPSHOT, ...released].flatMap(version => [`${version}-live.sql.gz`, `${version}-sandbox.sql.gz`]);
  assert.deepEqual(readdirSync(RELEASES).sort(), [...expected, SNAPSHOT_BACKUP].sort());
});

/** The proofs hold before and after `work` with a service of this version. */
async function goOn(
  url: string,
  version: string,
  mode: Mode,
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const db = openDatabase({ connection: { connectionString: url }, log: silentLog });
  const prove = async () => {
    const { areRight, lines } = await proveDatabase(db, undefined);
    assert.ok(areRight, lines.join('\n'));
  };
  try {
    const beside = { databaseUrl: url, clock: testClock(MADE_AT[version]!) };
    const service = await startService({ mode, beside, env: mode === 'live' ? PIX_KEY : {} });
    try {
      assert.ok(await isMigrated(db));
      assert.deepEqual(await missingMigrations(db), []);
      await prove();
      await work(service);
      await prove();
    } finally {
      await service.stop();
    }
  } finally {
    await db.close();
  }
}

/** A service of this version on the database of another one. */
const takeOver = (version: string, mode: Mode, work: (service: Service) => Promise<void>) =>
  withRelease(`${version}-${mode}`, async (db, { url }) => {
    assert.ok((await missingMigrations(db)).length > 0, 'the upgrade can be listed');
    await goOn(url, version, mode, work);
  });

async function useSandbox(service: Service): Promise<void> {
  const charges = await service.get('/charges?pageSize=100');
  assert.equal(charges.status, 200, charges.text);
  assert.equal(charges.json.total, charges.json.charges.length);
  const find = async (externalId: string) => (await service.get(`/charges?externalId=${externalId}`)).json.charges[0];
  assert.equal((await find('paid')).state, 'PARTIALLY_REFUNDED');
  assert.equal((await find('twice')).state, 'PAID');
  assert.equal((await find('paid')).refunds[0].amountCents, 5_000);
  assert.equal((await find('canceled')).state, 'CANCELED');

  const orders = await service.get('/crypto/transactions?pageSize=100');
  assert.equal(orders.json.total, orders.json.transactions.length);
  const order = async (externalId: string) => {
    const { json } = await service.get(`/crypto/transactions?externalId=${externalId}`);
    return (await service.get(`/crypto/transactions/${json.transactions[0].transactionId}`)).json;
  };
  for (const name of ['fulfilled', 'fulfilled-tron']) assert.equal((await order(name)).status, 'fulfilled', name);
  assert.equal((await service.get('/crypto/transactions/held')).json.total, 1);

  const opened = await order('open');
  const paid = await service.post(`/sandbox/charges/${opened.chargeId}/pay`, { method: 'pix' });
  assert.equal(paid.status, 200, paid.text);
  assert.equal((await service.post('/sandbox/chains/polygon', { fault: 'none' })).status, 200);
  assert.equal((await service.post('/sandbox/clock', { advance: 'P7D' })).status, 200);
  await service.post('/sandbox/clock', { advance: 'PT2H' });
  for (const name of ['on-its-way', 'waits-for-its-day']) {
    assert.equal((await order(name)).status, 'fulfilled', name);
  }
}

for (const version of [...released, SNAPSHOT]) {
  describe(`a database of ${version}`, { timeout: 900_000 }, () => {
    test('of a sandbox: its charges and orders are there, and continue', () =>
      takeOver(version, 'sandbox', useSandbox));

    test('of a live service: its API key works, a repeat gets the first charge, and payments are recorded', () =>
      takeOver(version, 'live', async service => {
        const key = { authorization: `Bearer ${LIVE_KEYS[version]}` };
        const { json, text } = await service.get('/charges', key);
        const states = json.charges.map(
          (charge: Record<string, string>) => `${charge['externalId']} ${charge['state']}`,
        );
        assert.deepEqual(states.sort(), ['canceled CANCELED', 'open ACTIVE', 'paid PAID'], text);
        const open = json.charges.find((charge: Record<string, string>) => charge['externalId'] === 'open');
        const again = await service.post('/charges', OPEN_CHARGE, { ...key, 'idempotency-key': 'open' });
        assert.equal(again.json.id, open.id, again.text);
        const payment = { amountCents: OPEN_CHARGE.amountCents, reference: 'E9999999920261210130000000000002' };
        const paid = await service.post(`/charges/${open.id}/payments`, payment, key);
        assert.equal(paid.json.state, 'PAID', paid.text);
      }));
  });
}

test('a backup of the last development version is restored into the tables of this one, and its work continues', async t => {
  const database = await createDatabase('template1');
  t.after(() => database.drop());
  const folder = await ownFolder(t);
  for await (const { name, bytes } of readTar(Readable.from([readReleaseFile(SNAPSHOT_BACKUP)]))) {
    await writeFile(path.join(folder, name), bytes);
  }
  const { said } = await runCommand(restoreCommand, { DATABASE_URL: database.url }, [folder]);
  assert.match(said, /The audit log is whole/);
  await goOn(database.url, SNAPSHOT, 'sandbox', useSandbox);
});
