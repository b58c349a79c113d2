// Backups of the embedded database from the command line, beside a running service, into a folder and through a pipe.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { folderWithDatabase, ownFolder, PROJECT, runToEnd, startTrilho, untilIssued } from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');

describe('the embedded database', { concurrency: 2 }, () => {
  test('is saved beside the service and restored into another folder, where the service goes on', async t => {
    const folder = await folderWithDatabase(t);
    // The link of a charge names it, and the port is another one later.
    const env = { TRILHO_PUBLIC_URL: 'https://pay.example.com' };
    const service = await startTrilho({ folder, env });
    const id = await service.charge();
    await untilIssued(service, id);
    const saved = await runToEnd({ folder, command: [process.execPath, TRILHO, 'backup', 'saved'] });
    assert.equal(saved.code, 0, saved.stderr);
    const charge = (await service.get(`/charges/${id}`)).text;
    await service.end();

    const other = await ownFolder(t);
    const from = path.join(folder, 'saved');
    const restored = await runToEnd({ folder: other, command: [process.execPath, TRILHO, 'restore', from] });
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /The ledger is right\.\nThe audit log is whole/);
    const next = await startTrilho({ folder: other, env });
    assert.equal((await next.get(`/charges/${id}`)).text, charge);
    await next.charge();
    await next.end();
  });

  test('goes through a pipe, and a pipe that is cut is refused', async t => {
    const folder = await folderWithDatabase(t);
    const service = await startTrilho({ folder });
    await service.charge();
    const run = (script: string) =>
      runToEnd({
        folder,
        command: [
          '/bin/bash',
          '-c',
          `set -o pipefail; ${script.replaceAll('trilho', `"${process.execPath}" "${TRILHO}"`)}`,
        ],
      });
    const whole = await run('trilho backup - | tee whole.tar | trilho restore - --verify');
    assert.equal(whole.code, 0, whole.stderr);
    assert.match(whole.stdout, /^Restored: \d+ rows.*\nThe ledger is right\.\nThe audit log is whole/);
    // Any tar unpacks the stream into what a folder would be.
    const unpacked = await run('mkdir unpacked && tar -x -f whole.tar -C unpacked && trilho restore unpacked --verify');
    assert.equal(unpacked.code, 0, unpacked.stderr);

    const cut = await run('head -c 9000 whole.tar | trilho restore - --verify');
    assert.equal(cut.code, 2);
    assert.match(cut.stderr, /The stream ends in the middle of the backup\.$/m);
    const foreign = await run('head -c 9000 /dev/zero | tr "\\0" x | trilho restore - --verify');
    assert.match(foreign.stderr, /The stream is damaged, or no backup\.$/m);
    await service.end();
  });
});
