// trilho cnab write: files to a bank in a folder, each with its own number, and the same bytes at every run.
import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { cnabCommand } from '../../src/cli/cnab.ts';
import { StartError } from '../../src/lib/errors.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { ownFolder } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

const RAIL = 'sicoob:main';

describe('trilho cnab write', () => {
  let service: Service;
  const environment = (...boletos: AgreementEntry[]) => ({
    TRILHO_MODE: 'live',
    TRILHO_BOLETOS: JSON.stringify(boletos),
  });
  const entry = (changes: Partial<AgreementEntry> = {}) => agreementEntry('756', { name: RAIL, ...changes });
  const write = (boletos: AgreementEntry[], ...args: string[]) =>
    runCommand(cnabCommand, { ...environment(...boletos), DATABASE_URL: service.databaseUrl }, ['write', ...args]);
  const refused = (boletos: AgreementEntry[], args: string[], pattern: RegExp) =>
    assert.rejects(write(boletos, ...args), error => error instanceof StartError && pattern.test(error.message));
  const charge = async () => {
    const made = await service.post(
      '/charges',
      boletoBody({ dueAt: '2030-01-15T12:00:00Z', expireAt: '2030-01-30T12:00:00Z' }),
    );
    assert.equal(made.status, 201, made.text);
    await service.runJobs();
    return made;
  };

  before(async () => {
    // On the machine's clock, as the commands are.
    const now = new Date().toISOString();
    service = await startService({ mode: 'live', now, env: environment(entry({ maxTitles: 2 })) });
  });
  after(() => service.stop());

  test('all waiting boletos are in files of limited size, in the folder of the agreement', async t => {
    const sendFolder = await ownFolder(t);
    await Promise.all([charge(), charge(), charge()]);
    const { code, said } = await write([entry({ maxTitles: 2, sendFolder })]);
    assert.equal(code, 0);
    assert.match(said, /^sicoob:main file 1: 2 titles, SHA-256 [0-9a-f]{64}, \/\S+sicoob-main-000001\.rem$/m);
    assert.match(said, /^sicoob:main file 2: 1 title, SHA-256 /m);
    assert.deepEqual((await readdir(sendFolder)).sort(), ['sicoob-main-000001.rem', 'sicoob-main-000002.rem']);
    assert.equal((await write([entry({ sendFolder })])).said, `Nothing of ${RAIL} waits for a file.`);
  });

  test('a file that is requested again has the same bytes, and another file with its name is not overwritten', async t => {
    const folder = await ownFolder(t);
    const place = path.join(folder, 'sicoob-main-000001.rem');
    const again = () => write([entry()], RAIL, '--folder', folder, '--file', '1');
    const first = await again();
    const bytes = await readFile(place);
    assert.equal((await again()).said, first.said, 'it lies there');
    await rm(place);
    await again();
    assert.deepEqual(await readFile(place), bytes);
    await writeFile(place, 'another');
    await refused([entry()], ['--folder', folder, '--file', '1'], /has another file named sicoob-main-000001\.rem\.$/);
    assert.equal(await readFile(place, 'utf8'), 'another');
  });

  test('a file that could not be put into the folder is put there by the next run, under the same number', async t => {
    await charge();
    await refused([entry()], ['--folder', '/nowhere'], /^The folder \/nowhere cannot be written to \(ENOENT\)\.$/);
    const folder = await ownFolder(t);
    assert.match(
      (await write([entry()], '--folder', folder)).said,
      /^sicoob:main file 3: 1 title, \S+ \S+, \S+000003\.rem$/,
    );
    assert.deepEqual(await readdir(folder), ['sicoob-main-000003.rem']);
  });

  test('an impossible request is refused in one sentence', async () => {
    await refused([entry()], [], /^sicoob:main has no sendFolder: set it, or give --folder\.$/);
    await refused([entry()], ['--folder', '/tmp', '--file', '9'], /^There is no file 9 of sicoob:main\.$/);
    await refused([entry()], ['--folder', '/tmp', '--file', 'x'], /--file must be the number of a file/);
    await refused([entry()], ['itau'], /^boletos in TRILHO_CONFIG has no "itau"; there is sicoob:main\.$/);
    await refused(
      [entry(), entry({ name: 'other' })],
      [],
      /^There are several agreements: name one of sicoob:main, other\.$/,
    );
    await refused([], [], /^No agreement with a bank is configured: set boletos in TRILHO_CONFIG\.$/);
  });
});
