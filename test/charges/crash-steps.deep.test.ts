// Every verb of a charge's life, cut off between every two steps, really killed at one of them, and resumed: nothing is lost,
// doubled or stuck.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type ChargeNode, type ChargeVerb, type ChargeVictim, openChargeNode } from '../harness/charge-verbs.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { ChargeCrash } from '../harness/crash-at-step.ts';
import { bankRecords, fileBank } from '../harness/file-bank.ts';
import { type Service, startService } from '../harness/service.ts';
import { cutOffAfter } from '../harness/steps.ts';

const NOW = '2026-11-16T12:00:00.000Z';
const PAID_BY_THEN = '2026-12-10T14:00:00.000Z';
const LATER = '2027-02-01T12:00:00.000Z';

let folder: string;
let bankFile: string;
let service: Service;
/** Runs verbs without a service. */
let node: ChargeNode;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-crash-'));
  bankFile = path.join(folder, 'bank');
  await writeFile(bankFile, '');
  service = await startService({ now: NOW, rails: fileBank(bankFile) });
  node = await openChargeNode(service.databaseUrl);
});
after(async () => {
  await node.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Ends a verb after each of its steps, each time on another charge. */
function crashVerb(verb: ChargeVerb, prepare: () => Promise<ChargeVictim>, now = NOW): Promise<ChargeVictim[]> {
  const { databaseUrl } = service;
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { bankFile, now, steps })),
    kill: (victim, step) => {
      const order: ChargeCrash = { verb, step, now, databaseUrl, bankFile, victim };
      return crashAt('crash-at-step.ts', order);
    },
  });
}

async function make(changes: Record<string, unknown> = {}): Promise<ChargeVictim> {
  return { chargeId: (await service.post('/charges', chargeBody(changes))).json.id };
}
async function issued(): Promise<ChargeVictim> {
  const made = await make();
  await service.runJobs();
  return made;
}
async function paid(): Promise<ChargeVictim> {
  const made = await issued();
  const answer = await service.post(`/sandbox/charges/${made.chargeId}/pay`, { method: 'pix' });
  assert.equal(answer.json.state, 'PAID');
  return made;
}

const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
async function eventsOf(id: string): Promise<string> {
  const rows = await service.sql<{ type: string }>('select type from events where object_id = $1 order by sequence', [
    id,
  ]);
  return rows.map(row => row.type.replace('charge.', '')).join(' ');
}
const countInBank = (what: string) => bankRecords(bankFile).filter(record => record === what).length;

test('creating a charge', async () => {
  let count = 0;
  const victims = await crashVerb('create', async () => ({ chargeId: '', externalId: `crash-${++count}` }));
  for (const { externalId } of victims) {
    const body = chargeBody({ externalId, customer: { name: 'Maria', document: '52998224725' } });
    const repeat = await service.post('/charges', body);
    assert.equal(repeat.status, 201, repeat.text);
    await service.runJobs();
    assert.equal((await read(repeat.json.id)).state, 'ACTIVE');
    assert.equal(await eventsOf(repeat.json.id), 'created active');
  }
  const [row] = await service.sql<{ count: string }>(`select count(*) from charges where external_id like 'crash-%'`);
  assert.equal(Number(row!.count), victims.length);
});

test('issuing', async () => {
  const victims = await crashVerb('issue', make);
  await service.runJobs();
  for (const { chargeId } of victims) {
    const { pix, boleto } = await read(chargeId);
    assert.equal(`${pix.status} ${boleto.status}`, 'ACTIVE REGISTERED');
    assert.equal(countInBank(`submit pix ${chargeId}`), 1, 'sent once');
    assert.equal(await eventsOf(chargeId), 'created active');
  }
});

