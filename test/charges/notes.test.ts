// A caller's own notes on a charge, and the contacts of its payer: kept, shown, compared, limited.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/lib/log.ts';
import { chargeBody } from '../harness/bodies.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

const logged: string[] = [];
let service: Service;
before(async () => {
  service = await startService({ log: createLog('trace', { write: line => void logged.push(line) }) });
});
after(() => service.stop());

const CUSTOMER = {
  name: 'Maria da Silva',
  document: '529.982.247-25',
  email: 'maria.silva+loja@exemplo.com.br',
  phone: '+5511987654321',
};
const NOTES = { description: 'Pedido 1042 · 2 pães', metadata: { store: 'Recife', 'cart id': '', número: '7/ä\n😀' } };
const noted = (changes: Record<string, unknown> = {}) => chargeBody({ ...NOTES, customer: CUSTOMER, ...changes });

/** The notes in an answer. */
function notesOf({ description, metadata, customer }: Record<string, unknown>) {
  const { email, phone } = customer as Record<string, unknown>;
  return { description, metadata, email, phone };
}
const EXPECTED = { ...NOTES, email: CUSTOMER.email, phone: CUSTOMER.phone };

test('they are in the charge, in the list and in every event; the first answer stays as it was', async () => {
  const made = await service.post('/charges', noted({ accountId: 'notes' }));
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(Object.keys(made.json).sort(), ['boleto', 'id', 'pix']);
  const { id } = made.json;
  await service.runJobs();
  await service.post(`/sandbox/charges/${id}/pay`, { method: 'pix' });
  assert.deepEqual(notesOf((await service.get(`/charges/${id}`)).json), EXPECTED);
  assert.deepEqual(notesOf((await service.get('/charges?accountId=notes')).json.charges[0]), EXPECTED);
  const { events } = (await service.get(`/events?objectId=${id}`)).json;
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['charge.created', 'charge.active', 'charge.paid'],
  );
  for (const event of events) assert.deepEqual(notesOf(event.object), EXPECTED, event.type);
});

test('a charge without notes shows no such fields', async () => {
  const { id } = (await service.post('/charges', chargeBody())).json;
  const { json } = await service.get(`/charges/${id}`);
  for (const field of ['description', 'metadata']) assert.equal(field in json, false, field);
  assert.deepEqual(Object.keys(json.customer), ['name', 'document', 'type']);
});

test('a repeat must have the same, in any order; empty metadata equals no metadata', async () => {
  const first = await service.post('/charges', noted({ externalId: 'noted' }));
  const metadata = Object.fromEntries(Object.entries(NOTES.metadata).reverse());
  const again = await service.post('/charges', noted({ externalId: 'noted', metadata }));
  assert.deepEqual([again.status, again.text], [201, first.text]);
  const others = [
    { description: 'Pedido 1043' },
    { description: undefined },
    { metadata: { ...NOTES.metadata, store: 'Olinda' } },
    { metadata: { store: 'Recife' } },
    { metadata: undefined },
    { customer: { ...CUSTOMER, email: 'outra@exemplo.com.br' } },
    { customer: { ...CUSTOMER, phone: '+5511987654322' } },
    { customer: { ...CUSTOMER, phone: undefined } },
  ];
  for (const other of others) {
    const { status, json } = await service.post('/charges', noted({ externalId: 'noted', ...other }));
    assert.deepEqual([status, json.code], [409, 'external_id_conflict'], JSON.stringify(other));
  }

  const plain = await service.post('/charges', chargeBody({ externalId: 'plain' }));
  const empty = await service.post('/charges', chargeBody({ externalId: 'plain', metadata: {} }));
  assert.deepEqual([empty.status, empty.text], [201, plain.text]);
});

