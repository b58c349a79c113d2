// A payer whose boleto went to a bank by file is not erased before the bank has confirmed its end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { payerCommand } from '../../src/cli/payer.ts';
import { StartError } from '../../src/lib/errors.ts';
import { boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { type ReturnBench, startReturns } from '../harness/return-bench.ts';

const DOCUMENT = '52998224725';
const NAME = /MARIA DA SILVA/i;

const DAY_MS = 86_400_000;
const GONE = (sequence: number) =>
  `The bytes of file ${sequence} of bank756:main were removed, as TRILHO_KEEP_BOLETO_FILES says; its SHA-256 is kept.`;

let bench: ReturnBench;
before(async () => {
  bench = await startReturns('756');
});
after(() => bench.stop());

const payer = (verb: string) =>
  runCommand(payerCommand, { TRILHO_MODE: 'live', DATABASE_URL: bench.service.databaseUrl }, [verb, DOCUMENT]);

async function assertRefused(reason: RegExp): Promise<void> {
  await assert.rejects(payer('erase'), (error: unknown) => {
    assert.ok(error instanceof StartError, String(error));
    assert.match(error.message, reason);
    assert.match(error.message, /Nothing was erased\.$/);
    return true;
  });
}

test('a payer is not erased before the bank has confirmed the write-off, whose file names them', async () => {
  const boleto = await bench.one();
  await bench.outcomes(bench.entry(boleto, '02'));
  const { id } = boleto.charge;
  assert.equal((await bench.service.post(`/charges/${id}/cancel`, {})).status, 200);
  await assertRefused(
    /^No file has reported the end of charge .* to the bank of bank756:main yet: .*trilho cnab write/,
  );
  await bench.service.prune();
  await assertRefused(new RegExp(`No file has reported the end of charge ${id} to the bank`));
  const file = await bench.make();
  assert.match(await bench.textOf(file!.sequence), NAME);
  await assertRefused(new RegExp(`has not answered file ${file!.sequence}, .*trilho cnab read.*trilho cnab renew`));
  assert.equal((await bench.charge(boleto)).customer.document, DOCUMENT);
  await bench.outcomes(bench.entry(boleto, '09'));
  assert.match((await payer('erase')).said, /^Erased: 1 charges, /);
  assert.equal((await bench.charge(boleto)).customer.name, 'erased');
});

test('a boleto that was in no file does not stop an erasure', async () => {
  const made = await bench.service.post('/charges', boletoBody());
  assert.equal(made.status, 201, made.text);
  await bench.service.prune();
  assert.equal((await bench.service.post(`/charges/${made.json.id}/cancel`, {})).status, 200);
  await bench.service.prune();
  assert.match((await payer('erase')).said, /^Erased: 1 charges, /);
});

test('an export names the bytes of a file to a bank, which are pruned once the bank has answered all of it', async () => {
  const { clock } = bench.service;
  const [boleto, unanswered] = [await bench.one(), await bench.one()];
  const { files } = (await bench.service.get('/boletos/files')).json;
  const [late, early] = files.map(({ sequence }: { sequence: number }) => sequence);
  const named = (await payer('export')).said.split('\n').map(line => JSON.parse(line));
  const shown = named.filter(({ kind }) => kind === 'boleto_file');
  assert.deepEqual(
    shown.map(({ rail, sequence, has_bytes }) => ({ rail, sequence, has_bytes })),
    [early, late].map(sequence => ({ rail: 'bank756:main', sequence, has_bytes: true })),
  );
  const content = (sequence: number) => bench.service.get(`/boletos/files/bank756:main/${sequence}/content`);
  assert.match((await content(early)).text, NAME);
  await content(late);
  await bench.outcomes(bench.entry(boleto, '02'));
  clock.advanceMs(90 * DAY_MS);
  await bench.service.prune();
  assert.equal((await content(early)).status, 200, 'not old enough');
  clock.advanceMs(DAY_MS);
  await bench.service.prune();
  const gone = await content(early);
  assert.deepEqual([gone.status, gone.json.detail], [404, GONE(early)]);
  assert.match((await content(late)).text, NAME, 'the bank has not answered it');
  const [, listed] = (await bench.service.get('/boletos/files')).json.files;
  assert.equal(listed.bytesRemovedAt, clock.now().toISOString());
  assert.match(listed.digest, /^[0-9a-f]{64}$/);
  await bench.outcomes(bench.entry(unanswered, '02'));
  await bench.service.prune();
  assert.equal((await content(late)).status, 404);
});
