// trilho ledger as a real process: its output and its exit codes.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { createDatabase } from '../harness/databases.ts';
import { ownFolder, PROJECT, refusalOf, runToEnd } from '../harness/process.ts';
import { startService } from '../harness/service.ts';

test('trilho ledger check confirms a correct ledger, and names the differences in a wrong one', async t => {
  const folder = await ownFolder(t);
  const service = await startService();
  t.after(() => service.stop());
  const run = (word: string, url = service.databaseUrl) =>
    runToEnd({
      folder,
      env: { DATABASE_URL: url },
      command: [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'ledger', word],
    });
  const paid = async () => {
    const { id } = (await service.post('/charges', chargeBody())).json;
    await service.runJobs();
    assert.equal((await service.post(`/sandbox/charges/${id}/pay`, { method: 'pix' })).status, 200);
    return id;
  };
  const [honest, robbed] = [await paid(), await paid()];
  const right = await run('check');
  assert.equal(right.code, 0, right.stderr + right.stdout);
  assert.match(right.stdout, /^entries sum to zero +right$/m);
  assert.match(right.stdout, /^The ledger is right\.\n$/m);
  assert.match(refusalOf(await run('mend')), /^trilho ledger: "mend" is not known; it takes check/);
  const empty = await createDatabase('template0');
  t.after(() => empty.drop());
  assert.match(refusalOf(await run('check', empty.url)), /start the service once/);

  await service.sql('alter table ledger_lines disable trigger user');
  await service.sql(
    `update ledger_lines l set amount = 15989 from ledger_entries e
      where e.id = l.entry_id and e.charge_id = $1 and l.book = 'settled'`,
    [robbed],
  );
  const wrong = await run('check');
  assert.equal(wrong.code, 1, wrong.stderr);
  assert.match(wrong.stdout, /^the rest is in settled +1 differ$/m);
  assert.ok(wrong.stdout.includes(`the rest is in settled: ${robbed} BRL expected 15990, found 15989\n`), wrong.stdout);
  assert.ok(!wrong.stdout.includes(honest));
  assert.match(wrong.stdout, /^The ledger is not right\.$/m);
});
