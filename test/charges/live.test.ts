// What live requires beyond the sandbox. The rails are the sandbox's: only the rules are under test.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkRegistration } from '../../src/rails/boleto/check.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  const boleto = { ...sandboxRails.boleto, check: checkRegistration };
  service = await startService({ mode: 'live', rails: { ...sandboxRails, boleto }, demo: true });
});
after(() => service.stop());

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };
const create = (changes: Record<string, unknown> = {}) =>
  service.post('/charges', chargeBody({ customer, ...changes }));
const paths = async (changes: Record<string, unknown>) => {
  const refused = await create(changes);
  assert.equal(refused.status, 400, refused.text);
  return refused.json.errors.map((fault: { path: string }) => fault.path);
};

test('a charge of a known account with a valid document and an address is created', async () => {
  assert.equal((await create()).status, 201);
});

test('an unknown account is not found', async () => {
  const missing = await create({ accountId: 'nobody' });
  assert.equal(missing.status, 404);
  assert.equal(missing.json.code, 'not_found');
});

test('wrong check digits are refused', async () => {
  for (const document of ['52998224724', '11111111111', '12ABC34501DE36']) {
    assert.deepEqual(await paths({ customer: { ...customer, document } }), ['customer.document']);
  }
  for (const document of ['12345678909', '12.ABC.345/01DE-35', '00000000000191']) {
    assert.equal((await create({ customer: { ...customer, document } })).status, 201, document);
  }
});

test('a due date in the past is refused', async () => {
  assert.deepEqual(await paths({ dueAt: '2026-11-16T11:59:59Z' }), ['dueAt']);
});

test('a boleto without the address that a bank requires fails alone, and names the missing fields', async () => {
  const bare = { name: 'Maria', document: '52998224725', address: { street: 'Rua das Flores', state: ' ' } };
  const made = await create({ customer: bare });
  assert.equal(made.status, 201, made.text);
  const { boleto, pix } = made.json;
  assert.deepEqual([boleto.success, boleto.status, pix.success], [false, 'FAILED', true], made.text);
  assert.equal(
    boleto.reason,
    'customer.address lacks city, state, postalCode, without which the bank does not register a boleto',
  );
  const refused = await create({ customer: bare, methods: ['boleto'] });
  assert.equal(refused.status, 422, refused.text);
  assert.equal(refused.json.code, 'charge_refused');
  assert.deepEqual(refused.json.errors, [
    {
      path: 'customer.address',
      code: 'required',
      message: 'lacks city, state, postalCode, without which the bank does not register a boleto',
    },
  ]);
  assert.equal((await create({ customer: bare, methods: ['pix'] })).status, 201);
});

test('no demo data is made', async () => {
  assert.equal((await service.get('/crypto/transactions')).json.total, 0);
});

test('a currency without a configured rate is refused', async () => {
  const refused = await create({ currency: 'USD' });
  assert.equal(refused.status, 422);
  assert.equal(refused.json.errors[0].code, 'no_rate');
});
