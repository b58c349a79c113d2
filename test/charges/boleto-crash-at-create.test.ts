// Creating a charge at a bank with a boleto API, cut off after every statement and every answer of the bank, and resumed: its
// boleto is registered once. Other banks and verbs, and real kills: boleto-crash-steps.deep.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { boletoBody } from '../harness/agreements.ts';
import { apiEntry, type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { type BoletoNode, openBoletoNode } from '../harness/boleto-verbs.ts';
import { crashEverywhere } from '../harness/crash.ts';
import { cutOffAfter } from '../harness/steps.ts';

/** Long enough that a slow machine never makes the bank's answer a lost one. */
const patient = { timeoutSeconds: 60 };

let at: ServiceAtBank;
/** Runs verbs without a service. */
let node: BoletoNode;
before(async () => {
  at = await startServiceAtBank('inter', { api: patient, env: { TRILHO_BANK_WAIT_MS: '30000' } });
  node = await openBoletoNode(at.service.databaseUrl);
});
after(async () => {
  await node.close();
  await at.stop();
});

test('creating a charge while its caller waits for the bank', async () => {
  const banks = { rails: [], boletos: [apiEntry(at.psp, { api: patient })] };
  const now = at.service.clock.now().toISOString();
  let count = 0;
  const victims = await crashEverywhere({
    prepare: async () => [`crash-${++count}`],
    crash: (externalId, step) => cutOffAfter(step, steps => node.run('create', externalId, { now, banks, steps })),
  });
  const ids: string[] = [];
  for (const externalId of victims) {
    const repeat = await at.service.post('/charges', boletoBody({ externalId }));
    assert.equal(repeat.status, 201, repeat.text);
    ids.push(repeat.json.id);
  }
  for (let look = 0; look < 4; look++) await at.look();
  const lines = new Set<string>();
  for (const id of ids) {
    const { boleto } = await at.read(id);
    assert.equal(boleto.status, 'REGISTERED');
    lines.add(boleto.digitableLine);
  }
  assert.equal(lines.size, victims.length);
  const { titles } = at.psp.state();
  assert.equal(new Set(titles.map(({ ownNumber }) => ownNumber)).size, titles.length, 'no number is used twice');
  assert.equal(titles.length, victims.length, 'no boleto is registered twice');
});
