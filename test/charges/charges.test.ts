// POST /charges and GET /charges/{id}.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { chargeBody } from '../harness/bodies.ts';
import { isBarcodeByOracle, isBoletoByOracle, readPixByOracle } from '../harness/oracles.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const create = (changes: Record<string, unknown> = {}) => service.post('/charges', chargeBody(changes));
const countCharges = async () => Number((await service.sql('select count(*) from charges'))[0]!['count']);
const faults = (answer: Answer) =>
  answer.json.errors.map((fault: { path: string; code: string }) => `${fault.path}: ${fault.code}`);

describe('a new charge', () => {
  test('that live would refuse is accepted with a warning, and so is one with a fine above legal custom', async () => {
    const customer = { name: 'Maria da Silva', document: '111.111.111-11' };
    const { id } = (await create({ customer, dueAt: '2020-01-10T12:00:00Z', taxes: { fine: 20 } })).json;
    const { warnings } = (await service.get(`/charges/${id}`)).json;
    assert.deepEqual(
      warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [
        ['taxes.fine', 'looks_like_basis_points'],
        ['customer.document', 'wrong_check_digits'],
        ['dueAt', 'in_the_past'],
      ],
    );
    const plain = (await create()).json;
    assert.deepEqual((await service.get(`/charges/${plain.id}`)).json.warnings, []);
  });

  test('is answered with 201, its id, its location and a result for each method', async () => {
    const made = await create();
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `/charges/${made.json.id}`);
    assert.equal(made.headers.get('idempotent-replayed'), null);
    assert.deepEqual(Object.keys(made.json), ['id', 'boleto', 'pix']);
    assert.equal(made.json.boleto.success, true);
    assert.equal(made.json.boleto.status, 'CREATING');
    assert.equal(made.json.pix.success, true);
    assert.equal(made.json.pix.status, 'CREATING');
  });

  test('carries a complete BR Code in the first answer', async () => {
    const { json } = await create({ methods: ['pix'] });
    const read = readPixByOracle(json.pix.emv);
    assert.deepEqual(read, {
      key: 'sandbox@example.com',
      txid: json.pix.txid,
      amount: 159.9,
      name: 'Trilho Sandbox',
      city: 'Sao Paulo',
    });
  });

  test('carries a valid digitable line and barcode in the first answer', async () => {
    const { json } = await create({ methods: ['boleto'] });
    assert.ok(isBoletoByOracle(json.boleto.digitableLine));
    assert.ok(isBarcodeByOracle(json.boleto.barcode));
    assert.ok(json.boleto.digitableLine.endsWith('0000015990'));
  });

  test('has results only for the methods asked for', async () => {
    assert.deepEqual(Object.keys((await create({ methods: ['pix'] })).json), ['id', 'pix']);
    assert.deepEqual(Object.keys((await create({ methods: ['boleto'] })).json), ['id', 'boleto']);
    assert.deepEqual(Object.keys((await create({ methods: ['pix', 'pix'] })).json), ['id', 'pix']);
  });

  test('is registered by its rails in the background', async () => {
    const { json } = await create();
    await service.runJobs();
    const read = await service.get(`/charges/${json.id}`);
    assert.equal(read.status, 200);
    assert.equal(read.json.pix.status, 'ACTIVE');
    assert.equal(read.json.boleto.status, 'REGISTERED');
    assert.equal(read.json.pix.emv, json.pix.emv);
    assert.equal(read.json.boleto.digitableLine, json.boleto.digitableLine);
  });

  test('made after its due date is overdue once registered', async () => {
    const { status, json } = await create({ dueAt: '2026-11-01T12:00:00Z' });
    assert.equal(status, 201);
    await service.runJobs();
    const read = await service.get(`/charges/${json.id}`);
    assert.equal(read.json.pix.status, 'OVERDUE');
    assert.equal(read.json.boleto.status, 'OVERDUE');
  });

  test('opens an account that the sandbox does not know', async () => {
    assert.equal((await create({ accountId: 'a brand new account' })).status, 201);
  });

  test('accepts all optional fields and shows them', async () => {
    const address = {
      street: 'Rua das Flores',
      number: '100',
      postalCode: '01001-000',
      city: 'São Paulo',
      countryCode: 'BR',
      complement: '',
      neighborhood: 'Sé',
      state: 'SP',
    };
    const made = await create({
      externalId: 'all-fields',
      sourceKey: 'shop',
      taxes: { fine: 2, interest: 0.033 },
      expireAt: '2026-12-31T23:59:59-03:00',
      customer: { name: 'Ação Ltda', document: '12.ABC.345/01DE-35', type: 'business', address },
    });
    assert.equal(made.status, 201);
    const { json } = await service.get(`/charges/${made.json.id}`);
    assert.equal(json.externalId, 'all-fields');
    assert.equal(json.sourceKey, 'shop');
    assert.deepEqual(json.taxes, { fine: 2, interest: 0.033 });
    assert.equal(json.dueAt, '2026-12-11T02:59:59.000Z');
    assert.equal(json.expireAt, '2027-01-01T02:59:59.000Z');
    assert.deepEqual(json.customer, { name: 'Ação Ltda', document: '12ABC34501DE35', type: 'company', address });
    assert.equal(json.createdAt, '2026-11-16T12:00:00.000Z');
  });

  test('expires 30 days after its due date by default', async () => {
    const { json } = await create({ dueAt: '2026-12-10T12:00:00Z' });
    assert.equal((await service.get(`/charges/${json.id}`)).json.expireAt, '2027-01-09T12:00:00.000Z');
  });

  test('infers the kind of customer from the document', async () => {
    for (const [document, type] of [
      ['52998224725', 'individual'],
      ['00.000.000/0001-91', 'company'],
    ]) {
      const { json } = await create({ customer: { name: 'A', document } });
      assert.equal((await service.get(`/charges/${json.id}`)).json.customer.type, type);
    }
  });

  test('in dollars or euros is payable in reais at a locked rate that it shows', async () => {
    const { json } = await create({ currency: 'USD', amountCents: 1_001 });
    assert.equal(Math.round(readPixByOracle(json.pix.emv).amount * 100), 5_405);
    const read = await service.get(`/charges/${json.id}`);
    assert.equal(read.json.amountCents, 1_001);
    assert.equal(read.json.currency, 'USD');
    assert.deepEqual(read.json.payable, {
      amountCents: 5_405,
      currency: 'BRL',
      rate: '5.4',
      rateSource: 'sandbox',
      rateAt: '2026-11-16T12:00:00.000Z',
    });
  });
});

