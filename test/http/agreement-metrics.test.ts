// The state of agreements with banks in /metrics and trilho doctor.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

const RAIL = 'sicoob:main';
const RANGE = { name: RAIL, firstNumber: '101', lastNumber: '200' };
let bench: FileExchangeBench;
before(async () => {
  bench = await startFileExchange('756', RANGE);
});
after(() => bench.stop());

async function metric(name: string): Promise<number | undefined> {
  const { text } = await bench.service.get('/metrics');
  const found = new RegExp(`^trilho_boleto_${name}\\{rail="${RAIL}"\\} (\\S+)$`, 'm').exec(text);
  return found ? Number(found[1]) : undefined;
}

async function doctor(): Promise<string> {
  const env = {
    TRILHO_MODE: 'live',
    TRILHO_BOLETOS: JSON.stringify([agreementEntry('756', RANGE)]),
    DATABASE_URL: bench.service.databaseUrl,
  };
  return (await runCommand(doctorCommand, env, [])).said;
}

test('numbers left, waiting instructions and since when, and the last return', async () => {
  assert.deepEqual([await metric('numbers_left'), await metric('instructions_waiting')], [100, 0]);
  assert.equal(await metric('last_return_timestamp_seconds'), undefined);
  await bench.service.post('/charges', boletoBody());
  await bench.service.post('/charges', boletoBody());
  await bench.service.runJobs();
  bench.service.clock.set('2026-11-17T13:00:00Z');
  assert.deepEqual([await metric('numbers_left'), await metric('instructions_waiting')], [98, 2]);
  assert.equal(await metric('oldest_waiting_seconds'), 3_600);
  assert.match(await doctor(), /^right {2}rail sicoob:main: numbers: 98 are left\.$/m);
  await bench.make();
  assert.deepEqual([await metric('instructions_waiting'), await metric('oldest_waiting_seconds')], [0, 0]);
  await bench.read(bytesOf(returnLines('756', [])));
  assert.equal(await metric('last_return_timestamp_seconds'), Date.parse('2026-11-17T13:00:00Z') / 1_000);
});

test('the doctor warns that numbers run out, that no files are made, and that no return arrives', async () => {
  await bench.service.post('/charges', boletoBody());
  await bench.service.runJobs();
  await bench.service.sql('update boleto_agreements set next_number = 195');
  await bench.service.sql(
    `update boleto_instructions set created_at = now() - interval '3 days' where sequence is null`,
  );
  await bench.service.sql(`update boleto_returns set received_at = now() - interval '8 days'`);
  await bench.service.sql(`update boleto_files set made_at = now() - interval '1 day'`);
  const said = await doctor();
  assert.match(said, /^wrong {2}rail sicoob:main: numbers: 6 are left\. Ask the bank for a further range/m);
  assert.match(
    said,
    /^wrong {2}rail sicoob:main: files: 1 instructions wait for a file\. The oldest since .* Run trilho cnab write/m,
  );
  assert.match(said, /^wrong {2}rail sicoob:main: returns: The last was read .* Fetch the return files of the bank/m);
  await bench.service.sql(`update boleto_agreements set exchange_error = 'The SFTP server does not answer.'`);
  assert.equal(await metric('exchange_failed'), 1);
});
