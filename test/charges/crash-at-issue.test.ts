// Creating and issuing a charge and recording its payment, cut off after each step and resumed: nothing is lost, doubled or
// stuck. Every other verb, and real kills: crash-steps.deep.test.ts.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type ChargeNode, type ChargeVerb, type ChargeVictim, openChargeNode } from '../harness/charge-verbs.ts';
import { crashEverywhere } from '../harness/crash.ts';
import { bankRecords, fileBank } from '../harness/file-bank.ts';
import { type Service, startService } from '../harness/service.ts';
import { cutOffAfter } from '../harness/steps.ts';

const NOW = '2026-11-16T12:00:00.000Z';

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

function cutOffEverywhere(verb: ChargeVerb, prepare: () => Promise<ChargeVictim>): Promise<ChargeVictim[]> {
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { bankFile, now: NOW, steps })),
  });
}

async function make(): Promise<ChargeVictim> {
  return { chargeId: (await service.post('/charges', chargeBody())).json.id };
}

/** It is issued at both banks, was sent to each once, and has these events. */
async function assertIssuedOnce(chargeId: string, events: string): Promise<void> {
  const rows = await service.sql<{ type: string }>('select type from events where object_id = $1 order by sequence', [
    chargeId,
  ]);
  assert.equal(rows.map(row => row.type.replace('charge.', '')).join(' '), events);
  for (const method of ['pix', 'boleto']) {
    const sent = bankRecords(bankFile).filter(record => record === `submit ${method} ${chargeId}`);
    assert.equal(sent.length, 1, `${method} was sent once`);
  }
}

test('making', async () => {
  let count = 0;
  const victims = await cutOffEverywhere('create', async () => ({ chargeId: '', externalId: `crash-${++count}` }));
  const ids: string[] = [];
  for (const { externalId } of victims) {
    const body = chargeBody({ externalId, customer: { name: 'Maria', document: '52998224725' } });
    const repeat = await service.post('/charges', body);
    assert.equal(repeat.status, 201, repeat.text);
    ids.push(repeat.json.id);
  }
  assert.equal(new Set(ids).size, victims.length);
  await service.runJobs();
  for (const id of ids) await assertIssuedOnce(id, 'created active');
});

test('issuing', async () => {
  const victims = await cutOffEverywhere('issue', make);
  await service.runJobs();
  for (const { chargeId } of victims) await assertIssuedOnce(chargeId, 'created active');
});

test('paying', async () => {
  const victims = await cutOffEverywhere('pay', async () => {
    const made = await make();
    await service.runJobs();
    return made;
  });
  for (const { chargeId } of victims) {
    // The payment is reported again.
    const payment = { amountCents: 15_990, reference: `paid ${chargeId}` };
    assert.equal((await service.post(`/charges/${chargeId}/payments`, payment)).status, 201);
  }
  await service.runJobs();
  for (const { chargeId } of victims) {
    const { state, payments, pix, boleto } = (await service.get(`/charges/${chargeId}`)).json;
    assert.equal(`${state} ${payments.length} ${pix.status} ${boleto.status}`, 'PAID 1 PAID PAID_BY_OTHER_METHOD');
    await assertIssuedOnce(chargeId, 'created active paid');
  }
});