describe('a method that its rail cannot carry', () => {
  test('fails alone while the other succeeds', async () => {
    const made = await create({ amountCents: 10_000_000_000 });
    assert.equal(made.status, 201);
    assert.deepEqual(made.json.boleto, {
      success: false,
      status: 'FAILED',
      reason: 'amountCents is more than a boleto can carry (BRL 99,999,999.99)',
    });
    assert.equal(made.json.pix.success, true);
    await service.runJobs();
    const read = await service.get(`/charges/${made.json.id}`);
    assert.equal(read.json.boleto.status, 'FAILED');
    assert.equal(read.json.pix.status, 'ACTIVE');
  });

  test('refuses the whole charge when it is the only one', async () => {
    const before = await countCharges();
    for (const changes of [
      { methods: ['boleto'], amountCents: 10_000_000_000 },
      { methods: ['pix'], amountCents: 1_000_000_000_000 },
      { methods: ['boleto', 'pix'], amountCents: 1e300 },
      { methods: ['boleto'], dueAt: '2049-10-14T12:00:00Z' },
    ]) {
      const refused = await create(changes);
      assert.equal(refused.status, 422, JSON.stringify(changes));
      assert.equal(refused.json.code, 'charge_refused');
      assert.ok(refused.json.errors.length >= 1);
    }
    assert.equal(await countCharges(), before);
  });
});

