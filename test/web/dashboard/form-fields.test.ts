// The forms have the fields of the API: each field of an operation has an input, whose value arrives.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openCharge, pay } from '../../harness/checkouts.ts';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { insertDispute } from '../../harness/disputes.ts';
import { insertMandate } from '../../harness/mandates.ts';
import { type Operation, readOpenApi } from '../../harness/openapi.ts';
import { logIn, SAME_ORIGIN } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** The page with the form of an operation, with ids of existing objects. */
async function pages(): Promise<Readonly<Record<string, string>>> {
  const charge = await openCharge(service, { methods: ['pix'], externalId: 'fields' });
  // Paid twice: with one payment there is no choice.
  await pay(service, charge);
  await pay(service, charge);
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const wallet = (await service.post('/wallets', { accountId: 'acme', name: 'Treasury', network: 'polygon', address }))
    .json.id;
  const order = (
    await service.post('/crypto/transactions', {
      ...{ accountId: 'acme', walletId: wallet, settlementSchedule: 'D0' },
      ...{ symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 500 },
    })
  ).json.transactionId;
  const named = { accountId: 'acme', name: 'Maria da Silva', document: '529.982.247-25' };
  const customer = (await service.post('/customers', named)).json.id;
  const plan = (
    await service.post('/instalments', {
      ...{ accountId: 'acme', amountCents: 20_000, currency: 'BRL', count: 2, firstDueDay: '2026-12-31' },
      ...{ methods: ['pix'], customer: { name: 'Maria da Silva', document: '52998224725' } },
    })
  ).json.id;
  const priced = { accountId: 'acme', name: 'Gold', amountCents: 9_900, interval: 'monthly', methods: ['pix'] };
  const gold = (await service.post('/plans', priced)).json.id;
  const crypto = { symbol: 'usdt', network: 'polygon', settlementSchedule: 'D0' };
  const buying = (await service.post('/plans', { ...priced, crypto })).json.id;
  const subscribed = { accountId: 'acme', planId: buying, customerId: customer, walletId: wallet };
  const subscription = (await service.post('/subscriptions', subscribed)).json.id;
  const mandate = await insertMandate(service, { accountId: 'acme', customerId: customer, chargeId: charge });
  const disputed = await openCharge(service);
  await pay(service, disputed);
  const dispute = await insertDispute(service, disputed);
  const reminding = { accountId: 'acme', when: 'before', days: 3, channels: ['event'] };
  const rule = (await service.post('/reminders/rules', reminding)).json.id;
  const person = (await service.post('/people', { name: 'Ana', role: 'viewer' })).json.id;
  const webhook = (await service.post('/webhooks', { url: 'http://127.0.0.1:9/hook' })).json.id;
  return {
    'POST /charges': '/charges/new',
    'POST /instalments': '/instalments/new',
    'POST /instalments/{id}/checkout/withdraw': `/instalments/${plan}/withdraw`,
    'POST /customers': '/customers/new',
    'PATCH /customers/{id}': `/customers/${customer}/change`,
    'POST /plans': '/plans/new',
    'PATCH /plans/{id}': `/plans/${gold}/change`,
    'POST /subscriptions': '/subscriptions/new',
    'PATCH /subscriptions/{id}': `/subscriptions/${subscription}/change`,
    'POST /subscriptions/{id}/cancel': `/subscriptions/${subscription}/cancel`,
    'POST /subscriptions/{id}/checkout/withdraw': `/subscriptions/${subscription}/withdraw`,
    'PATCH /disputes/{id}': `/disputes/${dispute.id}/change`,
    'POST /disputes/{id}/close': `/disputes/${dispute.id}/close`,
    'POST /disputes/{id}/evidence': `/disputes/${dispute.id}/upload`,
    'POST /reminders/rules': '/reminders/rules/new',
    'PATCH /reminders/rules/{id}': `/reminders/rules/${rule}/change`,
    'PATCH /accounts/{id}/reminder-settings': '/accounts/acme/reminders/hours',
    'POST /mandates': '/mandates/new',
    'POST /mandates/{id}/collections': `/mandates/${mandate.id}/collect`,
    'POST /charges/{id}/due-date': `/charges/${charge}/due-date`,
    'POST /charges/{id}/remainder': `/charges/${charge}/remainder`,
    'POST /charges/{id}/checkout/withdraw': `/charges/${charge}/withdraw`,
    'POST /charges/{id}/refunds': `/charges/${charge}/refund`,
    'POST /charges/{id}/payments': `/charges/${charge}/record`,
    'POST /payments/unmatched/dismiss': '/unmatched/dismiss',
    'POST /crypto/quotes': '/orders/quote',
    'POST /crypto/transactions': '/orders/new',
    'POST /crypto/transactions/{id}/charge': `/orders/${order}/charge`,
    'POST /crypto/transactions/{id}/reprice': `/orders/${order}/reprice`,
    'POST /crypto/transactions/{id}/settle': `/orders/${order}/settle`,
    'POST /webhooks': '/webhooks/new',
    'PATCH /webhooks/{id}': `/webhooks/${webhook}/change`,
    'POST /webhooks/{id}/replay': `/webhooks/${webhook}/replay`,
    'POST /wallets': '/wallets/new',
    'POST /wallets/{id}/proof': `/wallets/${wallet}/prove`,
    'POST /wallets/{id}/declaration': `/wallets/${wallet}/declare`,
    'POST /payouts/pause': '/payouts/pause',
    'POST /payouts/resume': '/payouts/resume',
    'POST /payouts/senders/resume': '/payouts/senders/resume',
    'POST /payouts/senders/fill-gap': '/payouts/senders/fill-gap',
    'POST /payouts/sweep': '/payouts/sweep',
    'POST /payouts/top-ups': '/payouts/top-up',
    'POST /accounts': '/accounts/new',
    'PATCH /accounts/{id}/settings': '/accounts/acme/settings',
    'POST /statements': '/statements/upload',
    'POST /boletos/returns': '/statements/upload',
    'POST /boletos/files': '/boletos/make',
    'POST /keys': '/keys/new',
    'POST /people': '/people/invite',
    'PATCH /people/{id}': `/people/${person}/role`,
  };
}

