// What live demands beyond the sandbox. The rails are the sandbox's: only the rules are under test.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  const boleto = { ...sandboxRails.boleto, needsAddress: true } as const;
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

test('a charge of a known account with a real document and an address is made', async () => {
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

test('a boleto needs the address a bank asks for', async () => {
  const bare = { name: 'Maria', document: '52998224725' };
  assert.deepEqual(await paths({ customer: bare }), [
    'customer.address.street',
    'customer.address.city',
    'customer.address.state',
    'customer.address.postalCode',
  ]);
  assert.equal((await create({ customer: bare, methods: ['pix'] })).status, 201);
});

test('whether a boleto needs an address is a question to the rail of the account', async () => {
  const boleto = { ...sandboxRails.boleto, name: 'strict', needsAddress: true } as const;
  const ofAccounts = new Map([['acme', { boleto }]]);
  const other = await startService({ mode: 'live', rails: { ...sandboxRails, ofAccounts } });
  try {
    const bare = chargeBody({ customer: { name: 'Maria', document: '52998224725' } });
    const refused = await other.post('/charges', bare);
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.json.errors[0].path, 'customer.address.street');
    const faults = await other.post('/charges', { ...bare, amount: -1 });
    const paths = faults.json.errors.map((fault: { path: string }) => fault.path);
    assert.ok(paths.includes('customer.address.street'), faults.text);
  } finally {
    await other.stop();
  }
});

test('no demo data is made', async () => {
  assert.equal((await service.get('/crypto/transactions')).json.total, 0);
});

test('a currency without a configured rate is refused', async () => {
  const refused = await create({ currency: 'USD' });
  assert.equal(refused.status, 422);
  assert.equal(refused.json.errors[0].code, 'no_rate');
});
