// trilho signer, as people run it: keystores are created, imported and read, and no secret is printed.
import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { PBKDF2_VECTOR, SHORT_KEY_VECTOR, VECTOR_ADDRESS } from '../chains/signer/vectors.ts';
import { ownFolder, PROJECT, refusalOf, runToEnd } from '../harness/process.ts';

const VECTOR_LINES = `EVM   ${VECTOR_ADDRESS}\nTron  TA25SJ2Uo4NQk2SozYKmZ4wQnpq5T7FNBZ\n`;
const PASSWORD = 'correct horse';

/** A folder with a password in it, and the command run there; `input` is a file that becomes its standard input. */
async function setUp(t: TestContext) {
  const folder = await ownFolder(t);
  const write = (name: string, text: string, mode = 0o600) => writeFile(path.join(folder, name), text, { mode });
  await write('password', `${PASSWORD}\n`);
  const run = (args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) => {
    const { input = '/dev/null', env = {} } = options;
    const script = `exec "$0" "$@" < ${input}`;
    const trilho = [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'signer'];
    return runToEnd({ folder, env, command: ['/bin/sh', '-c', script, ...trilho, ...args] });
  };
  return { folder, write, run };
}

const KEYSTORE = ['--file', 'hot.json', '--password-file', 'password'];

describe('trilho signer', { concurrency: 2 }, () => {
  test('create writes a keystore for this user only and prints its addresses; it replaces no file', async t => {
    const { folder, run } = await setUp(t);
    const made = await run(['create', ...KEYSTORE]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^EVM {3}0x[0-9a-fA-F]{40}\nTron {2}T\w{33}\n$/);
    const file = path.join(folder, 'hot.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual((await readdir(folder)).sort(), ['hot.json', 'password'], 'nothing else is left');
    const before = await readFile(file, 'utf8');
    assert.equal(refusalOf(await run(['create', ...KEYSTORE])), '--file "hot.json" exists already.');
    assert.equal(await readFile(file, 'utf8'), before);
    assert.deepEqual((await readdir(folder)).sort(), ['hot.json', 'password']);

    assert.equal((await run(['address', ...KEYSTORE])).stdout, made.stdout);
    const named = await run(['address', '--file', 'hot.json']);
    assert.deepEqual([named.code, named.stdout], [0, made.stdout]);
    assert.match(named.stderr, /^As the file says/);
  });

  test('import takes a key from a file or from standard input, and prints no secret', async t => {
    const { folder, write, run } = await setUp(t);
    await write('key', `0x${PBKDF2_VECTOR.privateKey}\n`);
    const fromFile = await run(['import', ...KEYSTORE, '--key-file', 'key']);
    const fromInput = await run(['import', '--file', 'two.json', '--password-file', 'password'], { input: 'key' });
    for (const { code, stdout, stderr } of [fromFile, fromInput]) {
      assert.deepEqual([code, stdout, stderr], [0, VECTOR_LINES, '']);
    }
    for (const name of ['hot.json', 'two.json']) {
      assert.ok(!(await readFile(path.join(folder, name), 'utf8')).includes(PBKDF2_VECTOR.privateKey.slice(0, 16)));
    }
  });

  test('an invalid private key is refused without being repeated', async t => {
    const { folder, write, run } = await setUp(t);
    for (const text of ['hunter2', '', 'ff'.repeat(32), '00'.repeat(32), `${PBKDF2_VECTOR.privateKey}00`]) {
      await write('key', text);
      assert.equal(
        refusalOf(await run(['import', ...KEYSTORE], { input: 'key' })),
        'Standard input holds no private key: it must be 64 hexadecimal digits, with or without 0x.',
      );
    }
    const argument = await run(['import', ...KEYSTORE, PBKDF2_VECTOR.privateKey]);
    assert.match(refusalOf(argument), /it takes options only, and a key from a file or standard input/);
    const asName = await run(['address', PBKDF2_VECTOR.privateKey]);
    for (const { stdout, stderr } of [argument, asName]) assert.doesNotMatch(stdout + stderr, /7a28b5/);
    assert.deepEqual(await readdir(folder), ['key', 'password']);
  });

  test('an unusable file is reported with its option', async t => {
    const { folder, write, run } = await setUp(t);
    await write('hot.json', JSON.stringify(SHORT_KEY_VECTOR.keystore));
    await write('empty', '\n');
    const address = (passwordFile: string) => ['address', '--file', 'hot.json', '--password-file', passwordFile];
    const refused: [args: string[], sentence: string][] = [
      [address('none'), '--password-file cannot be read (ENOENT).'],
      [address('empty'), '--password-file is empty.'],
      [address('password'), '--password-file is not the password of the keystore.'],
      [['address', '--file', 'none'], '--file "none" cannot be read (ENOENT).'],
      [['address', '--file', 'password'], '--file "password" is not a keystore file.'],
      [['address', '--file', 'hot.json'], 'The keystore does not name its address; give --password-file too.'],
      [
        ['create', '--file', 'no/hot.json', '--password-file', 'password'],
        '--file "no/hot.json" cannot be written (ENOENT).',
      ],
      [['create', '--file', 'x.json', '--password-file', 'none'], '--password-file cannot be read (ENOENT).'],
    ];
    for (const [args, sentence] of refused) assert.equal(refusalOf(await run(args)), sentence);

    await write('short', SHORT_KEY_VECTOR.password);
    assert.equal((await run(address('short'))).code, 0);
    await chmod(path.join(folder, 'short'), 0o644);
    const open = '--password-file can be read by every user of this machine; take that away with chmod o-r.';
    assert.equal(refusalOf(await run(address('short'))), open);
    await chmod(path.join(folder, 'short'), 0o640);
    assert.equal((await run(address('short'))).code, 0, 'the group may read it');
  });

  test('address prints the addresses of a signer in the settings, and names a wrong setting', async t => {
    const { write, run } = await setUp(t);
    await write('short.json', JSON.stringify(SHORT_KEY_VECTOR.keystore));
    await write('short', SHORT_KEY_VECTOR.password);
    const short = { name: 'short', kind: 'keystore', file: 'short.json', passwordFile: 'short' };
    const remote = { name: 'far', kind: 'remote', url: 'http://127.0.0.1:1', address: VECTOR_ADDRESS };
    const signers = [remote, short, { ...short, name: 'wrong', address: VECTOR_ADDRESS }];
    await write('trilho.json', JSON.stringify({ signers }));
    const env = { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' };
    assert.match((await run(['address', 'short'], { env })).stdout, /^EVM {3}0x\w{40}\nTron {2}T\w{33}\n$/);
    assert.equal(
      (await run(['address', 'far'], { env })).stdout,
      `EVM   ${VECTOR_ADDRESS}\n`,
      'it is silent, and is asked later',
    );
    assert.match(
      refusalOf(await run(['address', 'wrong'], { env })),
      /^signers\[2\]\.address is not that of the key, 0x\w{40}\.$/,
    );
    assert.equal(
      refusalOf(await run(['address', 'none'], { env })),
      'signers in TRILHO_CONFIG has no such name; there is far, short, wrong.',
    );
    assert.match(refusalOf(await run(['address'])), /it takes <name> or --file/);
    assert.match(
      refusalOf(await run(['address', 'short', '--password-file', 'x'])),
      /--password-file goes with --file/,
    );
  });
});
