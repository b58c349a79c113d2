// What a bank answers after a file of it was renewed, late or to another instruction, and what ends meanwhile: nothing that must be told
// is left unsaid, and nothing is told twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SentBoleto } from '../harness/file-exchange.ts';
import { type ReturnBench, startReturns } from '../harness/return-bench.ts';

const RAIL = 'bank756:main';

let bank: ReturnBench;
before(async () => {
  bank = await startReturns('756');
});
after(() => bank.stop());

const renew = (sequence: number) => bank.service.post(`/boletos/files/${RAIL}/${sequence}/renew`, {});
const cancel = async ({ charge }: SentBoleto) => {
  await bank.service.post(`/charges/${charge.id}/cancel`, {});
  await bank.service.runJobs();
};
const newest = async () => (await bank.service.get('/boletos/files')).json.files[0].sequence as number;
/** What waits for a file of a boleto. */
const waiting = async ({ charge }: SentBoleto) =>
  (await bank.service.get('/boletos/instructions?status=waiting')).json.instructions
    .filter(({ chargeId }: { chargeId: string }) => chargeId === charge.id)
    .map(({ movement }: { movement: string }) => movement);
const unanswered = async (sequence: number) =>
  (await bank.service.get('/boletos/files')).json.files.find((file: { sequence: number }) => file.sequence === sequence)
    .unanswered;

test('a write-off that was refused goes again when the bank registers the title after all', async () => {
  const boleto = await bank.one();
  assert.equal((await renew(await newest())).status, 200);
  await cancel(boleto);
  assert.equal((await bank.make())?.titles, 1);
  assert.deepEqual(await bank.outcomes(bank.told(boleto, '26', { reasons: '60' })), { needs_attention: 1 });
  assert.deepEqual(await waiting(boleto), []);
  await bank.outcomes(bank.told(boleto, '02'));
  await bank.service.runJobs();
  assert.deepEqual(await waiting(boleto), ['write_off']);
  assert.equal((await bank.make())?.titles, 1);
  await bank.outcomes(bank.told(boleto, '09'));
  assert.equal(await unanswered(await newest()), 0);
});

test('a write-off that the bank has carried out does not go again', async () => {
  const boleto = await bank.one();
  await cancel(boleto);
  assert.equal((await bank.make())?.titles, 1);
  await bank.outcomes(bank.told(boleto, '02'), bank.told(boleto, '09'));
  await bank.service.runJobs();
  assert.deepEqual(await waiting(boleto), []);
});
