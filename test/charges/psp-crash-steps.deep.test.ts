// What a service does at a PSP, cut off after every statement and every answer of the PSP, really killed after one of them, and
// resumed by another: a charge is registered once, a payment credited once, money refunded once.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import { silentLog } from '../harness/log.ts';
import { differences } from '../harness/order-proof.ts';
import { freePort } from '../harness/process.ts';
import { railSettings, type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import type { PspCrash } from '../harness/psp-crash-at-step.ts';
import { openPspNode, type PspNode, type PspPlace, type PspVerb, type PspVictim } from '../harness/psp-verbs.ts';
import { cutOffAfter } from '../harness/steps.ts';

const PATH_TOKEN = 'notified-here';

let at: ServiceAtPsp;
let db: Database;
/** Runs verbs without a service. */
let node: PspNode;
before(async () => {
  // Long enough that a slow machine never makes the PSP's answer a lost one: only a kill may.
  at = await startServiceAtPsp({ rail: { timeoutSeconds: 60 }, env: { TRILHO_BANK_WAIT_MS: '30000' } });
  await at.registerWebhook();
  db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
  node = await openPspNode(at.service.databaseUrl);
});
after(async () => {
  await node.close();
  await db.close();
  await at.stop();
});
afterEach(async () => assert.deepEqual(await differences(db), [], 'the ledger is right'));

const customer = { name: 'Maria', document: '52998224725' };
const newCharge = (changes: Record<string, unknown> = {}) => chargeBody({ methods: ['pix'], customer, ...changes });
const read = async (id: string) => (await at.service.get(`/charges/${id}`)).json;

/** Ends a verb after each of its steps, each time on another victim. */
function crashVerb<V extends PspVictim>(verb: PspVerb, prepare: () => Promise<V>): Promise<V[]> {
  const { service, psp } = at;
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  const place: PspPlace = {
    rail: railSettings(psp, { timeoutSeconds: 60 }),
    controlUrl: psp.controlUrl,
    receiver: { certificateFile, privateKeyFile, pathToken: PATH_TOKEN },
  };
  const now = () => service.clock.now().toISOString();
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { now: now(), place, steps })),
    kill: (victim, step) => {
      const order: PspCrash = { verb, step, now: now(), databaseUrl: service.databaseUrl, victim, place };
      return crashAt('psp-crash-at-step.ts', order);
    },
  });
}

/** A minute later the next look is due. */
const passMinute = () => at.service.clock.advanceMs(61_000);
/** As if the node that held the lease were long dead. */
const releaseLease = () => at.service.sql('delete from leases');
/** A look, after which the next is due in a minute. */
async function look(): Promise<void> {
  await releaseLease();
  passMinute();
  await at.service.runJobs();
}

type Made = PspVictim & { readonly emv: string };

async function make(): Promise<Made> {
  const { json, text } = await at.service.post('/charges', newCharge());
  assert.equal(json.pix.status, 'ACTIVE', text);
  return { chargeId: json.id, emv: json.pix.emv };
}
async function paid(): Promise<Made & { readonly endToEndId: string }> {
  const made = await make();
  const { endToEndId } = await at.psp.pay({ emv: made.emv });
  await at.psp.settled();
  await at.service.runJobs();
  assert.equal((await read(made.chargeId)).state, 'PAID');
  return { ...made, endToEndId };
}

/** The notifications that wait to be handled. */
async function waiting(): Promise<{ notificationIds: readonly string[] }> {
  await at.psp.settled();
  const rows = await at.service.sql<{ id: string }>('select id from notifications where handled_at is null');
  assert.equal(rows.length, 1);
  return { notificationIds: rows.map(({ id }) => id) };
}
/** Runs `work` while the PSP sends no notifications. */
function unnotified<T>(work: () => T): T {
  at.psp.setFault({ kind: 'notify-drop', count: 1 });
  return work();
}

async function eventsOf(id: string): Promise<string> {
  const rows = await at.service.sql<{ type: string }>(
    'select type from events where object_id = $1 order by sequence',
    [id],
  );
  return rows.map(row => row.type.replace('charge.', '')).join(' ');
}

/** How often the PSP was sent a PUT whose path ends so. */
const putsOf = (end: string) =>
  at.psp.requests().filter(({ method, path }) => method === 'PUT' && path.endsWith(end)).length;
const pspId = (id: string) => id.replaceAll('-', '');

type ShownPix = { readonly txid: string; readonly devolucoes?: readonly { readonly valor: string }[] };
const pixOf = (chargeId: string) => (at.psp.state().pix as ShownPix[]).filter(({ txid }) => txid === pspId(chargeId));

async function assertPaidOnce(chargeId: string): Promise<void> {
  const { state, payments } = await read(chargeId);
  assert.equal(`${state} ${payments.length}`, 'PAID 1');
  assert.equal(await eventsOf(chargeId), 'created active paid');
}

