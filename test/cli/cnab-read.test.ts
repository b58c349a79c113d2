// trilho cnab read: its output for a return file, its exit codes, and what it refuses.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { cnabCommand } from '../../src/cli/cnab.ts';
import { civilDay } from '../../src/lib/civil-days.ts';
import { StartError } from '../../src/lib/errors.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { ownFolder } from '../harness/process.ts';
import { startService } from '../harness/service.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

test('a return file is booked once, and the exit code shows entries that need a person', async t => {
  const env = { TRILHO_MODE: 'live', TRILHO_BOLETOS: JSON.stringify([agreementEntry('756', { name: 'sicoob:main' })]) };
  // On the machine's clock, as the commands are.
  const service = await startService({ mode: 'live', env, now: new Date().toISOString() });
  t.after(() => service.stop());
  const folder = await ownFolder(t);
  const file = path.join(folder, 'today.ret');
  const run = (...args: string[]) =>
    runCommand(cnabCommand, { ...env, DATABASE_URL: service.databaseUrl }, ['read', ...args]);
  const dueAt = '2030-01-15T12:00:00Z';
  const { json: charge } = await service.post('/charges', boletoBody({ dueAt, expireAt: '2030-01-30T12:00:00Z' }));
  const [year = '', month = '', dayOfMonth = ''] = civilDay(new Date()).split('-');
  const day = dayOfMonth + month + year;
  const number = '0000000010014       ';
  const paid = { occurrence: '06', number, amountCents: 15_990n, paidCents: 15_990n, day };
  await writeFile(file, bytesOf(returnLines('756', [paid, { occurrence: '28', number: '', feeCents: 1n }], { day })));
  const first = await run(file);
  assert.match(first.said, /^sicoob:main return 9 of 20\d\d-\d\d-\d\d: 2 entries, 1 paid, 1 fee\.$/m);
  assert.match(first.said, /^Warning: line 5: a fee names no title\.$/m);
  assert.equal(first.code, 0);
  assert.equal((await service.get(`/charges/${charge.id}`)).json.state, 'PAID');
  assert.match((await run(file)).said, /^sicoob:main return 9 of \S+, read before: 2 entries, 1 paid, 1 fee\.$/m);
  await writeFile(file, bytesOf(returnLines('756', [{ ...paid, number: '0009999999014       ' }], { day })));
  const stranger = await run(file);
  assert.deepEqual([stranger.code, /1 unmatched\.$/m.test(stranger.said)], [1, true]);
  assert.match(stranger.said, /^Line 3, paid, unmatched\.$/m);
  await writeFile(
    file,
    bytesOf(returnLines('756', [{ ...paid, paidCents: 0n, occurrence: '26', reasons: '05' }], { day })),
  );
  assert.match(
    (await run(file)).said,
    new RegExp(
      `^Line 3, charge ${charge.id}, instruction refused, needs attention: The bank refused an instruction: 05 invalid instruction\\.$`,
      'm',
    ),
  );

  const refused = (args: string[], pattern: RegExp) =>
    assert.rejects(run(...args), error => error instanceof StartError && pattern.test(error.message));
  await refused([path.join(folder, 'none')], /^The file cannot be read\. Is its name right\?$/);
  await refused([], /<file> is missing/);
  await refused([file, '--agreement', 'itau'], /has no "itau"; there is sicoob:main/);
  await writeFile(file, 'Dear customer');
  await refused([file], /^The file is not CNAB 240/);
});
