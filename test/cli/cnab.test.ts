// trilho cnab check: its output for a file, and what it refuses, without a database.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileWriter } from '@trilho/cnab';
import { ownFolder, PROJECT, refusalOf, runToEnd } from '../harness/process.ts';
import { AGREEMENTS, HEAD, TITLE } from '../packages/cnab/agreements.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');

async function checked(t: Parameters<typeof ownFolder>[0], bytes: string | Buffer, ...args: string[]) {
  const folder = await ownFolder(t);
  await writeFile(path.join(folder, 'file.rem'), bytes);
  return runToEnd({ folder, command: [process.execPath, TRILHO, 'cnab', 'check', 'file.rem', ...args] });
}

function sentFile(): string {
  const writer = fileWriter(AGREEMENTS['756']!, HEAD);
  return writer.add({ movement: 'register', title: TITLE }) + writer.end();
}

describe('trilho cnab check', { concurrency: 2 }, () => {
  test('it explains every field of a file to a bank', async t => {
    const { code, stdout } = await checked(t, sentFile());
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^line 3, segment P: title$/m);
    assert.match(stdout, /^ +78–85 {2}vencimento +"10122026" {2}= 2026-12-10$/m);
    assert.match(stdout, /^ +86–100 {2}valor +"000000000012345" {2}= R\$ 123\.45$/m);
    assert.match(stdout, /^1 titles, nothing wrong$/m);
  });

  test('it explains occurrences and reasons of a return', async t => {
    const entry = { occurrence: '03', number: '12345670000000042', reasons: '08' };
    const { stdout } = await checked(t, bytesOf(returnLines('001', [entry])));
    assert.match(stdout, /código de movimento +"03" {2}= registration rejected/);
    assert.match(stdout, /motivos da ocorrência +"08 +" {2}= 08 invalid nosso número/);
  });

  test('a problem is named with line and columns, and the exit code is 1', async t => {
    const lines = sentFile().split('\r\n');
    lines[2] = `${lines[2]?.slice(0, 77)}31022026${lines[2]?.slice(85)}`;
    const { code, stdout } = await checked(t, lines.join('\r\n'), '--problems');
    assert.equal(code, 1);
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      'line 3, segment P: title',
      `    78–85  ${'vencimento'.padEnd(34)}  "31022026"  WRONG: should be a day as DDMMAAAA`,
      '1 titles, 1 problems',
    ]);
  });

  test('it reports the same warnings as reading the return', async t => {
    const entry = { number: '12345670000000042', amountCents: 100n, paidCents: 100n, day: '17112026' };
    const lines = returnLines('001', [
      { ...entry, occurrence: '06' },
      { ...entry, occurrence: '06', day: '17172026' },
    ]);
    const { code, stdout } = await checked(t, bytesOf(lines.toSpliced(2, 1)), '--problems');
    assert.equal(code, 1);
    assert.match(stdout, /^line 3: a segment U follows no segment T$/m);
    assert.match(stdout, /^line 3: not booked: Its segment T is missing\.$/m);
    assert.match(stdout, /^line 4: not booked: Line 5 has no day in data da ocorrência\.$/m);
    const refused = await checked(t, bytesOf(returnLines('999', [{ ...entry, occurrence: '06' }])), '--problems');
    assert.match(refused.stdout, /^the file: Files of bank 999 are not supported\.$/m);
  });

  test('a file that is not CNAB 240 is refused in one line, and so is a missing one', async t => {
    const refused = await checked(t, 'Dear bank');
    assert.match(refusalOf(refused), /is not CNAB 240/);
    const folder = await ownFolder(t);
    const absent = await runToEnd({ folder, command: [process.execPath, TRILHO, 'cnab', 'check', 'none'] });
    assert.match(refusalOf(absent), /cannot be read/);
  });
});