test('creating a charge while its caller waits for the PSP', async () => {
  let count = 0;
  const victims = await crashVerb('create', async () => ({ chargeId: '', externalId: `crash-${++count}` }));
  const ids: string[] = [];
  for (const { externalId } of victims) {
    const repeat = await at.service.post('/charges', newCharge({ externalId }));
    assert.equal(repeat.status, 201, repeat.text);
    ids.push(repeat.json.id);
  }
  await at.service.runJobs();
  for (const id of ids) {
    const { pix } = await read(id);
    assert.equal(pix.status, 'ACTIVE');
    assert.equal(putsOf(`/${pspId(id)}`), 1, 'registered once');
    assert.equal((await at.psp.pay({ emv: pix.emv, notify: false })).txid, pspId(id));
  }
  assert.equal(new Set(ids).size, victims.length);
  await look();
  for (const id of ids) await assertPaidOnce(id);
});

test('being notified of a payment', async () => {
  const victims = await crashVerb('be notified', async () => {
    const port = await freePort();
    await at.registerWebhook(`https://localhost:${port}/${PATH_TOKEN}`);
    return { ...(await make()), port };
  });
  await at.registerWebhook();
  for (const { chargeId } of victims) {
    const [sent] = at.psp.notifications().filter(({ body }) => body.includes(pspId(chargeId)));
    const stored = await at.service.sql('select from notifications where body like $1', [`%${pspId(chargeId)}%`]);
    if (sent?.status === 'delivered') assert.equal(stored.length, 1, 'an acknowledged notification is stored');
  }
  await at.service.runJobs();
  // It was acknowledged, so no look is needed.
  await assertPaidOnce(victims.at(-1)!.chargeId);
  await look();
  for (const { chargeId } of victims) await assertPaidOnce(chargeId);
});

test('asking the PSP for the payment that it notified', async () => {
  await look();
  const victims = await crashVerb('handle notifications', async () => {
    await at.service.runJobs();
    const { emv, ...made } = await make();
    await at.psp.pay({ emv });
    return { ...made, ...(await waiting()) };
  });
  await at.service.runJobs();
  for (const { chargeId } of victims) await assertPaidOnce(chargeId);
  await look();
  for (const { chargeId } of victims) await assertPaidOnce(chargeId);
});

test('finding a payment without a notification', async () => {
  let made: Made | undefined;
  const victims = await crashVerb('look', async () => {
    await releaseLease();
    await at.service.runJobs();
    // Another node resumes the work of the dead one, and waits for no other look.
    if (made) await assertPaidOnce(made.chargeId);
    await look();
    made = await make();
    await at.psp.pay({ emv: made.emv, notify: false });
    passMinute();
    return made;
  });
  await look();
  for (const { chargeId } of victims) await assertPaidOnce(chargeId);
  await look();
  for (const { chargeId } of victims) await assertPaidOnce(chargeId);
});

test('refunding', async () => {
  // The PSP does not report the refund: only the refund's own job can find out its result.
  const victims = await crashVerb('refund', async () => {
    at.psp.clearFaults();
    const victim = await paid();
    at.psp.setFault({ kind: 'notify-drop' });
    return victim;
  });
  for (const { chargeId } of victims) {
    const body = { amountCents: 1_000 };
    const answer = await at.service.post(`/charges/${chargeId}/refunds`, body, { 'idempotency-key': 'once' });
    assert.equal(answer.status, 201, answer.text);
  }
  await at.service.runJobs();
  at.psp.clearFaults();
  await look();
  for (const { chargeId } of victims) {
    const { state, refunds } = await read(chargeId);
    assert.equal(`${state} ${refunds.length} ${refunds[0].status}`, 'PARTIALLY_REFUNDED 1 DONE');
    assert.equal(putsOf(`/devolucao/${pspId(refunds[0].id)}`), 1, 'sent once');
    assert.deepEqual(
      pixOf(chargeId).map(({ devolucoes = [] }) => devolucoes.map(({ valor }) => valor)),
      [['10.00']],
    );
    assert.equal(await eventsOf(chargeId), 'created active paid refund_requested refunded');
  }
});

for (const [how, verb] of [
  ['with a notification', 'handle notifications'],
  ['without a notification', 'look'],
] as const) {
  test(`money that the PSP takes back, ${how}`, async () => {
    const victims = await crashVerb(verb, async () => {
      // A look reads the returns of the last quarter of an hour again; earlier victims should not add to its steps.
      at.service.clock.advanceMs(16 * 60_000);
      await look();
      const { endToEndId, ...victim } = await paid();
      if (verb === 'handle notifications') {
        at.psp.medReturn({ endToEndId });
        return { ...victim, ...(await waiting()) };
      }
      unnotified(() => at.psp.medReturn({ endToEndId }));
      passMinute();
      return victim;
    });
    await look();
    await look();
    for (const { chargeId } of victims) {
      const { state, refunds } = await read(chargeId);
      assert.equal(`${state} ${refunds.length} ${refunds[0].kind} ${refunds[0].status}`, 'REFUNDED 1 return DONE');
      assert.equal(await eventsOf(chargeId), 'created active paid returned');
      const { json } = await at.service.get(`/disputes?chargeId=${chargeId}`);
      assert.deepEqual(
        json.disputes.map(({ status }: { status: string }) => status),
        ['lost'],
      );
      const { json: feed } = await at.service.get(`/events?objectId=${json.disputes[0].id}`);
      assert.deepEqual(
        feed.events.map(({ type }: { type: string }) => type),
        ['dispute.opened', 'dispute.closed'],
      );
    }
  });
}
