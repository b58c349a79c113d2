// Money that a return reports under a code that is not of a payment, or is unknown: it is kept, once, and waits for a person.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AMOUNT, type ReturnBench, startReturns } from '../harness/return-bench.ts';

let bank: ReturnBench;
let itau: ReturnBench;
before(async () => {
  [bank, itau] = await Promise.all([startReturns('756'), startReturns('341')]);
});
after(() => Promise.all([bank.stop(), itau.stop()]));

/** Waiting money of an amount. */
const waiting = async (of: ReturnBench, cents: number) =>
  (await of.unmatched()).filter(({ amountCents }) => amountCents === cents);

for (const [occurrence, what] of [
  ['09', 'a write-off'],
  ['11', 'news'],
  ['28', 'a fee'],
  ['99', 'an unknown code'],
  ['03', 'a rejection'],
] as const) {
  test(`money under ${what} is kept once, and a person records it once`, async () => {
    const boleto = await bank.one();
    const cents = 10_000 + Number(occurrence);
    const entry = bank.entry(boleto, occurrence, { paidCents: BigInt(cents) });
    assert.deepEqual(await bank.outcomes(bank.entry(boleto, '02'), entry), { registered: 1, needs_attention: 1 });
    assert.match((await bank.remark()) ?? '', new RegExp(`^The code ${occurrence} .*names an amount`));
    const [kept, ...more] = await waiting(bank, cents);
    assert.deepEqual([more, kept.reason, (await bank.charge(boleto)).payments], [[], 'no_match', []]);
    await bank.outcomes(entry);
    assert.equal((await waiting(bank, cents)).length, 1, 'also when the bank reports it again');
    const path = `/charges/${boleto.charge.id}/payments`;
    const body = { method: 'boleto', amountCents: cents, reference: kept.reference };
    const recorded = await bank.service.post(path, body);
    assert.equal(recorded.status, 201, recorded.text);
    assert.equal((await bank.service.post(path, body)).json.payments.length, 1);
    await bank.outcomes(entry);
    assert.deepEqual([(await waiting(bank, cents)).length, (await bank.charge(boleto)).payments.length], [0, 1]);
  });
}

test('an unknown code needs a person, also without an amount', async () => {
  const boleto = await bank.one();
  assert.deepEqual(await bank.outcomes(bank.entry(boleto, '99')), { needs_attention: 1 });
  assert.equal(await bank.remark(), 'The code 99 of the bank is unknown.');
});

test('the occurrence still has its effect on the boleto', async () => {
  const boleto = await bank.one();
  await bank.outcomes(bank.entry(boleto, '02'), bank.entry(boleto, '09', { reasons: '11', paidCents: 777n }));
  assert.equal((await bank.charge(boleto)).state, 'CANCELED');
});

test('money that may be a known payment is shown as such', async () => {
  const boleto = await bank.one();
  await bank.outcomes(bank.paid(boleto), bank.entry(boleto, '11', { paidCents: AMOUNT }));
  const [{ reference }] = (await bank.charge(boleto)).payments;
  const [kept] = (await bank.unmatched()).filter(({ duplicateOf }) => duplicateOf === reference);
  assert.equal(kept.reason, 'possible_duplicate');
});

test('money for an unknown title waits for a person under any occurrence', async () => {
  const stranger = { ...(await bank.one()), number: '000999999001014     ' };
  const counts = await bank.outcomes(
    bank.entry(stranger, '09', { paidCents: 4_321n }),
    bank.entry(stranger, '99'),
    bank.entry(stranger, '28'),
  );
  assert.deepEqual(counts, { needs_attention: 2, fee: 1 });
  assert.equal((await waiting(bank, 4_321)).length, 1);
});

test('a bank counts by its own list of codes: Itaú pays by 08, refuses by 17, and its 25, 40 and 44 change nothing', async () => {
  const boletos = await itau.send({}, {}, {}, {}, {});
  const [notary, refused, objection, open, charged] = boletos.map(boleto => boleto!);
  const registered = boletos.map(boleto => itau.entry(boleto, '02'));
  assert.deepEqual(await itau.outcomes(...registered), { registered: 5 });
  const counts = await itau.outcomes(
    itau.paid(notary!, { occurrence: '08' }),
    itau.entry(refused!, '17'),
    itau.entry(objection!, '25'),
    itau.entry(open!, '40'),
    itau.entry(charged!, '44'),
    itau.entry(charged!, '07'),
  );
  assert.deepEqual(counts, { paid: 1, needs_attention: 2, noted: 1, fee: 2 });
  const states = await Promise.all(boletos.map(async boleto => (await itau.charge(boleto)).state));
  assert.deepEqual(states, ['PAID', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE']);
});

test('an announcement of Caixa during the day needs no person, and the payment that follows is recorded once', async t => {
  const caixa = await startReturns('104');
  t.after(() => caixa.stop());
  const sent = await caixa.one();
  // A return has the number without its leading zeros.
  const boleto = { ...sent, number: sent.number.slice(3) };
  const announced = caixa.entry(boleto, '46', { paidCents: AMOUNT, creditDay: '18112026' });
  assert.deepEqual(await caixa.outcomes(caixa.entry(boleto, '02'), announced), { registered: 1, noted: 1 });
  assert.deepEqual([(await caixa.charge(boleto)).state, await caixa.unmatched()], ['ACTIVE', []]);
  assert.deepEqual(await caixa.outcomes(caixa.paid(boleto)), { paid: 1 });
  assert.deepEqual([(await caixa.charge(boleto)).payments.length, await caixa.unmatched()], [1, []]);
});

test('a late payment of what the bank asked for is full, with up to a cent less for each day; a cent below that is partial', async () => {
  const terms = { dueAt: '2026-12-11T23:59:59-03:00', taxes: { fine: 2, interest: 1 } };
  const boletos = await itau.send(terms, terms, terms, terms);
  const [asked, least, below, byHand] = boletos.map(boleto => boleto!);
  await itau.outcomes(...boletos.map(boleto => itau.entry(boleto, '02')));
  itau.service.clock.set('2026-12-21T15:00:00Z');
  const late = (boleto: typeof asked, paidCents: bigint) => itau.paid(boleto!, { paidCents, creditDay: '22122026' });
  // Ten days late 159.90 and a fine of 3.19 are owed with interest of 0.53; the bank asks for 0.05 a day.
  await itau.outcomes(late(asked, 16_359n), late(least, 16_352n), late(below, 16_351n));
  const body = { method: 'boleto', amountCents: 16_359, reference: 'comprovante' };
  assert.equal((await itau.service.post(`/charges/${byHand!.charge.id}/payments`, body)).status, 201);
  const became = await Promise.all(
    boletos.map(async boleto => {
      const { state, timing, paidAmount } = await itau.charge(boleto);
      const [last] = await itau.service.sql<{ type: string }>(
        'select type from events where object_id = $1 order by sequence desc limit 1',
        [boleto.charge.id],
      );
      return [state, timing, paidAmount, last?.type];
    }),
  );
  const whole = ['PAID', 'late', 'exact', 'charge.paid'];
  const part = ['PARTIALLY_PAID', 'late', 'partial', 'charge.partially_paid'];
  assert.deepEqual(became, [whole, whole, part, part]);
});
