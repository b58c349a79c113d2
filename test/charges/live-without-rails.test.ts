// A live service that lacks a rail, a price source or a chain: its warnings at the start and its answers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { recordingLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

const { log, lines } = recordingLog();
const PIX_KEY = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme', TRILHO_PIX_CITY: 'Sao Paulo' };
let bare: Service;
let withKey: Service;
before(async () => {
  bare = await startService({ mode: 'live', log });
  withKey = await startService({ mode: 'live', env: PIX_KEY });
});
after(async () => {
  await bare.stop();
  await withKey.stop();
});

const customer = { name: 'Maria da Silva', document: '529.982.247-25' };

test('the start warns once of each missing part, naming the setting', () => {
  const warnings = lines.map(line => JSON.parse(line)).filter(({ level }) => level === 'warn');
  assert.deepEqual(
    warnings.map(({ msg }) => msg),
    [
      'there is no rail: every charge is refused until rails or boletos in TRILHO_CONFIG, or TRILHO_PIX_KEY, are set',
      'there is no price source: every quote is refused until TRILHO_PRICE_SOURCES is set',
      'there is no chain: every order is refused until chains in TRILHO_CONFIG are set',
      'there is no master key: a copy of the database can sign in your name until TRILHO_MASTER_KEY is set',
    ],
  );
});

test('the doctor warns of a missing master key', async () => {
  const { code, said } = await runCommand(doctorCommand, { TRILHO_MODE: 'live', DATABASE_URL: bare.databaseUrl }, []);
  assert.equal(code, 0, said);
  assert.match(said, /^warning {2}secrets: there is no master key: a copy of the database can sign in your name/m);
});

test('a boleto is refused because no rail registers it, and no address is required', async () => {
  const refused = await withKey.post('/charges', chargeBody({ customer, methods: ['boleto'] }));
  assert.deepEqual([refused.status, refused.json.code], [422, 'charge_refused']);
  assert.deepEqual(refused.json.errors, [
    {
      path: 'methods',
      code: 'not_offered',
      message: 'cannot hold boleto: this service does not offer it (boletos in TRILHO_CONFIG is not set)',
    },
  ]);
  const both = await withKey.post('/charges', chargeBody({ customer }));
  assert.deepEqual([both.status, both.json.boleto.status, both.json.pix.success], [201, 'FAILED', true]);
});

test('the answer names the missing setting', async () => {
  const pix = await bare.post('/charges', chargeBody({ customer, methods: ['pix'] }));
  assert.equal(pix.status, 422);
  assert.match(pix.json.errors[0].message, /neither rails in TRILHO_CONFIG nor TRILHO_PIX_KEY is set/);
  const dollars = await withKey.post('/charges', chargeBody({ customer, methods: ['pix'], currency: 'USD' }));
  assert.match(dollars.json.detail, /TRILHO_RATE_USD is not set/);
  const quote = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541 };
  const refused = await bare.post('/crypto/quotes', quote);
  assert.match(refused.json.detail, /set TRILHO_PRICE_SOURCES/);
});

test('an order without a chain for its network is refused before a price is requested', async () => {
  const order = { accountId: 'acme', walletId: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87', settlementSchedule: 'D0' };
  const asked = { ...order, symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541 };
  const refused = await bare.post('/crypto/transactions', asked);
  assert.deepEqual([refused.status, refused.json.code], [503, 'not_configured']);
  assert.match(refused.json.detail, /^No network is connected: set TRILHO_CHAINS/);
});

test('a static pix with taxes gets a warning: the code asks for the face amount', async () => {
  const taxed = { customer, methods: ['pix'], taxes: { fine: 2, interest: 1 } };
  const { id } = (await withKey.post('/charges', chargeBody(taxed))).json;
  const { warnings } = (await withKey.get(`/charges/${id}`)).json;
  assert.deepEqual(
    warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [['taxes', 'not_in_static_code']],
  );
  assert.match(warnings[0].message, /always asks for BRL \d+\.\d\d/);
  for (const taxes of [undefined, { fine: 0 }]) {
    const plain = (await withKey.post('/charges', chargeBody({ ...taxed, taxes }))).json;
    assert.deepEqual((await withKey.get(`/charges/${plain.id}`)).json.warnings, []);
  }
});
