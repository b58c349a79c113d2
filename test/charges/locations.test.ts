// A pool of locations: a charge has its code at once, also while the PSP is unavailable, and no two charges share one.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import pg from 'pg';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { postAtOnce } from '../harness/at-once.ts';
import { chargeBody } from '../harness/bodies.ts';
import { testClock } from '../harness/clock.ts';
import { type CutWire, startCutWire } from '../harness/cut-wire.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import { RAIL, railSettings, type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

const POOL = 3;
const KINDS = 2;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const pixOf = ({ json }: Answer) => [json.pix.status, json.pix.emv];
const codesOf = (answers: readonly Answer[]) => answers.map(({ json }) => json.pix.emv as string);

async function freeIn(service: Service): Promise<number> {
  const [row] = await service.sql<{ count: number }>(
    'select count(*)::int as count from rail_locations where charge_id is null',
  );
  return row!.count;
}

/** Locations are taken every five seconds, the look at the PSP every minute. */
async function pass(service: Service): Promise<void> {
  service.clock.advanceMs(61_000);
  await service.runJobs();
}

describe('a service that keeps locations', () => {
  const { log, lines } = recordingLog();
  let at: ServiceAtPsp;
  before(async () => {
    at = await startServiceAtPsp({ rail: { locationPool: POOL }, log });
  });
  after(() => at.stop());
  beforeEach(async () => {
    at.psp.clearFaults();
    await pass(at.service);
    assert.equal(await freeIn(at.service), POOL * KINDS);
  });

  const create = (changes: Record<string, unknown> = {}) =>
    at.service.post('/charges', chargeBody({ methods: ['pix'], ...changes }));
  const read = async (id: string) => (await at.service.get(`/charges/${id}`)).json;
  const away = () => at.psp.setFault({ kind: 'cut' });

  test('has a code while the PSP is unavailable, which can be paid once the PSP has the charge', async () => {
    away();
    const made = await create({ externalId: 'away' });
    const [status, emv] = pixOf(made);
    assert.equal(status, 'CREATING', made.text);
    assert.notEqual(emv, '');
    assert.equal((await create({ externalId: 'away' })).text, made.text, 'a repeat');
    assert.equal((await at.service.get(`/charges/${made.json.id}/pix.png`)).status, 200);
    await assert.rejects(at.psp.pay({ emv }), { code: 'not_found' }, 'not payable until the PSP has the charge');
    at.psp.clearFaults();
    await pass(at.service);
    const { pix } = await read(made.json.id);
    assert.deepEqual([pix.status, pix.emv], ['ACTIVE', emv]);
    assert.deepEqual(pixOf(await create({ externalId: 'away' })), ['ACTIVE', emv]);
    await at.psp.pay({ emv });
    await pass(at.service);
    assert.equal((await read(made.json.id)).state, 'PAID');
    const { json: feed } = await at.service.get('/events');
    const codes = feed.events.flatMap(({ object }: { object: { id: string; pix: { emv: string } } }) =>
      object.id === made.json.id ? object.pix.emv : [],
    );
    assert.deepEqual(codes, [emv, emv, emv], 'created, active, paid');
  });

  test('still waits for the PSP: the code can be paid when the answer arrives', async () => {
    const dayLong = { dueAt: '2026-12-10T23:59:59-03:00', taxes: { fine: 2 } };
    const soon = new Date(at.service.clock.now().getTime() + 600_000).toISOString();
    for (const changes of [dayLong, { dueAt: soon, expireAt: soon }]) {
      const made = await create(changes);
      assert.equal(made.json.pix.status, 'ACTIVE', made.text);
      await at.psp.pay({ emv: made.json.pix.emv });
    }
    assert.equal(await freeIn(at.service), POOL * KINDS - 2);
  });

  test('reports a refusal in the answer, and gives the location of a refused charge to no other', async () => {
    at.psp.setFault({ kind: 'status', status: 400, on: { method: 'PUT' }, count: 1 });
    const refused = await create();
    assert.deepEqual([refused.json.pix.success, refused.json.pix.status], [false, 'FAILED'], refused.text);
    const next = await create();
    assert.equal(next.json.pix.status, 'ACTIVE');
    const codes = await at.service.sql<{ url: string }>(
      "select location ->> 'url' as url from charge_methods where charge_id = any($1)",
      [[refused.json.id, next.json.id]],
    );
    assert.equal(new Set(codes.map(({ url }) => url)).size, 2);
  });

  test('stops showing a code when the PSP refuses its charge', async () => {
    const fault = away();
    const made = await create({ externalId: 'refused-later' });
    assert.notEqual(made.json.pix.emv, '');
    at.psp.clearFaults(fault);
    at.psp.setFault({ kind: 'status', status: 400, on: { method: 'PUT' }, count: 1 });
    await pass(at.service);
    const repeat = await create({ externalId: 'refused-later' });
    const { json: page } = await at.service.get('/charges?externalId=refused-later');
    for (const { pix } of [await read(made.json.id), repeat.json, page.charges[0]]) {
      assert.deepEqual([pix.success, pix.status, pix.emv, pix.qrCodeUrl], [false, 'FAILED', '', undefined]);
    }
    const { json: feed } = await at.service.get('/events');
    const failed = feed.events.find(
      ({ type, objectId }: { type: string; objectId: string }) => type === 'charge.failed' && objectId === made.json.id,
    );
    assert.equal(failed.object.pix.emv, '');
  });

  test('creates charges without a location when the pool is empty', async () => {
    const kept = await Promise.all(times(POOL, () => create()));
    assert.equal(new Set(codesOf(kept)).size, POOL);
    const asBefore = await create();
    assert.equal(asBefore.json.pix.status, 'ACTIVE');
    await at.psp.pay({ emv: asBefore.json.pix.emv });
    away();
    assert.deepEqual(pixOf(await create()), ['CREATING', '']);
  });

  test('never gives one location to two charges', async () => {
    away();
    const key = (await at.service.makeKey('acme')).text;
    const headers = { authorization: `Bearer ${key}` };
    const body = chargeBody({ methods: ['pix'] });
    const bursts = await Promise.all(
      times(2, () =>
        postAtOnce(
          at.service.url,
          '/charges',
          times(POOL, () => ({ body, headers })),
        ),
      ),
    );
    const codes = codesOf(bursts.flat());
    assert.equal(codes.length, 2 * POOL);
    const given = codes.filter(code => code !== '');
    assert.equal(given.length, POOL);
    assert.equal(new Set(given).size, POOL);
  });

  test('skips a location that another transaction is about to give', async () => {
    away();
    const other = new pg.Client({ connectionString: at.service.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(
        `select from rail_locations where charge_id is null and kind = 'cobv' order by created_at, url limit ${POOL - 1} for update`,
      );
      const codes = codesOf([await create(), await create()]);
      assert.deepEqual(
        codes.map(code => code !== ''),
        [true, false],
      );
    } finally {
      await other.end();
    }
  });

  test('keeps the locations of unwritten charges free', async () => {
    const before = await at.service.sql('select url from rail_locations where charge_id is null order by url');
    await at.service.sql(`alter table charges add constraint no_poison check (source_key <> 'poison')`);
    const refused = await Promise.all(times(2, () => create({ sourceKey: 'poison' })));
    await at.service.sql('alter table charges drop constraint no_poison');
    assert.deepEqual(
      refused.map(({ status }) => status),
      [500, 500],
    );
    await create({ externalId: 'first', sourceKey: 'a' });
    const conflicts = await Promise.all(times(2, () => create({ externalId: 'first', sourceKey: 'b' })));
    assert.deepEqual(
      conflicts.map(({ status }) => status),
      [409, 409],
    );
    const rest = await at.service.sql('select url from rail_locations where charge_id is null order by url');
    assert.equal(rest.length, before.length - 1, 'only that of the written charge is taken');
  });

  test('keeps the code when a reply is lost', async () => {
    at.psp.setFault({ kind: 'lost-reply', on: { method: 'PUT' }, count: 1 });
    const [status, emv] = pixOf(await create({ externalId: 'lost' }));
    assert.equal(status, 'CREATING');
    await pass(at.service);
    assert.deepEqual(pixOf(await create({ externalId: 'lost' })), ['ACTIVE', emv]);
    await at.psp.pay({ emv });
  });

  test('sends the same location again after each failure', async () => {
    at.psp.setFault({ kind: 'status', status: 503, on: { method: 'PUT' }, count: 1 });
    const [, emv] = pixOf(await create({ externalId: 'again' }));
    at.psp.setFault({ kind: 'cut', on: { method: 'PUT' }, count: 1 });
    await pass(at.service);
    await pass(at.service);
    assert.deepEqual(pixOf(await create({ externalId: 'again' })), ['ACTIVE', emv]);
    await at.psp.pay({ emv });
  });

  test('replaces the code, and logs it, when the PSP registers the charge at another location', async () => {
    await at.service.sql(`update rail_locations set url = url || 'x' where charge_id is null`);
    away();
    const [, dead] = pixOf(await create({ externalId: 'elsewhere' }));
    at.psp.clearFaults();
    await pass(at.service);
    const [status, emv] = pixOf(await create({ externalId: 'elsewhere' }));
    assert.equal(status, 'ACTIVE');
    assert.notEqual(emv, dead);
    await at.psp.pay({ emv });
    assert.equal(lines.filter(line => line.includes('put a charge at another location')).length, 1);
    await at.service.sql('delete from rail_locations where charge_id is null');
    await pass(at.service);
  });

  test('does not register a charge that was canceled while the PSP was unavailable', async () => {
    away();
    const { json } = await create();
    await at.service.send(`/charges/${json.id}/cancel`, { method: 'POST' });
    at.psp.clearFaults();
    await pass(at.service);
    await assert.rejects(at.psp.pay({ emv: json.pix.emv }));
    assert.equal((await read(json.id)).state, 'CANCELED');
    const [row] = await at.service.sql('select from rail_locations where charge_id = $1', [json.id]);
    assert.ok(row, 'the location stays with the charge');
  });

  test('is found full by a node that starts later, and filled by one node of two', async () => {
    const taken = () => at.psp.requests().filter(({ method, path }) => method === 'POST' && /\/loc$/.test(path)).length;
    const before = taken();
    const node = await startService({
      mode: 'live',
      env: { TRILHO_RAILS: JSON.stringify([railSettings(at.psp, { locationPool: POOL })]) },
      beside: at.service,
    });
    try {
      const authorization = `Bearer ${(await at.service.makeKey('acme')).text}`;
      await pass(node);
      assert.equal(taken(), before);
      away();
      const made = await node.post('/charges', chargeBody({ methods: ['pix'] }), { authorization });
      assert.notEqual(made.json.pix.emv, '');
      at.psp.clearFaults();
      at.service.clock.advanceMs(61_000);
      await Promise.all([node.runJobs(), at.service.runJobs()]);
      assert.equal(taken(), before + 1);
      assert.equal(await freeIn(at.service), POOL * KINDS);
    } finally {
      await node.stop();
    }
  });

  test('shows how many are free', async () => {
    await create();
    const { text } = await at.service.get('/metrics');
    assert.match(text, new RegExp(`^trilho_rail_locations_free\\{rail="${RAIL}",kind="cob"\\} ${POOL}$`, 'm'));
    assert.match(text, new RegExp(`^trilho_rail_locations_free\\{rail="${RAIL}",kind="cobv"\\} ${POOL - 1}$`, 'm'));
  });

  test('tries again when the PSP gives no location', async () => {
    await create();
    at.psp.setFault({ kind: 'status', status: 503, on: { path: '/loc' } });
    await pass(at.service);
    assert.equal(await freeIn(at.service), POOL * KINDS - 1);
    at.psp.clearFaults();
    await pass(at.service);
    assert.equal(await freeIn(at.service), POOL * KINDS);
  });
});

describe('a service with some parts replaced', () => {
  let psp: Psp;
  let database: TestDatabase;
  let wire: CutWire;
  let service: Service;
  let stopRail: () => void;
  before(async () => {
    const clock = testClock('2026-11-16T12:00:00.000Z');
    psp = await startTestPsp({ clock: { now: () => service?.clock.now() ?? clock.now() } });
    const pix = bacenRail(railSettings(psp, { locationPool: 2 * POOL }), { clock, log: silentLog });
    stopRail = pix.stop;
    database = await createDatabase();
    wire = await startCutWire(database.url);
    service = await startService({ rails: { ...sandboxRails, pix }, env: { DATABASE_URL: wire.url } });
    await service.runJobs();
  });
  after(async () => {
    await service.stop();
    stopRail();
    await wire.close();
    await database.drop();
    await psp.stop();
  });

  /** The address that was committed with the charge. */
  async function urlOf(chargeId: string): Promise<string> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('select url from rail_locations where charge_id = $1', [chargeId]);
    await client.end();
    return rows[0].url;
  }

  test('an order has a code while the PSP is unavailable, at once or with its attached charge', async () => {
    psp.setFault({ kind: 'cut' });
    const orders = orderDriver(service);
    const order = await orders.order({ externalId: 'order-1' });
    const { pix, id } = order.json.charge;
    assert.equal(pix.status, 'CREATING', order.text);
    assert.notEqual(pix.emv, '');
    assert.equal((await orders.order({ externalId: 'order-1' })).text, order.text);
    psp.clearFaults();
    await service.runJobs();
    const { json } = await service.get(`/charges/${id}`);
    assert.deepEqual([json.pix.status, json.pix.emv], ['ACTIVE', pix.emv]);
    await psp.pay({ emv: pix.emv });
    psp.setFault({ kind: 'cut' });
    const bare = await orders.order({ charge: undefined });
    await service.post(`/crypto/transactions/${bare.json.transactionId}/charge`, CHARGE_PART);
    const { charge } = await orders.read(bare);
    assert.equal(charge.pix.status, 'CREATING');
    assert.notEqual(charge.pix.emv, '');
    psp.clearFaults();
    await service.runJobs();
    await psp.pay({ emv: charge.pix.emv });
  });

  test('a charge whose commit had no answer keeps the location that was committed', async () => {
    await pass(service);
    wire.cutAtCommit({ forGood: false });
    const made = await service.post('/charges', chargeBody({ methods: ['pix'] }));
    assert.equal(wire.cuts(), 1);
    assert.equal(made.status, 201, made.text);
    const { json } = await service.get(`/charges/${made.json.id}`);
    assert.deepEqual([made.json.pix.status, made.json.pix.emv], [json.pix.status, json.pix.emv]);
    assert.ok(made.json.pix.emv.includes(await urlOf(made.json.id)));
    await service.runJobs();
    await psp.pay({ emv: made.json.pix.emv });
  });

  test('so does the charge of an order', async () => {
    await pass(service);
    const orders = orderDriver(service);
    await orders.wallet('polygon');
    const { json: quote } = await orders.quote();
    const before = wire.cuts();
    wire.cutAtCommit({ forGood: false });
    const order = await orders.order({ quoteId: quote.quoteId ?? quote.id });
    assert.equal(wire.cuts(), before + 1);
    assert.equal(order.status, 201, order.text);
    assert.ok(order.json.charge.pix.emv.includes(await urlOf(order.json.charge.id)));
    await service.runJobs();
    await psp.pay({ emv: order.json.charge.pix.emv });
  });
});

test('a profile without locations refuses a pool', async () => {
  const psp = await startTestPsp();
  const deps = { clock: testClock('2026-11-16T12:00:00.000Z'), log: silentLog };
  const rails = (changes: Partial<BacenEntry>) => () =>
    liveRails({ rails: [railSettings(psp, changes)], boletos: [] }, deps);
  try {
    assert.throws(rails({ profile: 'bradesco', locationPool: 1 }), {
      message: 'rails[0].locationPool must be 0: the profile bradesco has no locations.',
    });
    assert.equal(rails({ profile: 'bradesco', locationPool: 0 })().rails.pix.locations, undefined);
    assert.equal(rails({})().rails.pix.locations, undefined, 'no pool by default');
  } finally {
    await psp.stop();
  }
});
