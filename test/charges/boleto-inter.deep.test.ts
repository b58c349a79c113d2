// Boletos at a bank that registers them later: every fault of it, and every outcome of a boleto that was sent twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServiceAtBank } from '../harness/boleto-bank.ts';
import { provesOnce } from '../harness/boleto-once.ts';
import { LATE_LIST, type ServiceAtInter, startServiceAtInter } from '../harness/inter-bank.ts';

let at: ServiceAtInter;
before(async () => {
  at = await startServiceAtInter();
  await at.registerWebhook();
});
after(() => at.stop());

for (const fault of [
  { kind: 'timeout-after' },
  { kind: 'status', status: 500 },
  { kind: 'cut' },
  { kind: 'status', status: 429, retryAfterSeconds: 1 },
] as const) {
  test(`a bank with the fault ${Object.values(fault).join(' ')} has the boleto once`, () =>
    provesOnce(at, fault, { path: '/cobrancas', looks: 3 }));
}

test('the two minutes count from when the request was sent, however late that was', async () => {
  const before = at.posts();
  const [lost, busy] = [{ kind: 'lost-reply' }, { kind: 'status', status: 503 }] as const;
  const on = { method: 'POST', path: '/cobrancas' };
  at.psp.setFault({ ...busy, on });
  const { json } = await at.create();
  for (let look = 0; look < 3; look++) await at.later();
  at.psp.clearFaults();
  at.psp.setFault({ ...lost, on, count: 1 });
  at.psp.setFault(LATE_LIST);
  const tried = at.posts();
  while (at.posts() === tried) await at.later();
  await at.later();
  assert.equal(at.posts() - tried, 1);
  at.psp.clearFaults();
  await at.later();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert(tried > before);
});

test('however often a request is repeated, one job looks for boletos that the bank made of it', async () => {
  const before = at.posts();
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/cobrancas' }, count: 3 });
  at.psp.setFault(LATE_LIST);
  const { json } = await at.create();
  while (at.posts() < before + 4) await at.later();
  const jobs = await at.service.sql(
    "select from pgboss.job where name = 'charge.withdraw_repeats' and data ->> 'chargeId' = $1",
    [json.id],
  );
  assert.equal(jobs.length, 1);
  at.psp.clearFaults();
  for (let look = 0; look < 3; look++) await at.later();
  const { boleto } = await at.read(json.id);
  assert.equal(boleto.status, 'REGISTERED');
  const { ownNumber } = at.title(boleto.digitableLine);
  const open = at.titles().filter(title => title.ownNumber === ownNumber && title.status === 'open');
  assert.deepEqual(
    open.map(({ line }) => line),
    [boleto.digitableLine],
  );
});

test("a payment of another program's boleto with the same number pays no charge", async () => {
  const { json } = await at.create();
  const { ownNumber } = at.title(json.boleto.digitableLine);
  const rail = at.openRail();
  const charge = await at.read(json.id);
  const same = { amountCents: 10_000n, dueDay: charge.dueAt.slice(0, 10) };
  for (const terms of [same, { ...same, amountCents: 700n }]) {
    const count = at.titles().length;
    const made = await rail.submit(
      {
        id: json.id,
        createdAt: at.service.clock.now(),
        expireAt: new Date(charge.expireAt),
        expireDay: charge.expireAt.slice(0, 10),
        ...terms,
        payer: { name: 'Ana', document: '52998224725', address: { ...charge.customer.address } },
      },
      ownNumber,
    );
    assert(made.kind === 'accepted' && made.bankId, made.kind);
    await at.fetchCobranca(made.bankId);
    await at.psp.payTitle({ line: at.titles()[count]!.line });
    await at.psp.settled();
    await at.later();
    assert.equal((await at.read(json.id)).payments.length, 0);
  }
  rail.stop();
  const { payments } = (await at.service.get('/payments/unmatched')).json;
  assert.equal(payments.length, 2);
  for (const { reference } of payments) {
    assert.equal((await at.service.post('/payments/unmatched/dismiss', { reference })).status, 200);
  }
});

test('the boleto that was handed out can still be paid when it is overdue by the time the bank shows the other', async () => {
  const dueAt = new Date(at.service.clock.now().getTime() + 60_000).toISOString();
  const { repeat, line } = await at.createTwice({ dueAt }, 'OVERDUE');
  at.psp.clearFaults();
  await at.later();
  assert.deepEqual([at.title(repeat).status, at.title(line).status], ['written_off', 'open']);
});

test('a second boleto that was paid pays the charge, and the other is canceled', async () => {
  const { id, repeat, line } = await at.createTwice();
  await at.psp.payTitle({ line: repeat });
  at.psp.clearFaults();
  await at.later();
  await at.later();
  const charge = await at.read(id);
  assert.deepEqual([charge.state, charge.payments.length], ['PAID', 1]);
  assert.equal(at.title(line).status, 'written_off');
});

test('both boletos of a canceled charge are canceled', async () => {
  const { id, repeat, line } = await at.createTwice();
  assert.equal((await at.service.post(`/charges/${id}/cancel`, {})).status, 200);
  at.psp.clearFaults();
  await at.later();
  assert.deepEqual([at.title(repeat).status, at.title(line).status], ['written_off', 'written_off']);
});

test('an account without pix codes asks for boletos alone, as a list', async t => {
  const plain = await startServiceAtBank('inter', { api: { pixCode: false } });
  t.after(() => plain.stop());
  const { json } = await plain.create();
  assert.deepEqual([json.boleto.status, json.boleto.emv], ['REGISTERED', undefined]);
  assert.partialDeepStrictEqual(plain.title(json.boleto.digitableLine).request, { formasRecebimento: ['BOLETO'] });
});
