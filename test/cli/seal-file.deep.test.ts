// trilho secrets seal: files with passwords and keys that open only with the master key, and are resealed with another one.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { SHORT_KEY_VECTOR } from '../chains/signer/vectors.ts';
import { ownFolder, PROJECT, refusalOf, runToEnd } from '../harness/process.ts';

const newKey = () => randomBytes(32).toString('base64');
const ADDRESS = ['signer', 'address', '--file', 'hot.json', '--password-file', 'password'];

/** A folder with a keystore and its password, and commands that run there with these master keys. */
async function setUp(t: TestContext) {
  const folder = await ownFolder(t);
  await writeFile(path.join(folder, 'hot.json'), JSON.stringify(SHORT_KEY_VECTOR.keystore), { mode: 0o600 });
  await writeFile(path.join(folder, 'password'), `${SHORT_KEY_VECTOR.password}\n`, { mode: 0o600 });
  const run = (keys: readonly string[], ...args: string[]) => {
    const env: Record<string, string> = keys.length === 0 ? {} : { TRILHO_MASTER_KEY: keys.join(',') };
    return runToEnd({ folder, env, command: [process.execPath, path.join(PROJECT, 'bin/trilho.js'), ...args] });
  };
  const read = (name = 'password') => readFile(path.join(folder, name), 'utf8');
  return { folder, run, read };
}

test('a sealed password opens a keystore with the master key, and reveals nothing without it', async t => {
  const { folder, run, read } = await setUp(t);
  const key = newKey();
  const plain = await run([], ...ADDRESS);
  assert.equal(plain.code, 0, plain.stderr);
  await chmod(path.join(folder, 'password'), 0o640);
  const sealed = await run([key], 'secrets', 'seal', 'password');
  assert.equal(sealed.code, 0, sealed.stderr);
  assert.match(sealed.stdout, /^password is sealed with the key [0-9a-f]{8}\.\n$/);
  assert.match(await read(), /^trilho-sealed-1 [0-9a-f]{8} [A-Za-z0-9+/=]+\n$/);
  assert.equal((await stat(path.join(folder, 'password'))).mode & 0o777, 0o640);
  assert.deepEqual((await readdir(folder)).sort(), ['hot.json', 'password'], 'nothing else is left');

  assert.equal((await run([key], ...ADDRESS)).stdout, plain.stdout);
  assert.equal((await run([key], 'secrets', 'unseal', 'password')).stdout, `${SHORT_KEY_VECTOR.password}\n`);
  for (const keys of [[], [newKey()]]) {
    assert.match(
      refusalOf(await run(keys, ...ADDRESS)),
      /^--password-file cannot be read \(sealed with the key [0-9a-f]{8}, which TRILHO_MASTER_KEY lacks\)\.$/,
    );
  }
});

test('a sealed file is resealed with another key, once', async t => {
  const { run, read } = await setUp(t);
  const [old, next] = [newKey(), newKey()];
  await run([old], 'secrets', 'seal', 'password');
  const before = await read();
  assert.match((await run([old], 'secrets', 'seal', 'password')).stdout, /is already sealed with the key \w{8}\./);
  assert.equal(await read(), before);
  assert.equal((await run([next, old], 'secrets', 'seal', 'password')).code, 0);
  assert.notEqual(await read(), before);
  assert.equal((await run([next], ...ADDRESS)).code, 0);
});

test('a file that cannot be sealed is named and unchanged; a changed one does not open', async t => {
  const { folder, run, read } = await setUp(t);
  const key = newKey();
  const password = await read();
  await writeFile(path.join(folder, 'empty'), '');
  assert.match(refusalOf(await run([], 'secrets', 'seal', 'password')), /needs TRILHO_MASTER_KEY/);
  assert.equal(refusalOf(await run([key], 'secrets', 'seal', 'none')), 'none cannot be read (ENOENT).');
  assert.equal(refusalOf(await run([key], 'secrets', 'seal', '.')), '. is not a file.');
  assert.match(refusalOf(await run([key], 'secrets', 'seal', 'empty')), /^empty is empty/);
  assert.equal(await read(), password);

  await symlink('password', path.join(folder, 'link'));
  assert.equal((await run([key], 'secrets', 'seal', 'link')).code, 0);
  const sealed = await read();
  assert.match(sealed, /^trilho-sealed-1 /, 'the file behind the link is sealed');
  const at = sealed.length - 10;
  await writeFile(
    path.join(folder, 'password'),
    sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1),
  );
  assert.equal(refusalOf(await run([key], ...ADDRESS)), '--password-file cannot be read (sealed, and damaged).');
});

test('a secret setting may be a sealed file', async t => {
  const { folder, run } = await setUp(t);
  const key = newKey();
  await writeFile(path.join(folder, 'url'), 'mysql://me:hunter2@localhost/x', { mode: 0o600 });
  await run([key], 'secrets', 'seal', 'url');
  const env = { TRILHO_MASTER_KEY: key, DATABASE_URL_FILE: 'url' };
  const command = [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'config'];
  // Opened, and then judged.
  assert.match((await runToEnd({ folder, env, command })).stderr, /DATABASE_URL_FILE must be a URL such as postgres/);
  const locked = await runToEnd({ folder, env: { DATABASE_URL_FILE: 'url' }, command });
  assert.match(locked.stderr, /DATABASE_URL_FILE: the file cannot be read \(sealed with the key \w{8}, which/);
});

test('a file that holds the master key is not sealed: nothing could open it again', async t => {
  const { folder, run, read } = await setUp(t);
  const [key, old] = [newKey(), newKey()];
  await writeFile(path.join(folder, 'master.key'), `${key},${old}\n`, { mode: 0o600 });
  const refused = refusalOf(await run([key, old], 'secrets', 'seal', 'master.key'));
  assert.match(refused, /^master\.key holds the master key, which nothing else could open: it is not sealed\.$/);
  assert.equal(await read('master.key'), `${key},${old}\n`);
});

test('a new master key is written to the file that the settings name', async t => {
  const { folder, read } = await setUp(t);
  const script = `"${process.execPath}" "${path.join(PROJECT, 'bin/trilho.js')}" secrets key > master.key`;
  const env = { TRILHO_MASTER_KEY_FILE: path.join(folder, 'master.key') };
  const made = await runToEnd({ folder, env, command: ['/bin/sh', '-c', script] });
  assert.deepEqual([made.code, made.stderr], [0, '']);
  assert.match(await read('master.key'), /^[A-Za-z0-9+/]{43}=\n$/);
});
