// trilho psp as a process: its output, what it refuses, and its stop.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { describe, test } from 'node:test';
import { launch, ownFolder, PROJECT, refusalOf, runToEnd, until } from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');
const command = (...args: string[]) => [process.execPath, TRILHO, 'psp', ...args];

describe('trilho psp', { concurrency: 2 }, () => {
  test('it prints what an integration needs, keeps its keys, and stops at SIGTERM with code 0', async t => {
    const folder = await ownFolder(t);
    const keys: Buffer[] = [];
    for (const profile of ['bacen', 'efi']) {
      const running = launch({
        folder,
        command: command('--port', '0', '--control-port', '0', '--folder', 'keys', '--profile', profile),
      });
      await until('the PSP to print its addresses', () => {
        assert.equal(running.child.exitCode, null, running.stderr());
        return running.stdout().includes('Pay a charge');
      });
      const said = (name: string) => new RegExp(`^ {2}${name} +(\\S+)`, 'm').exec(running.stdout())?.[1] ?? '';
      const file = (name: string) => readFileSync(path.join(folder, said(name)));
      const basic = Buffer.from(`${said('Client id')}:${said('Client secret')}`).toString('base64');
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const body = 'grant_type=client_credentials';
        const headers = {
          authorization: `Basic ${basic}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
        };
        const options = { method: 'POST', headers, ca: file('CA'), pfx: file('PKCS#12'), passphrase: 'trilho' };
        const request = https.request(said('Token URL'), options, answer => resolve(answer.resume().statusCode));
        request.once('error', reject);
        request.end(body);
      });
      assert.equal(status, 200);
      const seen = (await (await fetch(said('Control'))).json()) as { profile: string };
      assert.equal(seen.profile, profile);
      keys.push(file('Certificate'));
      process.kill(running.pid, 'SIGTERM');
      const { code, stderr } = await running.ended();
      assert.deepEqual([code, stderr], [0, '']);
    }
    assert.deepEqual(keys[0], keys[1]);
  });

  test('every wrong argument is named in one line', async t => {
    const folder = await ownFolder(t);
    const refused = async (...args: string[]) => refusalOf(await runToEnd({ folder, command: command(...args) }));
    const said = await refused('--port', '70000', '--profile', 'nubank', '--loud');
    for (const part of ['--port', '"nubank"; there are bacen, efi', '--loud is not an option']) {
      assert.ok(said.includes(part), said);
    }
    assert.match(await refused('--port', '9000', '--control-port', '9000'), /must differ/);
    await writeFile(path.join(folder, 'file'), '');
    assert.match(await refused('--port', '0', '--control-port', '0', '--folder', 'file'), /--folder "file"/);
  });
});
