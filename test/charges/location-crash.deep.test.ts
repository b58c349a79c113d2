// A node that is killed between any two steps of taking a location, or of creating a charge that has one: no location is given
// twice, and a repeat gets the code that can be paid.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { testClock } from '../harness/clock.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { LocationCrash } from '../harness/location-crash-at-step.ts';
import { silentLog } from '../harness/log.ts';
import { railSettings } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

const NOW = '2026-11-16T12:00:00.000Z';
const POOL = 3;
const KINDS = 2;

let psp: Psp;
let service: Service;
let stopRail: () => void;
const settings = () => railSettings(psp, { locationPool: POOL });
before(async () => {
  const clock = testClock(NOW);
  psp = await startTestPsp({ clock });
  const pix = bacenRail(settings(), { clock, log: silentLog });
  stopRail = pix.stop;
  service = await startService({ now: NOW, rails: { ...sandboxRails, pix } });
});
after(async () => {
  await service.stop();
  stopRail();
  await psp.stop();
});

function crashVerb(verb: string, prepare: () => Promise<void>): Promise<number[]> {
  let count = 0;
  return crashEverywhere({
    prepare: async () => {
      await prepare();
      return [++count];
    },
    crash: (_, step) => {
      const order: LocationCrash = { verb, step, now: NOW, databaseUrl: service.databaseUrl, rail: settings() };
      return crashAt('location-crash-at-step.ts', order);
    },
  });
}

/** As if the node that held the lease were long dead, and the next fill due. */
async function releaseLease(): Promise<void> {
  await service.sql('delete from leases');
  await service.sql('update rails set next_fill_at = null');
}
async function fill(): Promise<void> {
  await releaseLease();
  await service.runJobs();
}
const freeUrls = async () =>
  (await service.sql<{ url: string }>('select url from rail_locations where charge_id is null')).map(({ url }) => url);

test('taking locations', async () => {
  await crashVerb('fill', async () => {
    await service.sql('delete from rail_locations');
    await releaseLease();
  });
  await fill();
  const [free, known] = [await freeUrls(), psp.state().locations];
  assert.equal(free.length, POOL * KINDS);
  for (const url of free) assert.ok(JSON.stringify(known).includes(`"${url}"`), url);
  assert.ok(known.length > free.length, 'some were taken and not saved, and belong to no charge');
});

test('creating a charge', async () => {
  const victims = await crashVerb('create', fill);
  await fill();
  const codes: string[] = [];
  for (const step of victims) {
    const body = chargeBody({ methods: ['pix'], externalId: `crash-${step}` });
    const before = await service.post('/charges', body);
    assert.equal(before.status, 201, before.text);
    assert.notEqual(before.json.pix.emv, '');
    await fill();
    const { json } = await service.post('/charges', body);
    assert.deepEqual([json.pix.status, json.pix.emv], ['ACTIVE', before.json.pix.emv]);
    await psp.pay({ emv: json.pix.emv });
    codes.push(json.pix.emv);
  }
  assert.equal(new Set(codes).size, victims.length);
  const wrong = await service.sql(
    `select from charge_methods m full join rail_locations l
         on l.rail = m.rail and l.url = m.location ->> 'url' and l.charge_id = m.charge_id
      where (m.location is not null or l.charge_id is not null) and (m.location is null or l.charge_id is null)`,
  );
  assert.equal(wrong.length, 0, 'a location is taken exactly when a charge has it');
  const registered = await service.sql<{ reference: string }>('select reference from charge_methods');
  assert.equal(registered.length, victims.length);
});