/** Inputs with another name, since a person enters something else than a program sends. */
const INPUTS: Readonly<Record<string, string>> = {
  amountCents: 'amount',
  amountsCents: 'amounts',
  minimumCents: 'minimum',
  // An amount or a percent is typed in one input.
  discounts: 'discount',
  'abatement.amountCents': 'abatement',
  'abatement.percent': 'abatement',
  'pastDue.action': 'unpaidAction',
  dueAt: 'dueDay',
  expireAt: 'expireDay',
  paidAt: 'paidTime',
  'charge.externalId': 'chargeExternalId',
  // The link is a credential; the form has its number.
  checkoutUrl: 'linkEpoch',
  // One choice represents a set of scopes.
  scopes: 'grant',
  expiresAt: 'expiresDay',
  'POST /webhooks/{id}/replay from': 'day',
  // The file brings its name.
  'POST /disputes/{id}/evidence name': 'file',
  // A box for each.
  channels: 'email',
  quietHours: 'from',
  // Replaced by the fields of the object.
  'PATCH /customers/{id} address': 'street',
  'PATCH /plans/{id} taxes': 'fine',
  'PATCH /plans/{id} crypto': 'symbol',
};

/** Fields without an input, each with its reason. */
const WITHOUT_INPUT = new Set([
  // The page of a customer links to the form, which then has the customer instead of the fields of a payer.
  'POST /charges customerId',
  'POST /instalments customerId',
  // The page of a price links to the form, which then has that price instead of its fields.
  'POST /crypto/transactions quoteId',
  // A new rule is on; the form that changes it can turn it off.
  'POST /reminders/rules enabled',
  // Separate forms: Enable, Disable.
  'PATCH /webhooks/{id} enabled',
]);

type Schema = { readonly $ref?: string; readonly properties?: Readonly<Record<string, Schema>> };

test('a text of a mail has a form of its own', async () => {
  const page = await view(service, '/accounts/acme/reminders/text?when=before&locale=en');
  for (const name of ['subject', 'intro']) assert.match(page, new RegExp(`<(?:input|textarea)[^>]* name="${name}"`));
});

test('each field of an operation has an input in its form', async () => {
  const { document } = await readOpenApi(service);
  const fieldsOf = (schema: Schema, name = ''): string[] => {
    const [component = ''] = schema.$ref?.split('/').slice(-1) ?? [];
    const { properties } = (document.components.schemas[component] as Schema | undefined) ?? schema;
    if (!properties) return name === '' ? [] : [name];
    return Object.entries(properties).flatMap(([part, one]) => fieldsOf(one, name === '' ? part : `${name}.${part}`));
  };
  const taken = ({ requestBody, parameters = [] }: Operation) => [
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema as Schema)),
    ...parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name),
  ];
  const operations = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/sandbox/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    )
    .filter(([name, operation]) => !name.startsWith('GET ') && taken(operation).length > 0);
  const pageOf = await pages();
  const missing: string[] = [];
  for (const [name, operation] of operations) {
    const path = pageOf[name];
    assert.ok(path !== undefined, `${name} has a form in the list`);
    const page = await view(service, path);
    const inputs = new Set([...page.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)].map(([, one]) => one));
    for (const field of taken(operation)) {
      // The texts of mails have a form of their own, one text at a time: below.
      if (field.startsWith('texts.')) continue;
      const input =
        INPUTS[`${name} ${field}`] ?? INPUTS[field] ?? INPUTS[field.split('.').at(-1) ?? ''] ?? field.split('.').at(-1);
      if (!inputs.has(input) && !WITHOUT_INPUT.has(`${name} ${field}`)) missing.push(`${name} ${field}`);
    }
  }
  assert.deepEqual(missing, []);
});