test('paying', async () => {
  const victims = await crashVerb('pay', issued);
  for (const { chargeId } of victims) {
    // The payment is reported again.
    const recorded = await service.post(`/charges/${chargeId}/payments`, {
      amountCents: 15_990,
      reference: `paid ${chargeId}`,
    });
    assert.equal(recorded.status, 201, recorded.text);
  }
  await service.runJobs();
  for (const { chargeId } of victims) {
    const { state, payments, pix, boleto } = await read(chargeId);
    assert.equal(`${state} ${payments.length} ${pix.status} ${boleto.status}`, 'PAID 1 PAID PAID_BY_OTHER_METHOD');
    assert.equal(await eventsOf(chargeId), 'created active paid');
    assert.ok(countInBank(`cancel boleto ${chargeId}`) >= 1, 'the boleto was withdrawn');
  }
});

test('canceling', async () => {
  const victims = await crashVerb('cancel', issued);
  for (const { chargeId } of victims) await service.send(`/charges/${chargeId}/cancel`, { method: 'POST' });
  await service.runJobs();
  for (const { chargeId } of victims) {
    assert.equal((await read(chargeId)).state, 'CANCELED');
    assert.equal(await eventsOf(chargeId), 'created active canceled');
    for (const method of ['pix', 'boleto']) assert.ok(countInBank(`cancel ${method} ${chargeId}`) >= 1);
  }
});

test('requesting a refund', async () => {
  const victims = await crashVerb('refund', paid);
  for (const { chargeId } of victims) {
    const answer = await service.post(
      `/charges/${chargeId}/refunds`,
      { amountCents: 1_000 },
      { 'idempotency-key': 'once' },
    );
    assert.equal(answer.status, 201);
  }
  await service.runJobs();
  for (const { chargeId } of victims) {
    const { refunds } = await read(chargeId);
    assert.equal(refunds.length, 1);
    assert.equal(refunds[0].status, 'DONE');
    assert.equal(countInBank(`refund ${refunds[0].id}`), 1, 'sent once');
  }
});

test('carrying out a refund', async () => {
  const victims = await crashVerb('carry out refund', async () => {
    const { chargeId } = await paid();
    const refund = await service.post(`/charges/${chargeId}/refunds`, {});
    return { chargeId, refundId: refund.json.id };
  });
  await service.runJobs();
  for (const { chargeId, refundId } of victims) {
    const { state, refunds } = await read(chargeId);
    assert.equal(`${state} ${refunds[0].status}`, 'REFUNDED DONE');
    assert.equal(countInBank(`refund ${refundId}`), 1, 'sent once');
    assert.equal(await eventsOf(chargeId), 'created active paid refund_requested refunded');
  }
});

test('asking the banks for payments', async () => {
  const paying = async () => {
    const made = await make({ amountCents: 9_004 });
    await service.runJobs();
    return made;
  };
  const victims = await crashVerb('reconcile', paying, PAID_BY_THEN);
  assert.equal((await service.post('/sandbox/clock', { to: PAID_BY_THEN })).status, 200);
  for (const { chargeId } of victims) {
    assert.equal((await read(chargeId)).payments.length, 2);
    assert.equal(await eventsOf(chargeId), 'created active paid paid_twice');
  }
});

test('overdue, expiry and settlement', async () => {
  const settling: ChargeVictim[] = [];
  const victims = await crashVerb(
    'sweep',
    async () => {
      const other = await issued();
      await service.post(`/sandbox/charges/${other.chargeId}/pay`, { method: 'boleto' });
      settling.push(other);
      return issued();
    },
    LATER,
  );
  const moved = await service.post('/sandbox/clock', { to: LATER });
  assert.equal(moved.status, 200, moved.text);
  for (const { chargeId } of victims) {
    assert.equal((await read(chargeId)).state, 'EXPIRED');
    assert.equal(await eventsOf(chargeId), 'created active overdue expired');
  }
  for (const { chargeId } of settling) {
    assert.equal((await read(chargeId)).state, 'SETTLED');
    assert.equal(await eventsOf(chargeId), 'created active paid settled');
  }
  const [left] = await service.sql<{ count: string }>('select count(*) from charge_timers where at <= $1', [LATER]);
  assert.equal(Number(left!.count), 0, 'no due timer is left');
});
