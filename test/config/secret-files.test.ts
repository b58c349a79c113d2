// Secrets as files: NAME_FILE instead of NAME.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';
import { ownFolder } from '../harness/process.ts';

const URL = 'postgres://trilho:hunter2@db.example/trilho';
const databaseUrl = (content: string) => readConfig({ DATABASE_URL_FILE: 'db' }, readFrom({ db: content })).databaseUrl;

test('a secret is read from its file, less one newline at the end', () => {
  assert.equal(databaseUrl(URL), URL);
  assert.equal(databaseUrl(`${URL}\n`), URL);
  assert.equal(databaseUrl(`${URL}\r\n`), URL);
  assert.equal(databaseUrl(`${URL}\n\n`), `${URL}\n`);
});

test('a secret from a file counts as set, and its faults name the file’s variable', () => {
  const pix = { TRILHO_MODE: 'live', TRILHO_PIX_KEY_FILE: 'key' };
  assert.deepEqual(faultsOf(pix, { key: 'a@example.com' }), [
    'TRILHO_PIX_NAME is needed together with TRILHO_PIX_KEY.',
    'TRILHO_PIX_CITY is needed together with TRILHO_PIX_KEY.',
  ]);
  assert.deepEqual(faultsOf({ ...pix, TRILHO_PIX_NAME: 'A', TRILHO_PIX_CITY: 'B' }, { key: '123.456.789-00' }), [
    'TRILHO_PIX_KEY_FILE must be a pix key in one of five forms: a CPF or a CNPJ with right check digits, an e-mail address, a phone number that begins with +55, or a random key.',
  ]);
  assert.deepEqual(faultsOf({ ...pix, TRILHO_MODE: 'sandbox' }, { key: 'a@example.com' }), [
    'TRILHO_PIX_KEY_FILE: a sandbox takes no real pix key.',
  ]);
});

test('the variable and its file together are a fault', () => {
  const both = { DATABASE_URL: URL, DATABASE_URL_FILE: 'db' };
  assert.deepEqual(faultsOf(both, { db: URL }), ['DATABASE_URL is also given as DATABASE_URL_FILE; keep one.']);
});

test('a file that is missing or empty is a fault with the name of the setting, not the path', () => {
  assert.deepEqual(faultsOf({ DATABASE_URL_FILE: URL }), ['DATABASE_URL_FILE: the file cannot be read (ENOENT).']);
  for (const content of ['', '\n']) {
    assert.deepEqual(faultsOf({ DATABASE_URL_FILE: 'db' }, { db: content }), ['DATABASE_URL_FILE: the file is empty.']);
  }
});

test('real files are read; a folder, a file that is too large or not UTF-8 is refused by its code', async t => {
  const folder = await ownFolder(t);
  const write = async (name: string, content: string | Uint8Array) => {
    await writeFile(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const read = (file: string) => readConfig({ DATABASE_URL_FILE: file }).databaseUrl;
  assert.equal(read(await write('db', `${URL}\n`)), URL);
  assert.throws(() => read(folder), /^StartError: DATABASE_URL_FILE: the file cannot be read \(EISDIR\)\.$/);
  const [large, latin1] = [
    await write('large', URL.padEnd(1024 * 1024 + 1)),
    await write('latin1', Buffer.from([0xe3])),
  ];
  assert.throws(() => read(large), /\(EFBIG\)\.$/);
  assert.throws(() => read(latin1), /\(ERR_ENCODING_INVALID_ENCODED_DATA\)\.$/);
});
