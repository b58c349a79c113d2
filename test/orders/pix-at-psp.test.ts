// The pix of an order at a PSP: it can be paid while the price is valid, and not a second longer, also with a boleto beside it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { silentLog } from '../harness/log.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { railSettings } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

const START = '2026-11-16T12:00:00.000Z';

let service: Service;
let psp: Psp;
let orders: OrderDriver;
let stop: () => Promise<void>;
before(async () => {
  // One clock for the PSP, the rail and the sandbox.
  let now = new Date(START);
  const clock = { now: () => now };
  psp = await startTestPsp({ clock, webhooks: { retryMs: [] } });
  const rail = bacenRail(railSettings(psp), { clock, log: silentLog });
  service = await startService({
    rails: { ...sandboxRails, pix: rail },
    env: { TRILHO_BANK_WAIT_MS: '10000' },
    now: START,
  });
  const driver = orderDriver(service);
  orders = {
    ...driver,
    advance: async duration => {
      await driver.advance(duration);
      now = new Date((await service.get('/sandbox/clock')).json.now);
    },
  };
  stop = async () => {
    await service.stop();
    rail.stop();
    await psp.stop();
  };
});
after(() => stop());

const BOTH = { ...CHARGE_PART, methods: ['boleto', 'pix'] };

for (const [name, charge] of [
  ['alone', CHARGE_PART],
  [
    'alone, whose charge is due later',
    { ...CHARGE_PART, dueAt: '2026-11-18T12:00:00Z', expireAt: '2026-11-20T12:00:00Z' },
  ],
  ['beside a boleto', BOTH],
] as const) {
  test(`a pix ${name} can be paid to the last second of the price, and the PSP refuses it afterwards`, async () => {
    const [inTime, late] = [await orders.order({ charge }), await orders.order({ charge })];
    assert.equal(late.status, 201, late.text);
    // The end must not depend on a request that may come late.
    const fault = psp.setFault({ kind: 'status', on: { method: 'PATCH' } });
    assert.equal(late.json.charge.pix.status, 'ACTIVE', late.text);
    await orders.advance('PT4M59S');
    await psp.pay({ emv: inTime.json.charge.pix.emv });
    await orders.advance('PT2S');
    await assert.rejects(psp.pay({ emv: late.json.charge.pix.emv }), /The charge has expired/);
    psp.clearFaults(fault);
    const { charge: ended } = await orders.read(late);
    assert.equal(ended.pix.status, 'EXPIRED');
    assert.equal(ended.boleto?.status, 'boleto' in late.json.charge ? 'REGISTERED' : undefined);
  });
}
