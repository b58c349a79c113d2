// A repeat, by externalId or by Idempotency-Key, gets the first charge again, however many arrive at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** An even number. */
const AT_ONCE = scaled(50, 10);

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** A name that no other test uses, for accounts and keys. */
let used = 0;
const fresh = (word: string) => `${word}-${++used}`;

const post = (body: unknown, key?: string) =>
  service.post('/charges', body, key === undefined ? {} : { 'idempotency-key': key });

const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';

async function chargesOf(accountId: string): Promise<number> {
  const [row] = await service.sql<{ count: string }>('select count(*) from charges where account_id = $1', [accountId]);
  return Number(row!.count);
}

// ---- random interleavings

type Request = {
  readonly account: string;
  readonly externalId: string | undefined;
  readonly key: string | undefined;
  /** Two that differ, the first spelt in two ways, and one that is not valid. */
  readonly content: 'first' | 'first, otherwise spelt' | 'second' | 'invalid';
};

const requests: fc.Arbitrary<Request> = fc.record({
  account: fc.constantFrom('a', 'a', 'a', 'b'),
  externalId: fc.option(fc.constantFrom('e1', 'e2'), { nil: undefined, freq: 3 }),
  key: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined, freq: 3 }),
  content: fc.oneof(
    { weight: 4, arbitrary: fc.constant('first' as const) },
    { weight: 2, arbitrary: fc.constant('first, otherwise spelt' as const) },
    { weight: 3, arbitrary: fc.constant('second' as const) },
    { weight: 1, arbitrary: fc.constant('invalid' as const) },
  ),
});

const batches = fc.array(fc.array(requests, { minLength: 1, maxLength: 7, size: 'max' }), {
  minLength: 1,
  maxLength: 4,
  size: 'max',
});

const CONTENTS: Record<Request['content'], Record<string, unknown>> = {
  first: { amountCents: 1000, methods: ['boleto', 'pix'], dueAt: '2026-12-10T23:59:59-03:00' },
  'first, otherwise spelt': { dueAt: '2026-12-11T02:59:59Z', methods: ['pix', 'boleto'], amountCents: 1000 },
  second: { amountCents: 2000 },
  invalid: { amountCents: 0 },
};

/** Equal for two requests for the same charge. */
function meaningOf({ account, externalId, content }: Request): string {
  return JSON.stringify([account, externalId, content.split(',')[0]]);
}

type First = { readonly meaning: string; readonly id: string; readonly text: string };
/** The charges so far, by key and by externalId. */
type State = { readonly keys: ReadonlyMap<string, First>; readonly externalIds: ReadonlyMap<string, First> };

/** The state after one request, if its answer is the one the contract asks for in the state before; else undefined. */
function step(state: State, request: Request, answer: Answer, known: ReadonlySet<string>): State | undefined {
  const { key, account, externalId, content } = request;
  if (content === 'invalid') return answer.status === 400 ? state : undefined;
  const meaning = meaningOf(request);
  const repeats = (first: First) => answer.status === 201 && isReplay(answer) && answer.text === first.text;

  const byKey = key === undefined ? undefined : state.keys.get(key);
  if (byKey) {
    if (byKey.meaning === meaning) return repeats(byKey) ? state : undefined;
    return answer.status === 422 && answer.json.code === 'idempotency_key_reused' ? state : undefined;
  }
  const place = `${account} ${externalId}`;
  const byExternalId = externalId === undefined ? undefined : state.externalIds.get(place);
  if (byExternalId && byExternalId.meaning !== meaning) {
    const isConflict = answer.status === 409 && answer.json.chargeId === byExternalId.id;
    return isConflict ? state : undefined;
  }
  if (byExternalId && !repeats(byExternalId)) return undefined;
  if (!byExternalId && (answer.status !== 201 || isReplay(answer) || known.has(answer.json.id))) return undefined;
  const charge = byExternalId ?? { meaning, id: answer.json.id, text: answer.text };
  return {
    keys: key === undefined ? state.keys : new Map(state.keys).set(key, charge),
    externalIds: externalId === undefined ? state.externalIds : new Map(state.externalIds).set(place, charge),
  };
}

