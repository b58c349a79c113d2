// Creating a charge at a PSP and asking it for a payment that it notified, cut off after every statement and every answer, and
// resumed: it is registered once and credited once. Every other verb, and real kills: psp-crash-steps.deep.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { crashEverywhere } from '../harness/crash.ts';
import { railSettings, type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import { openPspNode, type PspNode, type PspPlace, type PspVerb, type PspVictim } from '../harness/psp-verbs.ts';
import { cutOffAfter } from '../harness/steps.ts';

let at: ServiceAtPsp;
/** Runs verbs without a service. */
let node: PspNode;
before(async () => {
  // Long enough that a slow machine never makes the PSP's answer a lost one.
  at = await startServiceAtPsp({ rail: { timeoutSeconds: 60 }, env: { TRILHO_BANK_WAIT_MS: '30000' } });
  await at.registerWebhook();
  node = await openPspNode(at.service.databaseUrl);
});
after(async () => {
  await node.close();
  await at.stop();
});

const customer = { name: 'Maria', document: '52998224725' };
const pspId = (id: string) => id.replaceAll('-', '');

function cutOffEverywhere<V extends PspVictim>(verb: PspVerb, prepare: () => Promise<V>): Promise<V[]> {
  const { certificate: certificateFile, key: privateKeyFile } = at.psp.files.receiver;
  const place: PspPlace = {
    rail: railSettings(at.psp, { timeoutSeconds: 60 }),
    controlUrl: at.psp.controlUrl,
    receiver: { certificateFile, privateKeyFile, pathToken: 'unused' },
  };
  const now = at.service.clock.now().toISOString();
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { now, place, steps })),
  });
}

test('creating a charge while its caller waits for the PSP', async () => {
  let count = 0;
  const victims = await cutOffEverywhere('create', async () => ({ chargeId: '', externalId: `crash-${++count}` }));
  const ids: string[] = [];
  for (const { externalId } of victims) {
    const repeat = await at.service.post('/charges', chargeBody({ methods: ['pix'], customer, externalId }));
    assert.equal(repeat.status, 201, repeat.text);
    ids.push(repeat.json.id);
  }
  assert.equal(new Set(ids).size, victims.length);
  await at.service.runJobs();
  for (const id of ids) {
    assert.equal((await at.service.get(`/charges/${id}`)).json.pix.status, 'ACTIVE');
    const puts = at.psp.requests().filter(({ method, path }) => method === 'PUT' && path.endsWith(`/${pspId(id)}`));
    assert.equal(puts.length, 1, 'registered once');
  }
});

test('asking the PSP for the payment that it notified', async () => {
  const victims = await cutOffEverywhere('handle notifications', async () => {
    await at.service.runJobs();
    const { json } = await at.service.post('/charges', chargeBody({ methods: ['pix'], customer }));
    await at.psp.pay({ emv: json.pix.emv });
    await at.psp.settled();
    const rows = await at.service.sql<{ id: string }>('select id from notifications where handled_at is null');
    assert.equal(rows.length, 1);
    return { chargeId: json.id as string, notificationIds: rows.map(({ id }) => id) };
  });
  await at.service.runJobs();
  for (const { chargeId } of victims) {
    const { state, payments } = (await at.service.get(`/charges/${chargeId}`)).json;
    assert.equal(`${state} ${payments.length}`, 'PAID 1');
  }
});
