// Customers through HTTP: one for each document, found again, changed, searched, erased; and the charges that are theirs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type Service, startService } from '../harness/service.ts';

const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';
const DOCUMENT = '52998224725';
const COMPANY = '12.ABC.345/01DE-35';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

let accounts = 0;
/** An account that no other test uses. */
const newAccount = () => `account ${++accounts}`;
const bodyOf = (changes: Record<string, unknown>) => ({ name: 'Maria da Silva', document: DOCUMENT, ...changes });
const create = (changes: Record<string, unknown>, headers?: Record<string, string>) =>
  service.post('/customers', bodyOf(changes), headers);
const send = (method: string, path: string, body?: unknown) =>
  service.send(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const erase = (id: string) => send('POST', `/customers/${id}/erase`);
const list = async (query: Record<string, string>) =>
  (await service.get(`/customers?${new URLSearchParams(query)}`)).json;
const charge = (changes: Record<string, unknown>, headers?: Record<string, string>) => {
  const { customer: _, ...body } = chargeBody({ methods: ['pix'], ...changes });
  return service.post(
    '/charges',
    { ...body, ...('customer' in changes && { customer: changes['customer'] }) },
    headers,
  );
};
const eventsOf = async (id: string) => {
  const { events } = (await service.get(`/events?objectId=${id}`)).json;
  return events.map(({ type, sequence }: { type: string; sequence: number }) => `${sequence} ${type}`);
};

test('a customer is created with all fields, and read back', async () => {
  const accountId = newAccount();
  const given = {
    externalId: 'client-77',
    name: 'Padaria Três Irmãos',
    email: 'Contas@padaria.example',
    phone: '+5511987654321',
    address: { street: 'Rua das Flores', number: '100', city: 'São Paulo', state: 'SP', postalCode: '01001-000' },
    locale: 'pt-BR',
    notes: 'Pays by boleto.',
    metadata: { route: 'south' },
  };
  const made = await create({ accountId, ...given, document: COMPANY.toLowerCase() });
  assert.equal(made.status, 201, made.text);
  const { id } = made.json;
  assert.equal(made.headers.get('location'), `/customers/${id}`);
  const now = service.clock.now().toISOString();
  const known = {
    id,
    accountId,
    ...given,
    document: '12ABC34501DE35',
    type: 'company',
    createdAt: now,
    updatedAt: now,
  };
  assert.deepEqual(made.json, known);
  const none = { count: 0, amountCents: 0 };
  const read = await service.get(`/customers/${id.toUpperCase()}`);
  assert.deepEqual(read.json, {
    ...known,
    balance: { open: none, overdue: none, missing: none, paid: none, refunded: none },
  });
  assert.deepEqual(await eventsOf(id), ['1 customer.created']);
});

test('every fault is named, and nothing is written', async () => {
  const accountId = newAccount();
  const faultsOf = async (body: object) => (await service.post('/customers', { accountId, ...body })).json.errors;
  const paths = async (body: object) => (await faultsOf(body)).map(({ path }: { path: string }) => path);
  assert.deepEqual(await paths({}), ['document']);
  assert.deepEqual(await paths({ document: '123', email: 'x', phone: '1', locale: 'fr', color: 'red' }), [
    'color',
    'email',
    'phone',
    'locale',
    'document',
  ]);
  assert.deepEqual(await faultsOf({ document: DOCUMENT }), [
    { path: 'name', code: 'required', message: 'is required: the account has no customer of this document' },
  ]);
  const [row] = await service.sql('select count(*)::int as count from customers where account_id = $1', [accountId]);
  assert.equal(row!['count'], 0);
});

test('a document is one customer of an account: the same data or the document alone find it, other data conflict', async () => {
  const accountId = newAccount();
  const first = await create({ accountId, email: 'maria@example.com', address: { city: 'Recife', state: 'PE' } });
  service.clock.advanceMs(60_000);
  const same = [
    { accountId, document: '529.982.247-25' },
    { accountId, document: DOCUMENT, name: 'Maria da Silva', type: 'individual' },
    { accountId, document: DOCUMENT, email: 'maria@example.com', address: { state: 'PE', city: 'Recife' } },
  ];
  for (const body of same) {
    const again = await service.post('/customers', body);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), `/customers/${first.json.id}`);
  }
  const other = await create({ accountId, name: 'Maria Souza', email: 'maria@example.com', phone: '+5511987654321' });
  assert.deepEqual([other.status, other.json.code, other.json.customerId], [409, 'customer_exists', first.json.id]);
  assert.deepEqual(
    other.json.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [
      ['name', 'differs'],
      ['phone', 'differs'],
    ],
  );
  assert.match(other.json.detail, /PATCH \/customers\/.*"separate": true/);
  assert.ok(!other.text.includes('Souza') && !other.text.includes(DOCUMENT), 'nobody is named');
  const separate = await create({ accountId, name: 'Maria Souza', separate: true });
  assert.deepEqual([separate.status, separate.json.separate], [201, true]);
  assert.equal((await list({ accountId })).total, 2);
  assert.equal((await create({ accountId: newAccount() })).headers.get('idempotent-replayed'), null);
});