type Exchange = { readonly request: Request; readonly answer: Answer };

/** Simultaneous requests may have happened in any order: looks for one in which every answer is right. */
function explain(state: State, batch: readonly Exchange[], known: ReadonlySet<string>): State | undefined {
  if (batch.length === 0) return state;
  for (const [index, { request, answer }] of batch.entries()) {
    const next = step(state, request, answer, known);
    const end = next && explain(next, batch.toSpliced(index, 1), known);
    if (end) return end;
  }
  return undefined;
}

test('simultaneous requests are answered as if they had come in some order, and each charge is written once', async () => {
  const tally = { made: 0, replayed: 0, conflicts: 0, reused: 0 };
  await fc.assert(
    fc.asyncProperty(batches, async all => {
      const run = fresh('run');
      const named = (word: string | undefined) => (word === undefined ? undefined : `${run} ${word}`);
      let state: State = { keys: new Map(), externalIds: new Map() };
      const texts = new Map<string, string>();
      for (const batch of all) {
        const known = new Set(texts.keys());
        const exchanges = await Promise.all(
          batch.map(async request => {
            const { account, externalId, key, content } = request;
            const body = chargeBody({ ...CONTENTS[content], accountId: named(account), externalId });
            return { request, answer: await post(body, named(key)) };
          }),
        );
        const made = exchanges.filter(({ answer }) => answer.status === 201);
        for (const { answer } of made) {
          const { id } = answer.json;
          assert.equal(answer.text, texts.get(id) ?? answer.text, 'one id, one body');
          texts.set(id, answer.text);
        }
        const firsts = made.filter(({ answer }) => !isReplay(answer)).map(({ answer }) => answer.json.id);
        assert.equal(new Set(firsts).size, firsts.length, 'each charge is created by one request');
        const next = explain(state, exchanges, known);
        assert(next, `no order explains ${exchanges.map(describe).join('; ')}`);
        state = next;
        tally.made += firsts.length;
        tally.replayed += made.length - firsts.length;
        tally.conflicts += exchanges.filter(({ answer }) => answer.status === 409).length;
        tally.reused += exchanges.filter(({ answer }) => answer.status === 422).length;
      }
      const written = (await chargesOf(`${run} a`)) + (await chargesOf(`${run} b`));
      assert.equal(written, texts.size);
    }),
    { numRuns: scaled(80, 16) },
  );
  // The random cases must have covered every rule.
  assert(Math.min(...Object.values(tally)) >= scaled(20), JSON.stringify(tally));
});

function describe({ request, answer }: Exchange): string {
  const outcome = answer.json.id ?? answer.json.chargeId ?? answer.json.code;
  return `${JSON.stringify(request)} → ${answer.status} ${outcome}${isReplay(answer) ? ' again' : ''}`;
}

// ---- many at once

const WAYS = {
  'one externalId': { externalId: true, key: false },
  'one Idempotency-Key': { externalId: false, key: true },
  'one externalId and one Idempotency-Key': { externalId: true, key: true },
};

for (const [name, by] of Object.entries(WAYS)) {
  test(`${AT_ONCE} simultaneous calls with ${name} make one charge and get equal answers`, async () => {
    await service.runJobs();
    const accountId = fresh('account');
    const body = chargeBody({ accountId, ...(by.externalId && { externalId: 'order-1' }) });
    const key = by.key ? fresh('key') : undefined;
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(body, key)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(new Set(answers.map(({ headers }) => headers.get('location'))).size, 1);
    assert.equal(answers.filter(isReplay).length, AT_ONCE - 1);
    assert.equal(await chargesOf(accountId), 1);
    assert.equal(await service.runJobs(), 1, 'one job submits it');
  });
}

