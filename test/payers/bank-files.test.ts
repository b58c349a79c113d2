// A payer whose boleto went to a bank by file: they are not forgotten before the bank has heard the end of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { payerCommand } from '../../src/cli/payer.ts';
import { StartError } from '../../src/lib/errors.ts';
import { boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { type ReturnBench, startReturns } from '../harness/return-bench.ts';

const DOCUMENT = '52998224725';
const NAME = /MARIA DA SILVA/i;

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

test('a payer is not erased before the bank has heard of the write-off, whose file names them', async () => {
  const boleto = await bench.one();
  await bench.outcomes(bench.told(boleto, '02'));
  const { id } = boleto.charge;
  assert.equal((await bench.service.post(`/charges/${id}/cancel`, {})).status, 200);
  await assertRefused(/^The bank of bank756:main is still to be told in a file .*trilho cnab write/);
  await bench.service.runJobs();
  await assertRefused(new RegExp(`still to be told in a file that charge ${id} has ended`));
  const file = await bench.make();
  assert.match(await bench.textOf(file!.sequence), NAME);
  await assertRefused(new RegExp(`has not answered file ${file!.sequence}, .*trilho cnab read.*trilho cnab renew`));
  assert.equal((await bench.charge(boleto)).customer.document, DOCUMENT);
  await bench.outcomes(bench.told(boleto, '09'));
  assert.match((await payer('erase')).said, /^Erased: 1 charges, /);
  assert.equal((await bench.charge(boleto)).customer.name, 'erased');
});

test('a boleto that no file ever had keeps nobody from being erased', async () => {
  const made = await bench.service.post('/charges', boletoBody());
  assert.equal(made.status, 201, made.text);
  await bench.service.runJobs();
  assert.equal((await bench.service.post(`/charges/${made.json.id}/cancel`, {})).status, 200);
  await bench.service.runJobs();
  assert.match((await payer('erase')).said, /^Erased: 1 charges, /);
});
