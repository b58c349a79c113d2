// A bank that does not answer a change of the due day, or answers late: the change can be requested again, replaced or withdrawn, and
// an unexpected day waits for a person.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { civilDay, DAY_MS } from '../../src/lib/civil-days.ts';
import type { SentBoleto } from '../harness/file-exchange.ts';
import { type ReturnBench, startReturns } from '../harness/return-bench.ts';

const [DUE, LATER, LATEST] = ['2026-12-10', '2026-12-30', '2027-01-11'] as const;

let bank: ReturnBench;
before(async () => {
  bank = await startReturns('756');
});
after(() => bank.stop());

const change = (boleto: SentBoleto, day: string) =>
  bank.service.post(`/charges/${boleto.charge.id}/due-date`, { dueAt: `${day}T23:59:59-03:00` });
/** The bank confirms a day, without our id. */
const confirmed = (boleto: SentBoleto, day: string) =>
  bank.entry(boleto, '14', { dueDay: day.split('-').toReversed().join('') });
const dueOf = async (boleto: SentBoleto) => {
  const { dueAt, dueChange } = await bank.charge(boleto);
  return [civilDay(new Date(dueAt)), civilDay(new Date(dueChange.dueAt)), dueChange.status];
};
/** A registered boleto whose bank was asked for a later day by a file. */
async function asked(): Promise<SentBoleto> {
  const boleto = await bank.one({ dueAt: `${DUE}T23:59:59-03:00` });
  await bank.outcomes(bank.entry(boleto, '02'));
  assert.equal((await change(boleto, LATER)).json.dueChange.status, 'PENDING');
  assert.equal((await bank.make())?.titles, 1);
  return boleto;
}
const silence = (days: number) => bank.service.clock.advanceMs(days * DAY_MS);

test('a bank that does not answer can be asked again after five days, and not before', async () => {
  const boleto = await asked();
  silence(4);
  const early = await change(boleto, LATEST);
  assert.equal(early.status, 409);
  const again = civilDay(new Date(bank.service.clock.now().getTime() + DAY_MS));
  assert.match(early.json.detail, new RegExp(`has not answered yet: ask again on ${again}\\.$`));
  assert.equal((await change(boleto, LATER)).status, 200);
  assert.equal(await bank.make(), undefined, 'the same request is not sent twice');
  silence(1);
  assert.equal((await change(boleto, LATER)).json.dueChange.status, 'PENDING');
  assert.equal((await bank.make())?.titles, 1);
  assert.deepEqual(await bank.outcomes(confirmed(boleto, LATER)), { noted: 1 });
  assert.deepEqual(await dueOf(boleto), [LATER, LATER, 'DONE']);
});

test('another day replaces it, and an answer to the first one waits for a person', async () => {
  const boleto = await asked();
  silence(5);
  assert.equal((await change(boleto, LATEST)).json.dueChange.status, 'PENDING');
  assert.equal((await bank.make())?.titles, 1);
  assert.deepEqual(await bank.outcomes(confirmed(boleto, LATER)), { needs_attention: 1 });
  assert.equal(await bank.remark(), `The bank has the due day ${LATER}, which is not the one requested last.`);
  assert.deepEqual(await dueOf(boleto), [DUE, LATEST, 'PENDING']);
  // A payment of a title with a day that the charge does not have is not recorded automatically, and not lost.
  const before = (await bank.unmatched()).length;
  assert.deepEqual(await bank.outcomes(bank.paid(boleto, { dueDay: '30122026', reasons: '03' })), { unmatched: 1 });
  assert.equal((await bank.unmatched()).length, before + 1);
});

test('requesting the present day withdraws it, and the bank is sent that day', async () => {
  const boleto = await asked();
  silence(5);
  assert.equal((await change(boleto, DUE)).json.dueChange.status, 'PENDING');
  assert.equal((await bank.make())?.titles, 1);
  assert.deepEqual(await bank.outcomes(confirmed(boleto, LATER), confirmed(boleto, DUE)), {
    needs_attention: 1,
    noted: 1,
  });
  assert.deepEqual(await dueOf(boleto), [DUE, DUE, 'DONE']);
});

test('a confirmation after a refusal waits for a person', async () => {
  const boleto = await asked();
  assert.deepEqual(await bank.outcomes(bank.entry(boleto, '26', { reasons: '16' })), { needs_attention: 1 });
  assert.deepEqual(await dueOf(boleto), [DUE, LATER, 'FAILED']);
  assert.deepEqual(await bank.outcomes(confirmed(boleto, LATER)), { needs_attention: 1 });
  assert.deepEqual(await dueOf(boleto), [DUE, LATER, 'FAILED']);
});

test('an answer to the first change after that to the second waits for a person', async () => {
  const boleto = await asked();
  silence(5);
  await change(boleto, LATEST);
  await bank.make();
  assert.deepEqual(await bank.outcomes(confirmed(boleto, LATEST)), { noted: 1 });
  assert.deepEqual(await bank.outcomes(confirmed(boleto, LATER)), { needs_attention: 1 });
  assert.deepEqual(await dueOf(boleto), [LATEST, LATEST, 'DONE']);
});