test(`${AT_ONCE} simultaneous calls with two contents under one externalId make one charge; the others conflict with it`, async () => {
  const accountId = fresh('account');
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      post(chargeBody({ accountId, externalId: 'order-1', amountCents: 1000 + (index % 2) })),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  const conflicts = answers.filter(({ status }) => status === 409);
  assert.deepEqual([made.length, conflicts.length], [AT_ONCE / 2, AT_ONCE / 2]);
  assert.equal(new Set(made.map(({ text }) => text)).size, 1);
  assert.equal(made.filter(isReplay).length, AT_ONCE / 2 - 1);
  for (const { json } of conflicts) assert.equal(json.chargeId, made[0]!.json.id);
  assert.equal(await chargesOf(accountId), 1);
});

// ---- one after another

test('a repeat long afterwards, when the charge has changed, still gets exactly the first answer', async () => {
  const body = chargeBody({ accountId: fresh('account'), externalId: 'order-1' });
  const key = fresh('key');
  const first = await post(body, key);
  await service.runJobs();
  service.clock.advanceMs(400 * 86_400_000);
  for (const again of [await post(body, key), await post(body), await post(body, fresh('key'))]) {
    assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true]);
    assert.equal(again.headers.get('location'), first.headers.get('location'));
  }
  assert.equal(isReplay(first), false);
});

test('other content under a used externalId is a conflict that names the first charge', async () => {
  const body = chargeBody({ accountId: fresh('account'), externalId: 'order-1' });
  const first = await post(body);
  const changes: Record<string, unknown> = {
    amountCents: 15_991,
    currency: 'USD',
    methods: ['pix'],
    sourceKey: 'shop',
    dueAt: '2026-12-10T23:59:58-03:00',
    expireAt: '2027-12-10T23:59:59-03:00',
    taxes: { fine: 2 },
    customer: { name: 'Maria da Silva', document: '529.982.247-26' },
  };
  for (const [name, value] of Object.entries(changes)) {
    const conflict = await post({ ...body, [name]: value });
    assert.equal(conflict.status, 409, name);
    assert.equal(conflict.json.code, 'external_id_conflict');
    assert.equal(conflict.json.chargeId, first.json.id);
  }
  assert.equal(await chargesOf(body['accountId'] as string), 1);
});

test('each part of the customer is content, and an empty address counts as no address', async () => {
  const customer = { name: 'Maria da Silva', document: '52998224725', type: 'individual', address: { street: 'A' } };
  const body = chargeBody({ accountId: fresh('account'), externalId: 'order-1', customer });
  await post(body);
  for (const change of [
    { name: 'Maria Silva' },
    { document: '11144477735' },
    { address: undefined },
    { address: { number: 'A' } },
    { address: { street: 'A', complement: 'B' } },
  ]) {
    const conflict = await post({ ...body, customer: { ...customer, ...change } });
    assert.deepEqual([conflict.status, conflict.json.code], [409, 'external_id_conflict'], JSON.stringify(change));
  }
  const bare = chargeBody({
    accountId: fresh('account'),
    externalId: 'order-1',
    customer: { ...customer, address: {} },
  });
  await post(bare);
  assert.ok(isReplay(await post({ ...bare, customer: { ...customer, address: undefined } })));
});

test("a charge that an earlier version wrote is found by that version's content hash", async () => {
  const accountId = fresh('account');
  const key = fresh('key');
  const body = {
    accountId,
    externalId: 'order-1',
    amountCents: 15_990,
    currency: 'BRL',
    methods: ['pix', 'boleto'],
    customer: { name: 'Maria da Silva', document: '529.982.247-25', address: { street: 'Rua A', city: 'Rio' } },
    dueAt: '2026-12-10T23:59:59-03:00',
    taxes: { fine: 2 },
  };
  const first = await post(body, key);
  const address = '["address",{"entries":[["city","Rio"],["street","Rua A"]]}]';
  const former = `{"entries":[["accountId","${accountId}"],["amountCents","15990"],["currency","BRL"],["customer",{"entries":[${address},["document","52998224725"],["name","Maria da Silva"],["type","individual"]]}],["dueAt","2026-12-11T02:59:59.000Z"],["externalId","order-1"],["finePercent","2"],["methods",["boleto","pix"]]]}`;
  for (const table of ['charges', 'idempotency_keys']) {
    await service.sql(`update ${table} set content_hash = sha256($2::bytea) where account_id = $1`, [
      accountId,
      former,
    ]);
  }
  for (const again of [await post(body, key), await post(body)]) {
    assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
  }
  assert.equal((await post({ ...body, amountCents: 1 })).status, 409);
  assert.equal((await post({ ...body, amountCents: 1 }, key)).status, 422);
});

