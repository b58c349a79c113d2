// Codes that only the bank can make: the caller waits for them a while, and gets them later if the bank is slow.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Outcome, Rail } from '../../src/rails/rail.ts';
import type { Rails } from '../../src/rails/rails.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

const EMV = 'the code of the bank';
const REGISTERED: Outcome = { kind: 'registered', instrument: { emv: EMV } };

/** Rails whose pix has no code before the bank has answered. */
function bankMade(submit: Rail['submit'], changes: Partial<Rail<'pix'>> = {}): Rails {
  const { pix } = sandboxRails;
  const prepare: Rail<'pix'>['prepare'] = request => ({ reference: pix.prepare(request).reference });
  return { ...sandboxRails, pix: { ...pix, prepare, submit, ...changes } };
}

async function withService(
  options: Parameters<typeof startService>[0],
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const service = await startService(options);
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

const body = chargeBody({ methods: ['pix'], externalId: 'order-1' });

/** A service for tests that need no other settings, with a bank that answers what the test says. */
let shared: Service;
let answer: Rail['submit'] = async () => REGISTERED;
before(async () => {
  shared = await startService({ rails: bankMade((request, reference) => answer(request, reference)) });
});
after(() => shared.stop());

let used = 0;
/** A charge unlike that of any other test. */
const fresh = () => chargeBody({ methods: ['pix'], externalId: `fresh ${++used}` });

test('the answer has the code of the bank, and so has its repeat', async () => {
  answer = async () => REGISTERED;
  const asked = fresh();
  const made = await shared.post('/charges', asked);
  assert.equal(made.status, 201);
  assert.deepEqual([made.json.pix.status, made.json.pix.emv], ['ACTIVE', EMV]);
  const repeated = await shared.post('/charges', asked);
  assert.equal(repeated.text, made.text);
});

test('a method is saved as submitted together with its charge, before it is sent', async () => {
  let saved: unknown;
  const asked = fresh();
  answer = async () => {
    saved = await shared.sql(
      `select m.submitted_at = c.created_at as same from charge_methods m join charges c on c.id = m.charge_id
        where c.external_id = $1`,
      [asked['externalId']],
    );
    return REGISTERED;
  };
  assert.equal((await shared.post('/charges', asked)).json.pix.status, 'ACTIVE');
  assert.deepEqual(saved, [{ same: true }]);
});

test('the answer has the refusal of the bank', async () => {
  answer = async () => ({ kind: 'rejected', reason: 'no such key' });
  const { json } = await shared.post('/charges', fresh());
  assert.deepEqual(json.pix, { ...json.pix, success: false, status: 'FAILED', emv: '', reason: 'no such key' });
});

test('a slow bank brings the code later: in an event and in the charge', async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const rails = bankMade(() => promise, { lookup: async () => REGISTERED });
  await withService({ rails, env: { TRILHO_BANK_WAIT_MS: '20' } }, async service => {
    const { json } = await service.post('/charges', body);
    assert.deepEqual([json.pix.status, json.pix.emv, json.pix.success], ['CREATING', '', true]);
    assert.equal((await service.get(`/charges/${json.id}/pix.png`)).json.code, 'wrong_state');
    resolve(REGISTERED);
    // The job waits for the call of the request, or looks it up.
    await service.runJobs();
    const charge = await service.get(`/charges/${json.id}`);
    assert.deepEqual([charge.json.pix.status, charge.json.pix.emv], ['ACTIVE', EMV]);
    const { json: feed } = await service.get('/events');
    const active = feed.events.find((event: { type: string }) => event.type === 'charge.active');
    assert.equal(active.object.pix.emv, EMV);
    assert.equal((await service.post('/charges', body)).json.pix.emv, EMV, 'a repeat');
  });
});

test('a caller waits only for codes that the bank makes', async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  await withService({ rails: bankMade(() => promise), env: { TRILHO_BANK_WAIT_MS: '0' } }, async service => {
    assert.equal((await service.post('/charges', body)).json.pix.status, 'CREATING');
    resolve(REGISTERED);
  });
});

test('a bank that cannot be asked leaves the charge to its job', async () => {
  const answers: Outcome[] = [{ kind: 'unavailable' }];
  answer = async () => answers.shift() ?? REGISTERED;
  const { json } = await shared.post('/charges', fresh());
  assert.equal(json.pix.status, 'CREATING');
  await shared.runJobs();
  assert.equal((await shared.get(`/charges/${json.id}`)).json.pix.emv, EMV);
});

test('an order shows the code of its charge, and so does its repeat', async () => {
  answer = async () => REGISTERED;
  const orders = orderDriver(shared);
  const order = await orders.order({ externalId: 'order-1' });
  assert.equal(order.json.charge.pix.emv, EMV);
  assert.equal((await orders.order({ externalId: 'order-1' })).text, order.text);
});

test('a charge that is added to an order waits for the code of the bank too', async () => {
  answer = async () => REGISTERED;
  const order = await orderDriver(shared).order({ charge: undefined });
  const added = await shared.post(`/crypto/transactions/${order.json.transactionId}/charge`, CHARGE_PART);
  assert.equal(added.status, 201, added.text);
  assert.deepEqual([added.json.charge.pix.status, added.json.charge.pix.emv], ['ACTIVE', EMV]);
});

test('accounts may have rails of their own, which charges keep', async () => {
  const own: Rail<'pix'> = { ...bankMade(async () => REGISTERED).pix, name: 'efi:acme' };
  await withService({ rails: { ...sandboxRails, ofAccounts: new Map([['acme', { pix: own }]]) } }, async service => {
    const { json } = await service.post('/charges', body);
    const { json: other } = await service.post('/charges', chargeBody({ methods: ['pix'], accountId: 'other' }));
    assert.equal(json.pix.emv, EMV);
    const rails = await service.sql<{ rail: string }>('select rail from charge_methods order by charge_id = $1', [
      other.id,
    ]);
    assert.deepEqual(
      rails.map(({ rail }) => rail),
      ['efi:acme', 'sandbox'],
    );
  });
});