test('a repeat by externalId or Idempotency-Key gets the first customer, as it is now', async () => {
  const accountId = newAccount();
  const key = { 'idempotency-key': `customer of ${accountId}` };
  const body = { accountId, externalId: 'client-1', separate: true };
  const first = await create(body, key);
  const patched = await send('PATCH', `/customers/${first.json.id}`, { email: 'new@example.com' });
  for (const again of [await create(body), await create(body, key)]) {
    assert.deepEqual([again.status, again.json], [201, patched.json]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  }
  const reused = await create({ ...body, name: 'Other' }, key);
  assert.deepEqual([reused.status, reused.json.code], [422, 'idempotency_key_reused']);
  const conflict = await create({ ...body, name: 'Other' });
  assert.deepEqual(
    [conflict.status, conflict.json.code, conflict.json.customerId],
    [409, 'external_id_conflict', first.json.id],
  );
  // Without an externalId only the key shows that it is a repeat and not a separate customer.
  const another = { 'idempotency-key': `another of ${accountId}` };
  const made = await create({ accountId, separate: true }, another);
  assert.equal((await create({ accountId, separate: true }, another)).json.id, made.json.id);
  assert.notEqual((await create({ accountId, separate: true })).json.id, made.json.id);
  // A key that found a customer finds it again.
  const found = { 'idempotency-key': `found in ${accountId}` };
  assert.equal((await create({ accountId, document: '11144477735', name: 'João' })).status, 201);
  const ids = [];
  for (let round = 0; round < 2; round++)
    ids.push((await create({ accountId, document: '11144477735', name: 'João' }, found)).json.id);
  assert.equal(new Set(ids).size, 1);
});

test('of twenty equal simultaneous requests one creates the customer and the others get it', async () => {
  for (let round = 0; round < 5; round++) {
    const accountId = newAccount();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ accountId })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal((await list({ accountId })).total, 1);
    assert.deepEqual(await eventsOf(answers[0]!.json.id), ['1 customer.created']);
  }
});

test('of twenty simultaneous names one gets the document and the others its id', async () => {
  const accountId = newAccount();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create({ accountId, name: `name ${at}` })));
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 1);
  for (const { json, status } of answers) {
    if (status !== 201) assert.deepEqual([status, json.customerId], [409, made[0]!.json.id]);
  }
});

