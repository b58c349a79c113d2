// The pages of customers: found, made, changed and erased by forms, with what they owe, and as a file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../../harness/bodies.ts';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

const DOCUMENT = '529.982.247-25';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

let accounts = 0;
const newAccount = () => `account ${++accounts}`;
async function create(changes: Record<string, unknown>): Promise<string> {
  const made = await service.post('/customers', { name: 'Maria da Silva', document: DOCUMENT, ...changes });
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}
const read = async (id: string) => (await service.get(`/customers/${id}`)).json;
const placeOf = (answer: Response) => (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';

test('a form makes a customer, and says which field differs from the one that the document has', async () => {
  const accountId = newAccount();
  await create({ accountId, document: '11144477735' });
  const fields = { accountId, name: 'Maria da Silva', document: DOCUMENT };
  const more = {
    email: 'maria@example.com',
    city: 'Recife',
    state: 'PE',
    locale: 'pt-BR',
    notes: 'One\r\nTwo',
    metadata: 'route: south',
  };
  const made = await submit(service, '/customers/new', { ...fields, ...more, externalId: 'client-1' });
  assert.equal(made.status, 303, await made.text());
  const { id, createdAt, updatedAt, balance, ...rest } = await read(placeOf(made));
  assert.ok(id && createdAt && updatedAt && balance);
  assert.deepEqual(rest, {
    ...{ accountId, name: 'Maria da Silva', document: '52998224725', type: 'individual', externalId: 'client-1' },
    ...{ email: 'maria@example.com', locale: 'pt-BR', notes: 'One\nTwo' },
    ...{ address: { city: 'Recife', state: 'PE' }, metadata: { route: 'south' } },
  });
  const refused = await submit(service, '/customers/new', { ...fields, name: 'Maria Souza' });
  assert.equal(refused.status, 409);
  assert.match(textOf(await refused.text()), /Nothing was done: Name is not what the customer of this document has/);
  const separate = await submit(service, '/customers/new', { ...fields, name: 'Maria Souza', separate: 'true' });
  assert.equal((await read(placeOf(separate))).separate, true);
});

test('a form that is sent twice makes one customer', async () => {
  const accountId = newAccount();
  const fields = {
    accountId,
    name: 'Maria',
    document: DOCUMENT,
    separate: 'true',
    once: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87',
  };
  const ids = [];
  for (let time = 0; time < 2; time++) ids.push(placeOf(await submit(service, '/customers/new', fields)));
  assert.equal(ids[0], ids[1]);
});

test('a form changes what was filled in, removes what was emptied, and leaves the rest as it is', async () => {
  const accountId = newAccount();
  const given = {
    email: 'maria@example.com',
    phone: '+5511987654321',
    address: { city: 'Recife' },
    metadata: { note: 'two\nlines' },
  };
  const id = await create({ accountId, ...given, externalId: 'client-2' });
  const page = await view(service, `/customers/${id}/change`);
  for (const value of ['Maria da Silva', DOCUMENT, 'maria@example.com', '+5511987654321', 'Recife', 'client-2']) {
    assert.ok(page.includes(`value="${value}"`), value);
  }
  const kept = {
    name: 'Maria Souza',
    document: DOCUMENT,
    phone: '+5511987654321',
    externalId: 'client-2',
    metadata: 'note: two\r\nlines',
  };
  const changed = await submit(service, `/customers/${id}/change`, kept);
  assert.equal(changed.status, 303, await changed.text());
  const { name, email, phone, address, metadata, externalId } = await read(id);
  assert.deepEqual(
    { name, email, phone, address, metadata, externalId },
    {
      name: 'Maria Souza',
      email: undefined,
      phone: '+5511987654321',
      address: undefined,
      metadata: { note: 'two\nlines' },
      externalId: 'client-2',
    },
  );
  const emptied = await submit(service, `/customers/${id}/change`, { ...kept, metadata: '', phone: '' });
  assert.equal(emptied.status, 303);
  assert.deepEqual([(await read(id)).metadata, (await read(id)).phone], [undefined, undefined]);
});

test('the page of a customer has what it owes, leads to a charge for it, and a charge leads back', async () => {
  const accountId = newAccount();
  const id = await create({ accountId });
  const form = `/charges/new?customerId=${id}`;
  assert.ok(!(await view(service, form)).includes('name="document"'), 'who pays is known');
  const made = await submit(service, form, { amount: '159,90', currency: 'BRL', methods: 'pix', dueDay: '2026-12-10' });
  assert.equal(made.status, 303, await made.text());
  const charge = (await service.get(`/charges/${placeOf(made)}`)).json;
  assert.deepEqual([charge.customerId, charge.accountId, charge.customer.name], [id, accountId, 'Maria da Silva']);
  const named = chargeBody({ accountId, customer: { name: 'M. Silva', document: DOCUMENT }, methods: ['pix'] });
  const other = (await service.post('/charges', named)).json;
  const page = await view(service, `/customers/${id}`);
  assert.match(textOf(page), /Open R\$ 319\.80 \(2\) Overdue, of that R\$ 0\.00 \(0\) Paid R\$ 0\.00 \(0\)/);
  for (const one of [charge.id, other.id]) {
    assert.ok(page.includes(`/dashboard/charges/${one}"`));
    assert.ok((await view(service, `/charges/${one}`)).includes(`/dashboard/customers/${id}"`));
  }
  const elsewhere = (await service.post('/charges', chargeBody({ accountId: newAccount() }))).json;
  assert.ok(!(await view(service, `/charges/${elsewhere.id}`)).includes('/dashboard/customers/0'));
  const list = await view(service, `/charges?customerId=${id}`);
  assert.ok(list.includes(charge.id) && list.includes(other.id) && !list.includes(elsewhere.id));
  assert.match(list, new RegExp(`name="customerId"[^>]* value="${id}"`), 'another filter keeps the customer');
  const file = await (await fetch(`${service.url}/dashboard/charges.csv?customerId=${id}`)).text();
  assert.equal(file.trimEnd().split('\r\n').length, 3);
  const filtered = await view(service, `/charges?customerId=${id}&payer=m.%20silva`);
  assert.ok(!filtered.includes(charge.id) && filtered.includes(other.id));
});

test('customers are found in the list and in the search box', async () => {
  const accountId = newAccount();
  const id = await create({
    accountId,
    name: 'Zuleica Araújo',
    email: 'zu@casa.example',
    externalId: `client of ${accountId}`,
  });
  const of = `&accountId=${encodeURIComponent(accountId)}`;
  for (const search of ['zuleica', 'araujo zu', 'zu@casa', DOCUMENT]) {
    const page = await view(service, `/customers?search=${encodeURIComponent(search)}${of}`);
    assert.ok(page.includes(`/dashboard/customers/${id}"`), search);
  }
  assert.match(await view(service, `/customers?search=nobody${of}`), /No customer fits these filters/);
  for (const q of [id, `client of ${accountId}`, 'zuleica', 'zu@casa.example']) {
    const answer = await fetch(`${service.url}/dashboard/search?q=${encodeURIComponent(q)}`, { redirect: 'manual' });
    assert.equal(answer.headers.get('location'), `/dashboard/customers/${id}`, q);
  }
  const both = await view(service, `/search?q=${encodeURIComponent(DOCUMENT)}`);
  assert.ok(both.includes(`/dashboard/customers/${id}"`) && both.includes('/dashboard/charges/'));
});

test('a customer is erased by a form, and its page says so', async () => {
  const accountId = newAccount();
  const id = await create({ accountId, email: 'maria@example.com' });
  const erased = await submit(service, `/customers/${id}/erase`);
  assert.equal(erased.headers.get('location'), `/dashboard/customers/${id}`);
  await service.runJobs();
  const page = await view(service, `/customers/${id}`);
  assert.ok(page.includes('Erased') && !page.includes('maria@example.com') && !page.includes(`${id}/change`));
  assert.ok((await view(service, '/events?type=customer.erased')).includes(`/dashboard/customers/${id}"`));
});

test('the list as a file has every customer of the filter, and was put on record', async () => {
  const accountId = newAccount();
  for (const document of ['11144477735', '12345678909']) await create({ accountId, document, name: '=cmd()' });
  const answer = await fetch(`${service.url}/dashboard/customers.csv?accountId=${encodeURIComponent(accountId)}`);
  const lines = (await answer.text()).trimEnd().split('\r\n');
  assert.match(
    lines[0]!,
    /^id,account,external id,name,document,type,email,phone,address,locale,notes,created,updated$/,
  );
  assert.deepEqual(
    lines.slice(1).map(line => line.split(',').slice(3, 5)),
    [
      ["'=cmd()", '12345678909'],
      ["'=cmd()", '11144477735'],
    ],
  );
  const [line] = await service.sql(
    `select from (select action from audit_inbox union all select action from audit_log) lines where action = 'GET /dashboard/customers.csv'`,
  );
  assert.ok(line);
});
