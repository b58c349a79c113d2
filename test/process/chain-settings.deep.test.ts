// Wrong settings of chains and signers are reported at the first start of live, before anything is created.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { startEvmNode } from '../../src/sandbox/evm-node/evm-node.ts';
import { ownFolder, refusalOf, runToEnd } from '../harness/process.ts';

const PASSWORD = 'correct horse';
const TRILHO = ['bin/trilho.js', 'signer', 'create'];

test('a signer without its file and a node of another chain are refused before there is a database', async t => {
  const folder = await ownFolder(t);
  const node = await startEvmNode();
  t.after(() => node.stop());
  const [keystore, passwordFile] = [path.join(folder, 'hot.json'), path.join(folder, 'password')];
  const settings = {
    signers: [{ name: 'hot', kind: 'keystore', file: keystore, passwordFile }],
    chains: [{ network: 'polygon', providers: [{ name: 'own', url: node.url }], senders: [{ signer: 'hot' }] }],
  };
  const config = path.join(folder, 'trilho.json');
  await writeFile(config, JSON.stringify(settings));
  await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
  const dataDir = path.join(folder, 'data');
  const env = { TRILHO_MODE: 'live', TRILHO_CONFIG: config, TRILHO_DATA_DIR: dataDir };
  const refused = async (pattern: RegExp) => {
    const said = refusalOf(await runToEnd({ folder, env }));
    assert.match(said, pattern);
    assert.doesNotMatch(said, /API key/);
    assert.equal(existsSync(dataDir), false, 'nothing was created');
  };
  await refused(/^signers\[0\]\.file /);
  await makeKeystore(folder, keystore, passwordFile);
  await refused(/^chains\[0\]\.providers\[0\]\.url is a node of chain 31337, not of polygon \(137\)\.$/m);
});

async function makeKeystore(folder: string, file: string, passwordFile: string): Promise<void> {
  const [script, ...args] = TRILHO;
  const command = [
    process.execPath,
    path.resolve(script ?? ''),
    ...args,
    '--file',
    file,
    '--password-file',
    passwordFile,
  ];
  assert.equal((await runToEnd({ folder, env: {}, command })).code, 0);
}