test('a change keeps other fields, removes those that are null, and has an event only when something differs', async () => {
  const accountId = newAccount();
  const made = await create({ accountId, email: 'maria@example.com', notes: 'Old', metadata: { route: 'south' } });
  const path = `/customers/${made.json.id}`;
  service.clock.advanceMs(60_000);
  assert.equal((await send('PATCH', path, { name: 'Maria da Silva', phone: null })).text, made.text, 'nothing differs');
  const changed = await send('PATCH', path, { name: 'Maria Souza', email: null, locale: 'en', metadata: null });
  const { email: _, metadata: __, ...kept } = made.json;
  const updatedAt = service.clock.now().toISOString();
  assert.deepEqual(changed.json, { ...kept, name: 'Maria Souza', locale: 'en', updatedAt });
  assert.deepEqual(await eventsOf(made.json.id), ['1 customer.created', '2 customer.updated']);
  const company = await send('PATCH', path, { document: COMPANY });
  assert.deepEqual([company.json.document, company.json.type], ['12ABC34501DE35', 'company']);
  const other = await create({ accountId, externalId: 'taken' });
  const clash = await send('PATCH', path, { document: DOCUMENT });
  assert.deepEqual([clash.status, clash.json.code, clash.json.customerId], [409, 'customer_exists', other.json.id]);
  const named = await send('PATCH', path, { externalId: 'taken' });
  assert.deepEqual([named.status, named.json.code], [409, 'external_id_conflict']);
  const wrong = await send('PATCH', path, { document: '1', name: '', address: { zip: '1' }, metadata: { a: 1 } });
  assert.deepEqual(wrong.json.errors.map(({ path: where }: { path: string }) => where).sort(), [
    'address.zip',
    'document',
    'metadata.a',
    'name',
  ]);
  assert.equal((await send('PATCH', `/customers/${UNKNOWN_ID}`, { name: 'X' })).status, 404);
});

