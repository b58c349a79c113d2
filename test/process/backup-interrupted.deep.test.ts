// A backup that is interrupted or killed: the scratch database has all payers' data, and nothing of it may stay.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { folderWithDatabase, launch, PROJECT, runToEnd, startTrilho, until } from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');
/** Above the ids that Linux assigns. */
const NO_PROCESS = 4_194_305;

test('a backup that is interrupted while it is verified leaves no scratch database; a killed one leaves none after the next run', async t => {
  const folder = await folderWithDatabase(t);
  const service = await startTrilho({ folder });
  await service.charge();
  await service.end();
  const scratch = path.join(folder, 'scratch');
  await mkdir(scratch);
  const env = { TMPDIR: scratch };
  const verify = (name: string) => ({ folder, env, command: [process.execPath, TRILHO, 'backup', name, '--verify'] });
  const scratches = async () => (await readdir(scratch)).filter(name => name.startsWith('trilho-verify-'));
  const runningIn = async () => {
    const [found] = await scratches();
    return found !== undefined && existsSync(path.join(scratch, found, 'postgres/postmaster.pid')) ? found : undefined;
  };

  for (const [name, moment] of [
    ['early', async () => (await scratches())[0]],
    ['first', runningIn],
  ] as const) {
    const interrupted = launch(verify(name));
    await until('the scratch database to be made or to run', moment);
    // A terminal and npm pass the same signal on.
    for (let times = 0; times < 2; times++) process.kill(interrupted.pid, 'SIGINT');
    assert.equal((await interrupted.ended()).code, 130);
    assert.deepEqual(await scratches(), []);
  }

  const killed = launch(verify('second'));
  const left = await until('the scratch database to run', runningIn);
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended();
  const partial = path.join(folder, `third.partial-${NO_PROCESS}-abcdef`);
  await mkdir(partial);
  const next = await runToEnd(verify('fourth'));
  assert.equal(next.code, 0, next.stderr);
  assert.equal(existsSync(path.join(scratch, left)), false);
  assert.equal(existsSync(partial), false);
  assert.deepEqual(await scratches(), []);
});