test('another payload under a used Idempotency-Key is refused', async () => {
  const body = chargeBody({ accountId: fresh('account') });
  const key = fresh('key');
  await post(body, key);
  for (const change of [{ amountCents: 1 }, { externalId: 'order-1' }, { sourceKey: 'shop' }]) {
    const refused = await post({ ...body, ...change }, key);
    assert.equal(refused.status, 422, JSON.stringify(change));
    assert.equal(refused.json.code, 'idempotency_key_reused');
  }
  assert.equal(await chargesOf(body['accountId'] as string), 1);
});

test('in a sandbox another accountId under the same key is another payload', async () => {
  const key = fresh('key');
  assert.equal((await post(chargeBody({ accountId: fresh('account') }), key)).status, 201);
  const refused = await post(chargeBody({ accountId: fresh('account') }), key);
  assert.deepEqual([refused.status, refused.json.code], [422, 'idempotency_key_reused']);
});

test('an externalId belongs to its account: another account may use the same', async () => {
  const one = await post(chargeBody({ accountId: fresh('account'), externalId: 'order-1' }));
  const other = await post(chargeBody({ accountId: fresh('account'), externalId: 'order-1', amountCents: 1 }));
  assert.deepEqual([one.status, other.status, isReplay(other)], [201, 201, false]);
  assert.notEqual(one.json.id, other.json.id);
});

test('without externalId and key every call makes a charge of its own', async () => {
  const body = chargeBody({ accountId: fresh('account') });
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(body)));
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 5);
  assert(!answers.some(isReplay));
});

const ADDRESS = { street: 'Rua das Flores', city: 'São Paulo' };
const FULL = {
  customer: { name: 'Maria da Silva', document: '529.982.247-25', address: ADDRESS },
  taxes: { fine: 2, interest: 1.5 },
};
const COMPANY = { customer: { name: 'Acme', document: '12.ABC.345/01DE-35', type: 'company' } };

/** Two spellings of the same body. */
const SPELLINGS: Record<string, [Record<string, unknown>, Record<string, unknown>]> = {
  'the methods in another order': [{ methods: ['boleto', 'pix'] }, { methods: ['pix', 'boleto'] }],
  'a repeated method': [{ methods: ['pix'] }, { methods: ['pix', 'pix'] }],
  'a document without punctuation': [{}, { customer: { name: 'Maria da Silva', document: '52998224725' } }],
  'another offset of dueAt': [{}, { dueAt: '2026-12-11T02:59:59.000Z' }],
  'another offset of expireAt': [{ expireAt: '2027-01-01T00:00:00Z' }, { expireAt: '2026-12-31T21:00:00-03:00' }],
  'the keys in another order': [
    FULL,
    {
      taxes: { interest: 1.5, fine: 2 },
      customer: {
        address: { city: 'São Paulo', street: 'Rua das Flores' },
        document: '529.982.247-25',
        name: 'Maria da Silva',
      },
    },
  ],
  'the type that would be inferred': [
    {},
    { customer: { name: 'Maria da Silva', document: '529.982.247-25', type: 'individual' } },
  ],
  'another word for a company, and small letters': [
    COMPANY,
    { customer: { name: 'Acme', document: '12abc34501de35', type: 'corporation' } },
  ],
};

for (const [name, [one, other]] of Object.entries(SPELLINGS)) {
  test(`equal content spelt differently is the same content: ${name}`, async () => {
    const base = chargeBody({ accountId: fresh('account'), externalId: 'order-1' });
    const key = fresh('key');
    const first = await post({ ...base, ...one }, key);
    assert.equal(first.status, 201, first.text);
    const respelt = Object.fromEntries(Object.entries({ ...base, ...other }).reverse());
    for (const again of [await post(respelt), await post(respelt, key)]) {
      assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true], again.text);
    }
  });
}