describe('a wrong body', () => {
  const cases: [what: string, changes: Record<string, unknown>, faults: string[]][] = [
    ['no accountId', { accountId: undefined }, ['accountId: required']],
    ['an empty accountId', { accountId: '' }, ['accountId: empty']],
    ['a blank accountId', { accountId: '  ' }, ['accountId: blank']],
    ['an accountId that is too long', { accountId: 'x'.repeat(256) }, ['accountId: too_long']],
    ['an externalId that is too long', { externalId: 'x'.repeat(256) }, ['externalId: too_long']],
    ['an amount with cents of cents', { amountCents: 10.5 }, ['amountCents: type']],
    ['an amount as text', { amountCents: '100' }, ['amountCents: type']],
    ['an amount of nothing', { amountCents: 0 }, ['amountCents: minimum']],
    ['a negative amount', { amountCents: -1 }, ['amountCents: minimum']],
    ['another currency', { currency: 'GBP' }, ['currency: not_allowed']],
    ['a currency in lower case', { currency: 'brl' }, ['currency: not_allowed']],
    ['no methods', { methods: [] }, ['methods: empty']],
    ['another method', { methods: ['pix', 'card'] }, ['methods[1]: not_allowed']],
    ['three methods', { methods: ['pix', 'boleto', 'pix'] }, ['methods: too_long']],
    ['methods as text', { methods: 'pix' }, ['methods: type']],
    ['no customer', { customer: undefined }, ['customer: required']],
    [
      'a customer without name and document',
      { customer: {} },
      ['customer.name: required', 'customer.document: required'],
    ],
    [
      'a document of a wrong length',
      { customer: { name: 'A', document: '123' } },
      ['customer.document: not_a_document'],
    ],
    [
      'an unknown kind of customer',
      { customer: { name: 'A', document: '52998224725', type: 'robot' } },
      ['customer.type: not_allowed'],
    ],
    ['an unknown field', { ammount: 1 }, ['ammount: unknown']],
    [
      'an unknown field inside',
      { customer: { name: 'A', document: '52998224725', mail: 'a@b' } },
      ['customer.mail: unknown'],
    ],
    [
      'an unknown field further inside',
      { customer: { name: 'A', document: '52998224725', address: { zip: '1' } } },
      ['customer.address.zip: unknown'],
    ],
    [
      'a number in the address',
      { customer: { name: 'A', document: '52998224725', address: { number: 1 } } },
      ['customer.address.number: type'],
    ],
    ['a negative fine', { taxes: { fine: -1 } }, ['taxes.fine: minimum']],
    ['interest as text', { taxes: { interest: '1' } }, ['taxes.interest: type']],
    ['no due date', { dueAt: undefined }, ['dueAt: required']],
    ['a due date without time', { dueAt: '2026-12-10' }, ['dueAt: format']],
    ['a due date that does not exist', { dueAt: '2026-02-29T10:00:00Z' }, ['dueAt: format']],
    ['an expiry before the due date', { expireAt: '2026-12-10T23:59:58-03:00' }, ['expireAt: before_due_date']],
    [
      'U+0000 in a text',
      { customer: { name: 'A\u0000', document: '52998224725' } },
      ['customer.name: unstorable_text'],
    ],
    ['half of a surrogate pair', { externalId: 'a\ud800' }, ['externalId: unstorable_text']],
    [
      'many faults, all of them named at once',
      { amountCents: 0, expireAt: '2020-01-01T00:00:00Z', customer: { name: '', document: '1', x: 1 }, y: 2 },
      [
        'y: unknown',
        'amountCents: minimum',
        'customer.x: unknown',
        'customer.name: empty',
        'expireAt: before_due_date',
        'customer.document: not_a_document',
      ],
    ],
  ];
  for (const [what, changes, expected] of cases) {
    test(`with ${what} is refused, and nothing is written`, async () => {
      const before = await countCharges();
      const refused = await create(changes);
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.json.code, 'invalid_request');
      assert.deepEqual(faults(refused).sort(), [...expected].sort());
      assert.equal(await countCharges(), before);
    });
  }

  test('that is not an object is refused', async () => {
    for (const body of [null, [], 'text', 1, true]) {
      const refused = await service.post('/charges', body);
      assert.equal(refused.status, 400);
      assert.deepEqual(faults(refused), [': type']);
    }
  });

  test('does not repeat its values in the answer', async () => {
    const refused = await create({ customer: { name: 'Secret Name', document: '99911122' } });
    assert.equal(refused.status, 400);
    assert.ok(!refused.text.includes('Secret Name') && !refused.text.includes('99911122'));
  });
});

