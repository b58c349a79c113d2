// Answers of a bank after one of its files was renewed, late or to another instruction, and boletos that end in the meantime: every
// instruction that the bank needs is sent, and sent once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { civilDay, DAY_MS } from '../../src/lib/civil-days.ts';
import type { SentBoleto } from '../harness/file-exchange.ts';
import { type ReturnBench, startReturns } from '../harness/return-bench.ts';

const RAIL = 'bank756:main';
const [DUE, LATER, LATEST] = ['2026-12-10', '2026-12-30', '2027-01-11'] as const;

let bank: ReturnBench;
before(async () => {
  bank = await startReturns('756');
});
after(() => bank.stop());

const renew = (sequence: number) => bank.service.post(`/boletos/files/${RAIL}/${sequence}/renew`, {});
const change = (boleto: SentBoleto, day: string) =>
  bank.service.post(`/charges/${boleto.charge.id}/due-date`, { dueAt: `${day}T23:59:59-03:00` });
const confirmed = (boleto: SentBoleto, day: string) =>
  bank.entry(boleto, '14', { dueDay: day.split('-').toReversed().join('') });
const cancel = async ({ charge }: SentBoleto) => {
  await bank.service.post(`/charges/${charge.id}/cancel`, {});
  await bank.service.runJobs();
};
const silence = (days: number) => bank.service.clock.advanceMs(days * DAY_MS);
const newest = async () => (await bank.service.get('/boletos/files')).json.files[0].sequence as number;
/** The waiting instructions of a boleto. */
const waiting = async ({ charge }: SentBoleto) =>
  (await bank.service.get('/boletos/instructions?status=waiting')).json.instructions
    .filter(({ chargeId }: { chargeId: string }) => chargeId === charge.id)
    .map(({ movement }: { movement: string }) => movement);
const unanswered = async (sequence: number) =>
  (await bank.service.get('/boletos/files')).json.files.find((file: { sequence: number }) => file.sequence === sequence)
    .unanswered;
/** Takes unanswered instructions out of a file while no new one can be made, as when the process ends in between. */
async function takeOut(sequence: number): Promise<void> {
  await bank.service.sql(
    `insert into boleto_files (rail, sequence, made_at, titles, sha256, offered_at) values ($1, 999999, now(), 1, '', now())`,
    [RAIL],
  );
  assert.equal((await renew(sequence)).status, 503);
  await bank.service.sql('delete from boleto_files where sequence = 999999');
}
async function registered(): Promise<SentBoleto> {
  const boleto = await bank.one({ dueAt: `${DUE}T23:59:59-03:00` });
  await bank.outcomes(bank.entry(boleto, '02'));
  return boleto;
}
/** The number of the file that asks for another due day. */
async function ask(boleto: SentBoleto, day: string): Promise<number> {
  assert.equal((await change(boleto, day)).json.dueChange?.status, 'PENDING');
  return (await bank.make())!.sequence;
}

test('a title that was taken out of its file and is in no other was sent once: a refusal because the bank knows it fails the boleto', async () => {
  const boleto = await bank.one();
  await takeOut(await newest());
  assert.deepEqual(await bank.outcomes(bank.entry(boleto, '03', { reasons: '63' })), { rejected: 1 });
  assert.equal((await bank.charge(boleto)).boleto.status, 'FAILED');
});

test('a refused write-off is sent again when the bank registers the title later', async () => {
  const boleto = await bank.one();
  assert.equal((await renew(await newest())).status, 200);
  await cancel(boleto);
  assert.equal((await bank.make())?.titles, 1);
  assert.deepEqual(await bank.outcomes(bank.entry(boleto, '26', { reasons: '60' })), { needs_attention: 1 });
  assert.deepEqual(await waiting(boleto), []);
  await bank.outcomes(bank.entry(boleto, '02'));
  await bank.service.runJobs();
  assert.deepEqual(await waiting(boleto), ['write_off']);
  assert.equal((await bank.make())?.titles, 1);
  await bank.outcomes(bank.entry(boleto, '09'));
  assert.equal(await unanswered(await newest()), 0);
});