test('a number spelt differently is the same number', async () => {
  const body = JSON.stringify(chargeBody({ accountId: fresh('account'), externalId: 'order-1', amountCents: 1000 }));
  const headers = { 'content-type': 'application/json' };
  const first = await service.send('/charges', { method: 'POST', headers, body });
  for (const spelling of ['1e3', '1000.0', '1E+3', '10000e-1']) {
    const again = await service.send('/charges', {
      method: 'POST',
      headers,
      body: body.replace('"amountCents":1000', `"amountCents":${spelling}`),
    });
    assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true], spelling);
  }
});

test('a call that fails does not use up its key', async () => {
  const body = chargeBody({ accountId: fresh('account'), externalId: 'order-1' });
  const taken = chargeBody({ accountId: fresh('account'), externalId: 'order-1' });
  assert.equal((await post(taken)).status, 201);
  const failing: Record<string, [unknown, number]> = {
    'not valid': [{ ...body, amountCents: 0 }, 400],
    'refused by every rail': [{ ...body, amountCents: 1e15 }, 422],
    'in conflict with another charge': [{ ...taken, amountCents: 1 }, 409],
  };
  for (const [name, [failed, status]] of Object.entries(failing)) {
    const key = fresh('key');
    assert.equal((await post(failed, key)).status, status, name);
    const made = await post({ ...body, externalId: fresh('order') }, key);
    assert.deepEqual([made.status, isReplay(made)], [201, false], `${name}: ${made.text}`);
  }
});

test('a repeat of what was accepted gets the first charge even when it would be refused today', async () => {
  // As when dueAt has passed in live, or a rate has risen over a ceiling: here, the rail refuses everything.
  let refuses = false;
  const refusal = { path: 'amountCents', code: 'above_ceiling', message: 'is more than today' };
  const pix = { ...sandboxRails.pix, check: () => (refuses ? refusal : undefined) };
  const strict = await startService({ rails: { ...sandboxRails, pix } });
  try {
    const body = chargeBody({ methods: ['pix'] });
    const byId = { ...body, externalId: 'order-1' };
    const header = { 'idempotency-key': 'key-1' };
    const firsts = [await strict.post('/charges', byId), await strict.post('/charges', body, header)];
    refuses = true;
    const repeats = [await strict.post('/charges', byId), await strict.post('/charges', body, header)];
    assert.deepEqual(
      repeats.map(answer => [answer.status, answer.text, isReplay(answer)]),
      firsts.map(({ text }) => [201, text, true]),
    );
    for (const other of [
      await strict.post('/charges', { ...byId, amountCents: 1 }),
      await strict.post('/charges', { ...body, amountCents: 1 }, header),
      await strict.post('/charges', body, { 'idempotency-key': 'key-2' }),
    ]) {
      assert.deepEqual([other.status, other.json.code], [422, 'charge_refused']);
    }
  } finally {
    await strict.stop();
  }
});

test('a repeat that is not valid is refused, and the first charge is unchanged', async () => {
  const body = chargeBody({ accountId: fresh('account'), externalId: 'order-1' });
  const key = fresh('key');
  const first = await post(body, key);
  assert.equal((await post({ ...body, dueAt: 'tomorrow' }, key)).status, 400);
  assert.equal((await post(body, key)).text, first.text);
});

test('keys differ by every character, and the header is refused when it is empty, too long or not ASCII', async () => {
  const body = chargeBody({ accountId: fresh('account') });
  const longest = fresh('key').padEnd(255, 'x');
  const ids = new Set<string>();
  const different = [longest, longest.slice(0, 254), longest.toUpperCase(), fresh('Key'), 'a b', 'a  b', "'; --"];
  for (const key of different) {
    const made = await post(body, key);
    assert.equal(made.status, 201, key);
    ids.add(made.json.id);
  }
  assert.equal(ids.size, different.length);
  for (const key of ['', 'x'.repeat(256), 'é']) {
    const refused = await post(body, key);
    assert.equal(refused.status, 400, key);
    assert.equal(refused.json.errors[0].path, 'Idempotency-Key');
  }
});
