// Making and canceling instalments, killed or cut off after each of their steps and taken up again: all of them or none.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type ChargeNode, type ChargeVerb, type ChargeVictim, openChargeNode } from '../harness/charge-verbs.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { ChargeCrash } from '../harness/crash-at-step.ts';
import { bankRecords, fileBank } from '../harness/file-bank.ts';
import { type Service, startService } from '../harness/service.ts';
import { cutOffAfter } from '../harness/steps.ts';

const NOW = '2026-11-16T12:00:00.000Z';
const COUNT = 3;

let folder: string;
let bankFile: string;
let service: Service;
let node: ChargeNode;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-instalments-'));
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

const body = (externalId: string) => ({
  ...{ accountId: 'acme', externalId, amountCents: 100_000, currency: 'BRL', count: COUNT, firstDueDay: '2026-12-31' },
  ...{ methods: ['boleto', 'pix'], customer: { name: 'Maria', document: '52998224725' } },
});

async function create(externalId: string) {
  const made = await service.post('/instalments', body(externalId));
  assert.equal(made.status, 201, made.text);
  return made.json;
}

function endEverywhere(verb: ChargeVerb, prepare: () => Promise<ChargeVictim>): Promise<ChargeVictim[]> {
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { bankFile, now: NOW, steps })),
    kill: (victim, step) => {
      const order: ChargeCrash = { databaseUrl: service.databaseUrl, now: NOW, verb, step, bankFile, victim };
      return crashAt('./crash-at-step.ts', order);
    },
  });
}

/** How many charges each plan has, by its externalId. */
async function written(): Promise<Map<string, number>> {
  const rows = await service.sql<{ external_id: string; charges: number }>(
    `select p.external_id, count(c.id)::int as charges
       from instalment_plans p left join charges c on c.instalment_plan_id = p.id group by p.external_id`,
  );
  return new Map(rows.map(row => [row.external_id, row.charges]));
}

test('making', async () => {
  let count = 0;
  const victims = await endEverywhere('create instalments', async () => ({
    chargeId: '',
    externalId: `crash-${++count}`,
  }));
  for (const [externalId, charges] of await written()) assert.equal(charges, COUNT, `${externalId} is whole`);
  const plans = [];
  for (const { externalId = '' } of victims) plans.push(await create(externalId));
  assert.equal(new Set(plans.map(({ id }) => id)).size, victims.length);
  await service.runJobs();
  for (const { id } of plans) {
    const { charges, state } = (await service.get(`/instalments/${id}`)).json;
    const states = charges.map((charge: { state: string }) => charge.state);
    assert.deepEqual([state, ...states], ['OPEN', ...Array(COUNT).fill('ACTIVE')]);
    const types = await service.sql<{ type: string }>('select type from events where object_id = $1', [id]);
    assert.deepEqual(
      types.map(({ type }) => type),
      ['instalments.created'],
    );
    for (const charge of charges) {
      for (const method of ['pix', 'boleto']) {
        const sent = bankRecords(bankFile).filter(record => record === `submit ${method} ${charge.id}`);
        assert.equal(sent.length, 1, `${method} was sent once`);
      }
    }
  }
  const [row] = await service.sql('select count(*)::int as count from charges');
  assert.equal(row!['count'], victims.length * COUNT, 'no charge is left over');
});

test('canceling', async () => {
  let count = 0;
  const victims = await endEverywhere('cancel instalments', async () => {
    const { id } = await create(`cancel-${++count}`);
    await service.runJobs();
    return { chargeId: '', planId: id };
  });
  for (const { planId } of victims) {
    const before = (await service.get(`/instalments/${planId}`)).json;
    const states = new Set(before.charges.map((charge: { state: string }) => charge.state));
    assert.deepEqual([...states], [before.state === 'CANCELED' ? 'CANCELED' : 'ACTIVE'], 'all of them or none');
    assert.equal((await service.post(`/instalments/${planId}/cancel`, {})).json.state, 'CANCELED');
  }
  await service.runJobs();
  for (const { planId } of victims) {
    const types = await service.sql<{ type: string }>(
      'select type from events where object_id = $1 order by sequence',
      [planId],
    );
    assert.deepEqual(
      types.map(({ type }) => type),
      ['instalments.created', 'instalments.canceled'],
    );
  }
});