test('a write-off that the bank has carried out is not sent again', async () => {
  const boleto = await bank.one();
  await cancel(boleto);
  assert.equal((await bank.make())?.titles, 1);
  await bank.outcomes(bank.entry(boleto, '02'), bank.entry(boleto, '09'));
  await bank.service.runJobs();
  assert.deepEqual(await waiting(boleto), []);
});

test('a late refusal of a change does not answer a write-off', async () => {
  const boleto = await registered();
  const asked = await ask(boleto, LATER);
  await cancel(boleto);
  const off = (await bank.make())!.sequence;
  await bank.outcomes(bank.entry(boleto, '26', { reasons: '16' }));
  assert.deepEqual([await unanswered(asked), await unanswered(off)], [0, 1]);
  await takeOut(off);
  assert.deepEqual(await waiting(boleto), ['write_off']);
  await bank.make();
});

test('after a late answer to one change a later one is still sent again', async () => {
  const boleto = await registered();
  await ask(boleto, LATER);
  silence(5);
  await takeOut(await ask(boleto, LATEST));
  await bank.outcomes(confirmed(boleto, LATER));
  assert.deepEqual(await waiting(boleto), ['change_due_day']);
  assert.equal((await bank.make())?.titles, 1);
  await bank.outcomes(confirmed(boleto, LATEST));
  assert.equal(civilDay(new Date((await bank.charge(boleto)).dueAt)), LATEST);
  assert.equal(await unanswered(await newest()), 0);
});

test('a change that waits to be sent again can be replaced by the next one', async () => {
  const boleto = await registered();
  const asked = await ask(boleto, LATER);
  silence(5);
  await takeOut(asked);
  assert.equal((await change(boleto, LATEST)).json.dueChange.status, 'PENDING');
  assert.deepEqual(await waiting(boleto), ['change_due_day']);
  assert.equal((await bank.make())?.titles, 1);
});

test('a change that waits to be sent again is withdrawn at the bank too, which may have the first file', async () => {
  const boleto = await registered();
  await takeOut(await ask(boleto, LATER));
  assert.equal((await change(boleto, DUE)).json.dueChange.status, 'PENDING');
  assert.equal((await bank.make())?.titles, 1);
  await bank.outcomes(confirmed(boleto, LATER), confirmed(boleto, DUE));
  assert.equal(civilDay(new Date((await bank.charge(boleto)).dueAt)), DUE);
});

test('the days to answer count from the last file that has the change', async () => {
  const boleto = await registered();
  const asked = await ask(boleto, LATER);
  silence(4);
  assert.equal((await renew(asked)).json.files.length, 1);
  silence(4);
  const early = await change(boleto, LATEST);
  assert.equal(early.status, 409);
  silence(1);
  assert.equal((await change(boleto, LATEST)).status, 200);
});

test('a replaced change is not sent again', async () => {
  const boleto = await registered();
  const asked = await ask(boleto, LATER);
  silence(5);
  await ask(boleto, LATEST);
  assert.deepEqual((await renew(asked)).json, { files: [], closed: 1 });
  assert.deepEqual([await unanswered(asked), await unanswered(await newest())], [0, 1]);
});

test('a boleto that is paid by hand while its registration waits leaves nothing to send', async () => {
  const boleto = await bank.one({ dueAt: `${LATEST}T23:59:59-03:00` });
  await takeOut(await newest());
  const body = { method: 'boleto', amountCents: 15_990, reference: 'counter 1' };
  const paid = await bank.service.post(`/charges/${boleto.charge.id}/payments`, body);
  assert.equal(paid.status, 201, paid.text);
  assert.equal(await bank.make(), undefined);
  assert.deepEqual(await waiting(boleto), []);
});
