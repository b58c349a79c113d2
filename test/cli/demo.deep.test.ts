// trilho demo as a process: it plays one order to its end, every link that it prints works, and it leaves nothing behind.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { launch, ownFolder, PROJECT, refusalOf, runToEnd, until } from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');

test('an order is played to its end, its links work, and nothing is left when it stops', async t => {
  const folder = await ownFolder(t);
  const { pid, stdout, stderr, ended, child } = launch({
    folder,
    command: [process.execPath, TRILHO, 'demo'],
    env: { PORT: '0' },
  });
  await until('the links', () => {
    assert.equal(child.exitCode, null, stderr());
    return stdout().includes('Ctrl-C');
  });
  for (const type of ['charge.paid', 'crypto_transaction.fulfilled']) {
    await until(`the webhook of ${type}`, () => stdout().includes(`${type}, signed with v1,`));
  }
  assert.match(stdout(), /Settled {3}transfer 0x[0-9a-f]{64}, \d+ confirmations/);
  const links = [...stdout().matchAll(/https?:\S+\/(?:dashboard|events|docs|checkout|c|pay)\S*/g)].map(
    ([link]) => link,
  );
  assert.equal(links.length, 8, stdout());
  for (const link of links) assert.equal((await fetch(link)).status, 200, link);

  process.kill(pid, 'SIGINT');
  const { code } = await ended();
  assert.equal(code, 0, stderr());
  const left = (await readdir(tmpdir())).filter(name => name.startsWith(`trilho-verify-${pid}-`));
  assert.deepEqual(left, []);
  assert.deepEqual(await readdir(folder), []);
});

test('an argument is refused before anything starts', async t => {
  const folder = await ownFolder(t);
  const refused = await runToEnd({ folder, command: [process.execPath, TRILHO, 'demo', 'now'] });
  assert.match(refusalOf(refused), /trilho demo: it takes no arguments\. See trilho demo --help\./);
});