test('of simultaneous changes to one document or externalId one succeeds', async () => {
  const accountId = newAccount();
  const customers = await Promise.all(
    ['11144477735', '12345678909', '98765432100'].map(document => create({ accountId, document })),
  );
  const answers = await Promise.all(
    customers.map(({ json }) => send('PATCH', `/customers/${json.id}`, { document: DOCUMENT, externalId: 'one' })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
});

test('customers are found by a part of the name or the e-mail, by document, by e-mail and by the own id', async () => {
  const accountId = newAccount();
  const people = [
    { name: 'José Antônio Conceição', document: '11144477735', email: 'ze@casa.example' },
    { name: 'JOSÉ DA PENHA', document: '12345678909', externalId: 'p-2' },
    { name: 'Ana 100% (Loja)', document: COMPANY, email: 'Financeiro@Loja.example' },
  ];
  for (const one of people) assert.equal((await create({ accountId, ...one })).status, 201);
  const names = async (query: Record<string, string>) =>
    (await list({ accountId, ...query })).customers.map(({ name }: { name: string }) => name.split(' ')[0]);
  assert.deepEqual(await names({ search: 'jose' }), ['JOSÉ', 'José']);
  assert.deepEqual(await names({ search: 'conceicao' }), ['José']);
  assert.deepEqual(await names({ search: '100% (loj' }), ['Ana']);
  assert.deepEqual(await names({ search: 'financeiro@loja' }), ['Ana']);
  assert.deepEqual(await names({ search: 'pen jos' }), ['JOSÉ']);
  assert.deepEqual(await names({ search: 'enha' }), [], 'not within a word');
  for (const search of ['123.456.789-09', '12345', 'P-2']) assert.deepEqual(await names({ search }), ['JOSÉ'], search);
  assert.deepEqual(await names({ search: '.*' }), []);
  assert.deepEqual(await names({ document: COMPANY }), ['Ana']);
  assert.deepEqual(await names({ email: 'financeiro@loja.EXAMPLE' }), ['Ana']);
  assert.deepEqual(await names({ externalId: 'p-2' }), ['JOSÉ']);
  assert.deepEqual(await names({ search: 'jose', externalId: 'p-2' }), ['JOSÉ']);
  const page = await list({ accountId, search: 'jose', page: '2', pageSize: '1' });
  assert.deepEqual([page.customers.length, page.total, page.totalPages, page.hasMore], [1, 2, 2, false]);
  assert.deepEqual(await list({ accountId, search: 'nobody' }), {
    ...{ customers: [], total: 0, totalPages: 0, currentPage: 1, hasMore: false },
  });
});

test("a charge by customerId has the customer's data of that time, also for its repeats", async () => {
  const accountId = newAccount();
  const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
  const { id: customerId } = (await create({ accountId, email: 'maria@example.com', address, notes: 'Secret' })).json;
  const key = { 'idempotency-key': `charge of ${accountId}` };
  const made = await charge({ accountId, customerId }, key);
  assert.equal(made.status, 201, made.text);
  const snapshot = {
    name: 'Maria da Silva',
    document: DOCUMENT,
    type: 'individual',
    email: 'maria@example.com',
    address,
  };
  const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
  assert.deepEqual((await read(made.json.id)).customer, snapshot);
  assert.equal((await read(made.json.id)).customerId, customerId);
  await send('PATCH', `/customers/${customerId}`, { name: 'Maria Souza' });
  const again = await charge({ accountId, customerId }, key);
  assert.deepEqual([again.status, again.text], [201, made.text]);
  assert.deepEqual((await read(made.json.id)).customer, snapshot, 'the charge keeps its payer');
  const next = await charge({ accountId, customerId });
  assert.equal((await read(next.json.id)).customer.name, 'Maria Souza');
  assert.equal((await erase(customerId)).status, 200);
  assert.deepEqual((await charge({ accountId, customerId }, key)).text, made.text, 'a repeat finds it also then');
  for (const refused of [
    { accountId, customerId },
    { accountId: newAccount(), customerId },
    { accountId, customerId: UNKNOWN_ID },
  ]) {
    const { status, json } = await charge(refused);
    const fault = { path: 'customerId', code: 'not_found', message: 'must be a customer of this account' };
    assert.deepEqual([status, json.errors], [400, [fault]]);
  }
});

test('a charge names its payer in only one way', async () => {
  const accountId = newAccount();
  const { id: customerId } = (await create({ accountId })).json;
  const faults = async (changes: object) =>
    (await charge({ accountId, ...changes })).json.errors.map(({ path, code }: { path: string; code: string }) => [
      path,
      code,
    ]);
  assert.deepEqual(await faults({}), [['customer', 'required']]);
  assert.deepEqual(await faults({ customerId, customer: { name: 'Ana', document: DOCUMENT } }), [
    ['customerId', 'not_together'],
  ]);
  assert.deepEqual(await faults({ customer: 'Ana' }), [['customer', 'type']]);
  assert.deepEqual(await faults({ customerId: 'Ana' }), [['customerId', 'format']]);
});

test('the charges of a customer are summed: by its id, and those of its document from before', async () => {
  const accountId = newAccount();
  const named = { customer: { name: 'M. Silva', document: '529.982.247-25' } };
  const idOf = async (changes: object) => (await charge({ accountId, ...changes })).json.id as string;
  const earlier = await idOf({ ...named, amountCents: 10_000 });
  const { id: customerId } = (await create({ accountId })).json;
  const { id: separate } = (await create({ accountId, name: 'Maria Souza', separate: true })).json;
  const paid = await idOf({ customerId, amountCents: 20_000 });
  const part = await idOf({ ...named, amountCents: 30_000 });
  const overdue = await idOf({
    customerId,
    amountCents: 40_000,
    dueAt: '2026-11-01T23:59:59-03:00',
    expireAt: '2027-11-01T23:59:59-03:00',
  });
  const canceled = await idOf({ customerId, amountCents: 50_000 });
  const ofSeparate = await idOf({ customerId: separate, amountCents: 60_000 });
  await idOf({ customer: { name: 'Other', document: '11144477735' }, amountCents: 70_000 });
  await service.post('/charges', chargeBody({ accountId: newAccount(), ...named }));
  await service.runJobs();
  const report = (id: string, amountCents: number) =>
    service.post(`/charges/${id}/payments`, { amountCents, reference: `E9999999920261116130000${id.slice(-9)}` });
  assert.equal((await report(paid, 20_000)).status, 201);
  assert.equal((await report(part, 12_000)).status, 201);
  assert.equal((await service.post(`/charges/${paid}/refunds`, { amountCents: 5_000 })).status, 201);
  await send('POST', `/charges/${canceled}/cancel`);
  await service.runJobs();
  const balance = async (id = customerId) => (await service.get(`/customers/${id}`)).json.balance;
  assert.deepEqual(await balance(), {
    open: { count: 2, amountCents: 50_000 },
    overdue: { count: 1, amountCents: 40_000 },
    missing: { count: 1, amountCents: 18_000 },
    paid: { count: 2, amountCents: 32_000 },
    refunded: { count: 1, amountCents: 5_000 },
  });
  assert.deepEqual((await balance(separate)).open, { count: 1, amountCents: 60_000 });
  // The charge for the rest is a charge of the customer, so what is missing is counted once.
  assert.equal((await service.post(`/charges/${part}/remainder`, {})).status, 201);
  const { open, missing } = await balance();
  assert.deepEqual(
    [open, missing],
    [
      { count: 3, amountCents: 68_000 },
      { count: 0, amountCents: 0 },
    ],
  );

  const charges = async (query: string) => (await service.get(`/charges?${query}`)).json;
  const ids = ({ charges: found }: { charges: { id: string }[] }) => found.map(({ id }) => id);
  const all = await charges(`customerId=${customerId}`);
  assert.deepEqual([all.total, ids(all).slice(1).reverse()], [6, [earlier, paid, part, overdue, canceled]]);
  assert.deepEqual(ids(await charges(`customerId=${separate}`)), [ofSeparate]);
  const second = await charges(`customerId=${customerId}&page=2&pageSize=4`);
  assert.deepEqual([ids(second), second.total, second.totalPages], [[paid, earlier], 6, 2]);
  assert.deepEqual(ids(await charges(`customerId=${customerId}&state=CANCELED`)), [canceled]);
  assert.equal((await charges(`customerId=${UNKNOWN_ID}`)).total, 0);
  const elsewhere = await charges(`customerId=${customerId}&accountId=${encodeURIComponent(newAccount())}`);
  assert.equal(elsewhere.total, 0);
});

test('an erased customer names no person, here and in its events, and its document is free again', async () => {
  const accountId = newAccount();
  const given = {
    externalId: 'client-9',
    email: 'maria.erased@example.com',
    notes: 'Noiva',
    address: { street: 'Rua Acácias' },
  };
  const { id } = (await create({ accountId, name: 'Maria Apagada', ...given })).json;
  await charge({ accountId, customerId: id });
  await send('PATCH', `/customers/${id}`, { phone: '+5511912345678', metadata: { guest: 'Casamento' } });
  const erased = await erase(id);
  const now = service.clock.now().toISOString();
  const left = { id, accountId, externalId: 'client-9', name: 'erased', document: '00000000000', type: 'individual' };
  const { createdAt, ...rest } = erased.json;
  assert.deepEqual(rest, { ...left, updatedAt: now, erasedAt: now });
  assert.ok(createdAt);
  assert.deepEqual(await eventsOf(id), ['1 customer.created', '2 customer.updated', '3 customer.erased']);
  const { events } = (await service.get(`/events?objectId=${id}`)).json;
  const text = JSON.stringify(events) + (await service.get(`/customers/${id}`)).text;
  for (const word of ['Apagada', DOCUMENT, 'maria.erased', 'Noiva', 'Acácias', '5511912345678', 'Casamento']) {
    assert.ok(!text.includes(word), word);
  }
  assert.deepEqual((await service.get(`/customers/${id}`)).json.balance.open, { count: 1, amountCents: 15_990 });
  const after = await service.get(`/customers/${id}`);
  assert.deepEqual((await erase(id)).json, erased.json, 'again it changes nothing');
  const refused = await send('PATCH', `/customers/${id}`, { name: 'X' });
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
  assert.deepEqual((await service.get(`/customers/${id}`)).text, after.text);
  assert.equal((await list({ accountId })).total, 0);
  const again = await create({ accountId, name: 'Maria Apagada', ...given });
  assert.equal(again.status, 201, again.text);
  assert.notEqual(again.json.id, id);
});

test('changes of customers are in the audit log', async () => {
  const accountId = newAccount();
  const { id } = (await create({ accountId })).json;
  await create({ accountId, name: 'Another' });
  await send('PATCH', `/customers/${id}`, { name: 'Maria Souza' });
  await erase(id);
  const lines = await service.sql<{ action: string }>(
    `select action from (select id, action, object_id from audit_inbox union all select id, action, object_id from audit_log) lines
      where object_id = $1 order by id`,
    [id],
  );
  assert.deepEqual(
    lines.map(({ action }) => action),
    ['POST /customers', 'PATCH /customers/:id', 'POST /customers/:id/erase'],
  );
});
