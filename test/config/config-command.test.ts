// trilho config as a real process: what it prints, what it hides, and how it ends when the configuration is wrong.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import type { Setting } from '../../src/lib/settings/setting.ts';
import { faultsOf, ownFolder, PROJECT, runToEnd } from '../harness/process.ts';

const settings: readonly Setting[] = SETTINGS;

const COMMAND = [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'config'];

describe('trilho config', { concurrency: 2 }, () => {
  test('prints every setting of a sandbox with its origin', async t => {
    const folder = await ownFolder(t);
    await writeFile(path.join(folder, '.env'), 'TRILHO_PAGE_SIZE=3\nTRILHO_PRICE_MAX_AGE=30\n');
    const { code, stdout, stderr } = await runToEnd({ folder, env: { TRILHO_DATA_DIR: '' }, command: COMMAND });
    assert.deepEqual([code, stderr], [0, '']);
    const lines = stdout.trimEnd().split('\n');
    for (const line of [
      'PORT=0   (environment)',
      'HOST=127.0.0.1   (default)',
      'DATABASE_URL=(not set)   (default)',
      'TRILHO_MODE=sandbox   (default)',
      `TRILHO_DATA_DIR=${folder}/data   (default)`,
      'TRILHO_PAGE_SIZE=3   (environment)',
      'TRILHO_RATE_LIMIT=0   (default)',
      'TRILHO_PRICES=usdt=5.41,usdc=5.40,trx=1.78,eth=18732.50   (default)',
      'TRILHO_PRICE_MAX_AGE=30   (environment, no effect in sandbox)',
      'TRILHO_BANKING_DAYS=(not set)   (default)',
    ]) {
      assert.ok(lines.includes(line), `${line}\n\nin\n\n${stdout}`);
    }
    const shown = settings.filter(({ mode, name }) => mode !== 'live' || name === 'TRILHO_PRICE_MAX_AGE');
    assert.deepEqual(
      lines.map(line => line.split('=')[0]),
      shown.map(({ name }) => name),
    );
  });

  test('refuses limits and addresses of payouts that serve would refuse', async t => {
    const folder = await ownFolder(t);
    for (const [payouts, message] of [
      [{ limits: [{ symbol: 'trx', network: 'polygon', perDay: '5' }] }, /payouts\.limits of trx: network/],
      [{ coldAddresses: { polygon: '0x12' } }, /payouts\.coldAddresses\.polygon/],
    ] as const) {
      const env = { TRILHO_DATA_DIR: '', TRILHO_PAYOUTS: JSON.stringify(payouts) };
      const { code, stderr } = await runToEnd({ folder, env, command: COMMAND });
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
  });

  test('hides secrets from every source', async t => {
    const folder = await ownFolder(t);
    const prices = {
      sources: [{ name: 'a', url: 'https://a.example/{symbol}/{currency}?key=hunter2', price: 'p' }],
      maxAgeSeconds: 30,
    };
    await writeFile(path.join(folder, 'trilho.json'), JSON.stringify({ prices }));
    const env = {
      TRILHO_MODE: 'live',
      TRILHO_CONFIG: 'trilho.json',
      // A pipe can be read only once.
      DATABASE_URL_FILE: '/dev/stdin',
      TRILHO_PIX_KEY: 'hunter2@example.com',
      TRILHO_PIX_NAME: 'Loja\nda Maria',
      TRILHO_PIX_CITY: 'Recife',
    };
    const script = 'echo postgres://trilho:hunter2@db.example/trilho | "$@"';
    const { code, stdout, stderr } = await runToEnd({
      folder,
      env,
      command: ['/bin/sh', '-c', script, 'sh', ...COMMAND],
    });
    assert.deepEqual([code, stderr], [0, '']);
    for (const line of [
      'DATABASE_URL=(set, hidden)   (file)',
      'TRILHO_CONFIG=trilho.json   (environment)',
      'TRILHO_RATE_LIMIT=100   (default)',
      'TRILHO_RATE_USD=(not set)   (default)',
      'TRILHO_PIX_KEY=(set, hidden)   (environment)',
      'TRILHO_PIX_NAME="Loja\\nda Maria"   (environment)',
      'TRILHO_PRICE_SOURCES=(set, hidden)   (TRILHO_CONFIG)',
      'TRILHO_PRICE_MAX_AGE=30   (TRILHO_CONFIG)',
    ]) {
      assert.ok(stdout.split('\n').includes(line), `${line}\n\nin\n\n${stdout}`);
    }
    assert.doesNotMatch(stdout, /hunter2/);
  });

  test('ends with exit code 2 and every fault when the configuration is wrong', async t => {
    const folder = await ownFolder(t);
    const ended = await runToEnd({
      folder,
      env: { PORT: 'x', TRILHO_CONFIG: 'absent.json', DATABASE_URL: 'hunter2' },
      command: COMMAND,
    });
    assert.deepEqual([ended.code, ended.stdout], [2, '']);
    assert.deepEqual(faultsOf(ended), [
      'PORT must be a whole number from 0 to 65535, not "x".',
      'DATABASE_URL must be a URL such as postgres://user:password@host:5432/database.',
      'TRILHO_CONFIG: the file cannot be read (ENOENT).',
    ]);
  });
});
