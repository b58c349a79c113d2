// Orders that are paid by boleto: each gets a number of its bank's agreement, with a payer named at once or later.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { liveRails } from '../../src/rails/live-rails.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { apiEntry, BOLETO_RAIL } from '../harness/boleto-bank.ts';
import { testClock } from '../harness/clock.ts';
import { silentLog } from '../harness/log.ts';
import { orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

const FILES = 'sicoob:files';
const RAIL_OF: Readonly<Record<string, string>> = { acme: FILES, beta: BOLETO_RAIL };

let service: Service;
let stop: () => Promise<void>;
before(async () => {
  const clock = testClock('2026-11-16T12:00:00.000Z');
  const psp = await startTestPsp({ profile: 'sicoob', clock });
  const entries = [
    agreementEntry('756', { name: FILES, firstNumber: '100', lastNumber: '102', accounts: ['acme'] }),
    apiEntry(psp, { entry: { firstNumber: '500', accounts: ['beta'] } }),
  ];
  const live = liveRails({ rails: [], boletos: entries }, { clock, log: silentLog });
  const rails = { ...live.rails, pix: sandboxRails.pix };
  service = await startService({ rails, env: { TRILHO_BANK_WAIT_MS: '10000' } });
  stop = async () => {
    await service.stop();
    live.stop();
    await psp.stop();
  };
});
after(() => stop());

const payer = { customer: boletoBody()['customer'], methods: ['boleto'] };

async function boletoOf(chargeId: string) {
  const [row] = await service.sql<{ rail: string; reference: string; status: string }>(
    "select rail, reference, status from charge_methods where charge_id = $1 and method = 'boleto'",
    [chargeId],
  );
  return row;
}

for (const [accountId, by] of [
  ['acme', 'by files'],
  ['beta', "by the bank's API"],
] as const) {
  test(`${by}: the boleto of an order has a number, with the order or attached to it`, async () => {
    const orders = orderDriver(service, accountId);
    const whole = await orders.order({ charge: payer });
    assert.equal(whole.status, 201, whole.text);
    const bare = await orders.order({ charge: undefined });
    const attached = await service.post(`/crypto/transactions/${bare.json.transactionId}/charge`, payer);
    assert.equal(attached.status, 201, attached.text);
    const first = accountId === 'acme' ? 100 : 500;
    for (const [index, { json }] of [whole, attached].entries()) {
      assert.match(json.charge.boleto.digitableLine, /^756\d{44}$/);
      const boleto = await boletoOf(json.charge.id);
      assert.deepEqual([boleto?.rail, Number(boleto?.reference)], [RAIL_OF[accountId], first + index]);
    }
    const repeat = await orders.read(bare);
    assert.deepEqual(repeat.charge.boleto, attached.json.charge.boleto);
  });
}

test('an order whose agreement has no number left is refused and not written, at once or with a payer named later', async () => {
  const orders = orderDriver(service);
  await service.sql('update boleto_agreements set next_number = 103 where rail = $1', [FILES]);
  const refused = await orders.order({ externalId: 'no-number', charge: payer });
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.json.detail, /numbers of the agreement sicoob:files are used up/);
  const bare = await orders.order({ externalId: 'no-number', charge: undefined });
  assert.equal(bare.status, 201, bare.text);
  const address = `/crypto/transactions/${bare.json.transactionId}/charge`;
  assert.equal((await service.post(address, payer)).status, 503);
  const given = await service.post(address, { ...payer, methods: ['boleto', 'pix'] });
  assert.equal(given.status, 201, given.text);
  assert.deepEqual([given.json.charge.boleto.status, given.json.charge.pix.status], ['FAILED', 'CREATING']);
});