test('a due date with an offset, in lower case or without seconds is the same moment', async () => {
  for (const dueAt of [
    '2026-12-10T20:00:00-03:00',
    '2026-12-10t23:00:00z',
    '2026-12-10T23:00Z',
    '2026-12-11T01:00:00.000+02:00',
  ]) {
    const { json } = await create({ dueAt });
    assert.equal((await service.get(`/charges/${json.id}`)).json.dueAt, '2026-12-10T23:00:00.000Z', dueAt);
  }
});

test('foreign keys: a charge needs its account, methods and timers need their charge, and neither can be deleted before', async () => {
  const { json } = await create();
  const [charge] = await service.sql<{ account_id: string }>('select account_id from charges where id = $1', [json.id]);
  const [id, account] = [json.id, charge!.account_id];
  const isRefused = (text: string, values: unknown[]) =>
    assert.rejects(service.sql(text, values), { code: '23503' }, text);
  const method = `insert into charge_methods (charge_id, account_id, method, rail, status, reference, updated_at)
                  values ($1, $2, 'boleto', 'sandbox', 'CREATING', '1', now())`;
  const timer = `insert into charge_timers (charge_id, account_id, kind, at) values ($1, $2, 'settle', now())`;
  for (const text of [method, timer]) {
    await isRefused(text, ['00000000-0000-7000-8000-000000000000', account]);
    await isRefused(text, [id, 'another account']);
  }
  await isRefused(
    `insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash,
                          answer, created_at, state)
     select gen_random_uuid(), $2, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash, answer,
            created_at, state from charges where id = $1`,
    [id, 'another account'],
  );
  await isRefused('delete from accounts where id = $1', [account]);
  await isRefused('delete from charges where id = $1', [id]);
  await service.sql('delete from charge_methods where charge_id = $1', [id]);
  await isRefused('delete from charges where id = $1', [id]);
  await service.sql('delete from charge_timers where charge_id = $1', [id]);
  await service.sql('delete from charges where id = $1', [id]);
});

test('an account cannot be deleted while an open transaction writes a charge for it', async () => {
  await service.sql(`insert into accounts (id, created_at) values ('short-lived', now())`);
  const { json } = await create();
  const [writer, remover] = [1, 2].map(() => new pg.Client({ connectionString: service.databaseUrl }));
  await Promise.all([writer!.connect(), remover!.connect()]);
  try {
    await writer!.query('begin');
    await writer!.query(
      `insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash,
                            answer, created_at)
       select gen_random_uuid(), 'short-lived', amount_cents, currency, payable_cents, customer, due_at, expire_at,
              content_hash, answer, created_at from charges where id = $1`,
      [json.id],
    );
    await remover!.query(`set lock_timeout = '20ms'`);
    const remove = () => remover!.query(`delete from accounts where id = 'short-lived'`);
    // 55P03: it timed out on the writer's lock; 23503: the charge is there.
    await assert.rejects(remove(), { code: '55P03' });
    await writer!.query('commit');
    await assert.rejects(remove(), { code: '23503' });
  } finally {
    await Promise.all([writer!.end(), remover!.end()]);
  }
});

test('a charge that does not exist is not found', async () => {
  for (const id of [
    '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
    'nonsense',
    '019A8B5E-3C70-7D2A-9F41-6B0C5D8E2A17',
    '%00',
  ]) {
    const missing = await service.get(`/charges/${id}`);
    assert.equal(missing.status, 404, id);
    assert.equal(missing.json.code, 'not_found');
  }
});

test('an id in upper case is the same id', async () => {
  const { json } = await create();
  assert.equal((await service.get(`/charges/${json.id.toUpperCase()}`)).json.id, json.id);
});