test('the limits are the documented ones, and fields beyond them are named', async () => {
  const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${n}`, 'x']));
  const customer = (part: Record<string, unknown>) => ({ customer: { ...CUSTOMER, ...part } });
  const [long, longer] = ['k'.repeat(40), 'k'.repeat(41)];
  const good = [
    { description: 'x'.repeat(140) },
    { metadata: entries(20) },
    { metadata: { [long]: 'x'.repeat(500) } },
    { metadata: { constructor: 'x', toString: 'y' } },
    customer({ email: `${'a'.repeat(64)}@${'b'.repeat(182)}.com.br` }),
    customer({ email: 'josé@münchen.example', phone: '+12025550' }),
    customer({ phone: `+${'9'.repeat(15)}` }),
  ];
  for (const changes of good) {
    const { status, text } = await service.post('/charges', noted(changes));
    assert.equal(status, 201, text);
  }
  const wrong: [Record<string, unknown>, string][] = [
    [{ description: 'x'.repeat(141) }, 'description: too_long'],
    [{ description: ' ' }, 'description: blank'],
    [{ description: 7 }, 'description: type'],
    [{ description: 'a\u0000' }, 'description: unstorable_text'],
    [{ metadata: entries(21) }, 'metadata: too_long'],
    [{ metadata: [] }, 'metadata: type'],
    [{ metadata: 'x' }, 'metadata: type'],
    [{ metadata: { [longer]: 'x' } }, `metadata.${longer}: too_long`],
    [{ metadata: { '': 'x' } }, 'metadata.: empty'],
    [{ metadata: { 'a\u0000b': 'x' } }, 'metadata.a\u0000b: unstorable_text'],
    [{ metadata: { a: 'x'.repeat(501) } }, 'metadata.a: too_long'],
    [{ metadata: { a: 1 } }, 'metadata.a: type'],
    [{ metadata: { a: { b: 'c' } } }, 'metadata.a: type'],
    [{ metadata: { a: '\ud800' } }, 'metadata.a: unstorable_text'],
    ...['a@b', 'a b@c.de', '@c.de', 'a@', 'a@.de', 'a@c..de', 'x'.repeat(65).concat('@c.de'), ''].map(
      (email): [Record<string, unknown>, string] => [customer({ email }), 'customer.email: format'],
    ),
    [customer({ email: `a@${'b'.repeat(250)}.de` }), 'customer.email: too_long'],
    ...['11987654321', '+55 11 98765-4321', '+0511987654321', '+5511', `+${'9'.repeat(16)}`, '+5511987654321 ', ''].map(
      (phone): [Record<string, unknown>, string] => [customer({ phone }), 'customer.phone: format'],
    ),
  ];
  const [{ count: before }] = (await service.sql('select count(*) from charges')) as [{ count: string }];
  for (const [changes, fault] of wrong) {
    const { status, json, text } = await service.post('/charges', noted(changes));
    const found = (json.errors ?? []).map(({ path, code }: { path: string; code: string }) => `${path}: ${code}`);
    assert.deepEqual([status, found], [400, [fault]], text);
  }
  const [{ count }] = (await service.sql('select count(*) from charges')) as [{ count: string }];
  assert.equal(count, before, 'nothing is written');
  const { json } = await service.post('/charges', noted({ metadata: { [longer]: 'x' } }));
  assert.match(json.errors[0].message, /must have a name of at most 40 characters/);
});

test('the charge of an order accepts them too, with the order and later, and they are part of what a repeat must equal', async () => {
  const orders = orderDriver(service, 'buyer');
  const part = { ...CHARGE_PART, ...NOTES, customer: CUSTOMER };
  const order = await orders.order({ externalId: 'noted', charge: part });
  assert.equal(order.status, 201, order.text);
  assert.deepEqual(notesOf(order.json.charge), EXPECTED);
  assert.deepEqual(notesOf((await service.get(`/charges/${order.json.chargeId}`)).json), EXPECTED);
  const other = await orders.order({ externalId: 'noted', charge: { ...part, description: 'Another' } });
  assert.equal(other.status, 409, other.text);

  const bare = await orders.order({ charge: undefined });
  const attached = await service.post(`/crypto/transactions/${bare.json.transactionId}/charge`, part);
  assert.deepEqual(notesOf(attached.json.charge), EXPECTED, attached.text);
});

test('the log has no notes', () => {
  assert.ok(logged.length > 10, 'the log was recorded');
  assert.doesNotMatch(logged.join('\n'), /maria|exemplo|987654321|Pedido|Recife/i);
});
