// A static pix key: codes that are payable at once, and payments that an operator reports.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { readPixByOracle } from '../harness/oracles.ts';
import { pixCharges } from '../harness/pix-charges.ts';
import { type Service, startService } from '../harness/service.ts';

const KEY = {
  TRILHO_MODE: 'live',
  TRILHO_PIX_KEY: 'financeiro@example.com',
  TRILHO_PIX_NAME: 'Padaria São João',
  TRILHO_PIX_CITY: 'Belo Horizonte',
};

let service: Service;
/** A second node on the same database. */
let node: Service;
before(async () => {
  const options = {
    mode: 'live',
    rails: liveRails(readConfig(KEY), { clock: systemClock, log: silentLog }).rails,
  } as const;
  service = await startService(options);
  node = await startService({ ...options, beside: service });
});
after(async () => {
  await node.stop();
  await service.stop();
});

const { make, read, report } = pixCharges(() => service);

test('the code is of the configured key, name and city, with amount and txid', async () => {
  const { pix } = await make();
  assert.deepEqual(readPixByOracle(pix.emv), {
    key: 'financeiro@example.com',
    txid: pix.txid,
    amount: 159.9,
    name: 'Padaria Sao Joao',
    city: 'Belo Horizonte',
  });
});

test('a boleto is refused if the service offers none, and fails beside a pix', async () => {
  const address = { street: 'Rua A', city: 'B', state: 'SP', postalCode: '01001000' };
  const customer = { name: 'Maria', document: '52998224725', address };
  const alone = await service.post('/charges', chargeBody({ methods: ['boleto'], customer }));
  assert.equal(alone.status, 422);
  assert.equal(alone.json.errors[0].code, 'not_offered');
  const both = await service.post('/charges', chargeBody({ customer }));
  assert.equal(both.status, 201);
  assert.equal(both.json.boleto.status, 'FAILED');
  assert.equal(both.json.pix.success, true);
});

test('there is no sandbox in live', async () => {
  const { id } = await make();
  for (const path of ['/sandbox/clock', `/sandbox/charges/${id}/pay`])
    assert.equal((await service.get(path)).status, 404);
});

describe('an operator', () => {
  test('records a payment once, however often it is reported', async () => {
    const { id } = await make();
    const body = { amountCents: 15_990, reference: 'E9999999920261116120000000000001' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(id, body)));
    assert.ok(answers.every(answer => answer.status === 201 && answer.json.state === 'PAID'));
    assert.equal(answers.filter(answer => answer.headers.get('idempotent-replayed') === 'true').length, 9);
    assert.equal((await read(id)).payments.length, 1);
    const other = await make();
    for (const [charge, changes] of [
      [other.id, {}],
      [id, { amountCents: 1 }],
    ] as const) {
      const conflict = await report(charge, { ...body, ...changes });
      assert.equal(conflict.status, 409);
      assert.equal(conflict.json.code, 'reference_conflict');
    }
  });

  test('matches the same payment in any spelling of its reference', async () => {
    const { id } = await make();
    for (const reference of [
      'E99SAME',
      'e99same',
      ' E99SAME ',
      '\tE99same\u00a0',
      'Ｅ９９ＳＡＭＥ',
      'E99\u200bSA\u2060ME\ufeff',
    ]) {
      assert.equal((await report(id, { amountCents: 15_990, reference })).status, 201, reference);
    }
    const { payments } = await read(id);
    assert.deepEqual(
      payments.map((payment: { reference: string }) => payment.reference),
      ['E99SAME'],
    );
    const other = await make();
    assert.equal((await report(other.id, { amountCents: 15_990, reference: 'e99Same' })).status, 409);
  });

  test('matches the same payment with any spaces in its reference, and with composed letters', async () => {
    const { id } = await make();
    for (const reference of [
      'REF  X caf\u00e9',
      'ref x cafe\u0301',
      'ref\t\n\u3000x cafe\u200d\u0301',
      'ＲＥＦ　Ｘ caf\u00e9',
    ]) {
      const recorded = await report(id, { amountCents: 15_990, reference });
      assert.equal(`${recorded.status} ${recorded.json.payments?.length}`, '201 1', JSON.stringify(reference));
    }
    assert.equal((await read(id)).payments[0].reference, 'REF X caf\u00e9');
  });

  test('counts one payment once, also when several accounts that share the key report it', async () => {
    const bearer = { authorization: `Bearer ${(await service.makeKey('other')).text}` };
    const ofOther = () => service.post('/charges', chargeBody({ accountId: 'other', methods: ['pix'] }), bearer);
    for (let round = 1; round <= 5; round++) {
      const [own, others] = [await make(), (await ofOther()).json];
      const body = { amountCents: 15_990, reference: `REFX${round}` };
      const answers = await Promise.all([
        report(own.id, body),
        service.post(`/charges/${others.id}/payments`, body, bearer),
        node.post(`/charges/${others.id}/payments`, body, bearer),
      ]);
      const { payments } = await read(own.id);
      const { json } = await service.get(`/charges/${others.id}`, bearer);
      assert.equal(payments.length + json.payments.length, 1, `round ${round}`);
      for (const { status, json: answer } of answers) {
        assert.ok(status === 201 || (status === 409 && answer.code === 'reference_conflict'), JSON.stringify(answer));
      }
    }
  });

  test('refuses an invalid payment', async () => {
    const { id } = await make();
    for (const body of [
      {},
      { amountCents: 0, reference: 'r' },
      { amountCents: 1, reference: '' },
      { amountCents: 1, reference: ' ' },
      { amountCents: 1, reference: '\u200b\u2060' },
      { amountCents: 1, reference: '\ufdfa'.repeat(200) },
      { amountCents: 1, reference: 'r', paidAt: '2026-11-16T12:00:01Z' },
    ]) {
      assert.equal((await report(id, body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await report(id, { method: 'boleto', amountCents: 1, reference: 'r' })).status, 409);
    assert.deepEqual((await read(id)).payments, []);
  });

  test('cannot refund by a static key, and is refused', async () => {
    const { id } = await make();
    await report(id, { amountCents: 15_990, reference: 'to be refunded' });
    const refused = await service.post(`/charges/${id}/refunds`, {});
    assert.equal(refused.status, 409);
    assert.match(refused.json.detail, /at your bank/);
    const { refunds, state } = await read(id);
    assert.deepEqual(refunds, []);
    assert.equal(state, 'PAID');
  });
});

test('a real key is refused in a sandbox, and an incomplete one in any mode', () => {
  assert.throws(() => readConfig({ ...KEY, TRILHO_MODE: 'sandbox' }), /a sandbox takes no real pix key/);
  assert.throws(
    () => readConfig({ TRILHO_MODE: 'live', TRILHO_PIX_KEY: 'a@example.com' }),
    /TRILHO_PIX_NAME is needed.*\n.*TRILHO_PIX_CITY is needed/,
  );
  assert.throws(
    () => readConfig({ ...KEY, TRILHO_PIX_KEY: '123.456.789-00' }),
    (error: Error) => /TRILHO_PIX_KEY must be a pix key/.test(error.message) && !error.message.includes('456'),
  );
});