const EVERY_FIELD = {
  accountId: 'acme',
  amount: '1.159,90',
  currency: 'BRL',
  name: 'Maria da Silva',
  document: '529.982.247-25',
  email: 'maria@example.com',
  methods: 'boleto pix',
  dueDay: '2026-12-10',
  externalId: 'every field',
  description: 'Order 1050',
  phone: '+5511987654321',
  type: 'individual',
  street: 'Rua das Flores',
  number: '100',
  complement: 'ap. 3',
  neighborhood: 'Centro',
  city: 'São Paulo',
  state: 'SP',
  postalCode: '01001-000',
  countryCode: 'BR',
  fine: '2',
  interest: '1,5',
  expireDay: '2026-12-20',
  sourceKey: 'counter',
  metadata: 'store: Recife\nhours: 9:00 to 17:00',
};

test('a form with every field creates the same charge as the API', async () => {
  const made = await submit(service, '/charges/new', EVERY_FIELD);
  const location = made.headers.get('location') ?? '';
  assert.match(location, /^\/dashboard\/charges\/[\da-f-]{36}$/, textOf(await made.text()));
  const { json } = await service.get(location.replace('/dashboard', ''));
  assert.deepEqual(
    {
      ...{ amountCents: json.amountCents, customer: json.customer, taxes: json.taxes, metadata: json.metadata },
      ...{ dueAt: json.dueAt, expireAt: json.expireAt, sourceKey: json.sourceKey, description: json.description },
    },
    {
      amountCents: 115_990,
      customer: {
        name: 'Maria da Silva',
        document: '52998224725',
        type: 'individual',
        address: {
          ...{ street: 'Rua das Flores', number: '100', complement: 'ap. 3', neighborhood: 'Centro' },
          ...{ city: 'São Paulo', state: 'SP', postalCode: '01001-000', countryCode: 'BR' },
        },
        email: 'maria@example.com',
        phone: '+5511987654321',
      },
      taxes: { fine: 2, interest: 1.5 },
      metadata: { store: 'Recife', hours: '9:00 to 17:00' },
      dueAt: '2026-12-11T02:59:59.000Z',
      expireAt: '2026-12-21T02:59:59.000Z',
      sourceKey: 'counter',
      description: 'Order 1050',
    },
  );
});

test('a form takes an abatement, and a discount until a day or for each day', async () => {
  const made = async (fields: Record<string, string>) => {
    const answer = await submit(service, '/charges/new', { ...EVERY_FIELD, ...fields });
    assert.equal(answer.status, 303, textOf(await answer.text()));
    const { abatement, discounts } = (await service.get(answer.headers.get('location')!.replace('/dashboard', '')))
      .json;
    return { abatement, discounts };
  };
  const until = { externalId: 'until', discount: '5%', discountUntil: '2026-12-01', abatement: '10,00' };
  assert.deepEqual(await made(until), {
    abatement: { amountCents: 1_000 },
    discounts: [{ percent: 5, until: '2026-12-01' }],
  });
  const perDay = { externalId: 'per day', discount: '0,50', discountPerDay: 'banking', abatement: '2,5%' };
  assert.deepEqual(await made(perDay), {
    abatement: { percent: 2.5 },
    discounts: [{ amountCents: 50, perDay: 'banking' }],
  });
});

test('a fault is named by its label, and its group is open', async () => {
  const wrong = { ...EVERY_FIELD, externalId: 'wrong', fine: 'two', expireDay: '2026-12-01', metadata: 'no colon' };
  const refused = await submit(service, '/charges/new', wrong);
  assert.equal(refused.status, 400);
  const page = await refused.text();
  const text = textOf(page);
  for (const said of [/Fine, in percent must be a number/, /Own texts must be an object/]) assert.match(text, said);
  assert.match(page, /<details class="group" open>\s*<summary>When it is paid late/);
  const late = await submit(service, '/charges/new', { ...EVERY_FIELD, externalId: 'late', expireDay: '2026-12-01' });
  assert.match(textOf(await late.text()), /Ends must not be earlier/);
});

test("an unreadable amount is refused with the form's label, and nothing is refunded", async () => {
  const id = await openCharge(service, { methods: ['pix'], externalId: 'mistyped' });
  assert.equal((await service.post(`/sandbox/charges/${id}/pay`, { method: 'pix' })).status, 200);
  for (const amount of ['', '0', '-1', '50,005', 'all']) {
    const refused = await submit(service, `/charges/${id}/refund`, { amount });
    assert.equal(refused.status, 400, amount);
    const text = textOf(await refused.text());
    assert.match(text, /Nothing was done: Amount must be an amount above zero, such as 159\.90/, amount);
    assert.doesNotMatch(text, /amountCents/);
  }
  assert.deepEqual((await service.get(`/charges/${id}`)).json.refunds, []);
});

test('an order is created with the fields of its charge and at the named price', async () => {
  const address = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
  const { id: walletId } = (
    await service.post('/wallets', { accountId: 'acme', name: 'Other', network: 'polygon', address })
  ).json;
  const made = await submit(service, '/orders/new', {
    ...{ accountId: 'acme', walletId, settlementSchedule: 'D0' },
    ...{ symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: '541,00', quantity: '' },
    ...{ name: 'Maria da Silva', document: '529.982.247-25', methods: 'pix', externalId: 'order 7' },
    ...{ chargeExternalId: 'charge 7', description: 'Dollars', metadata: 'desk: 4', sourceKey: 'desk' },
  });
  const at = (made.headers.get('location') ?? '').replace('/dashboard', '');
  assert.match(at, /^\/orders\/[\da-f-]{36}$/, textOf(await made.text()));
  const { chargeId } = (await service.get(`/crypto/transactions/${at.split('/')[2]}`)).json;
  const charge = (await service.get(`/charges/${chargeId}`)).json;
  assert.deepEqual(
    [charge.externalId, charge.description, charge.metadata, charge.sourceKey],
    ['charge 7', 'Dollars', { desk: '4' }, 'desk'],
  );
  const reprice = await submit(service, `${at}/reprice`, { quoteId: 'cheap' });
  assert.match(textOf(await reprice.text()), /Price must be a UUID/);
});

test('a payment is recorded with the time at which it was made', async () => {
  const id = await openCharge(service, { methods: ['pix'], externalId: 'recorded' });
  const { createdAt } = (await service.get(`/charges/${id}`)).json;
  const paidAt = new Date(Math.ceil(Date.parse(createdAt) / 60_000) * 60_000);
  service.clock.advanceMs(3_600_000);
  const inSaoPaulo = new Date(paidAt.getTime() - 3 * 3_600_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
  const fields = { amount: '159,90', reference: 'by hand 1', method: 'pix', paidTime: inSaoPaulo };
  const at = `/charges/${id}/record`;
  const early = await submit(service, at, { ...fields, paidTime: '2126-11-01T10:30' });
  assert.match(textOf(await early.text()), /Paid at must not be later/);
  const recorded = await submit(service, at, fields);
  assert.equal(recorded.status, 303, textOf(await recorded.text()));
  const [payment] = (await service.get(`/charges/${id}`)).json.payments;
  assert.equal(payment.paidAt, paidAt.toISOString());
});

test('a webhook is created for several events, and disabled until its receiver is ready', async () => {
  const fields = { accountId: 'acme', url: 'http://127.0.0.1:9/new', types: 'charge.paid charge.refunded' };
  assert.equal((await submit(service, '/webhooks/new', { ...fields, enabled: 'false' })).status, 200);
  const { webhooks } = (await service.get('/webhooks')).json;
  const made = webhooks.find(({ url }: { url: string }) => url === fields.url);
  assert.deepEqual([made.types, made.enabled], [['charge.paid', 'charge.refunded'], false]);
});

test('a person of one account does not choose an account, and creates a wallet for it', async t => {
  const live = await startService({ mode: 'live', env: { TRILHO_PUBLIC_URL: 'https://pay.example.com' } });
  t.after(() => live.stop());
  const { cookie } = await logIn(live, 'operator', 'acme');
  const headers = { cookie, accept: 'text/html' };
  const at = `${live.url}/dashboard/wallets/new`;
  const page = await (await fetch(at, { headers })).text();
  assert.doesNotMatch(page, /name="accountId"/);
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const body = new URLSearchParams({ name: 'Treasury', network: 'polygon', address });
  const made = await fetch(at, { method: 'POST', body, headers: { ...headers, ...SAME_ORIGIN }, redirect: 'manual' });
  assert.equal(made.status, 303, textOf(await made.text()));
});
