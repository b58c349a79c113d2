// The embedded database inherits nothing from the environment of the service, which may hold secrets.
import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { settleHome } from '../../../src/storage/embedded/home.ts';
import { ownFolder } from '../../harness/process.ts';

test('the database is started with only four variables', async t => {
  const folder = await ownFolder(t);
  await chmod(folder, 0o755);
  process.env['TRILHO_RAILS'] = 'hunter2';
  t.after(() => delete process.env['TRILHO_RAILS']);
  const { env } = await settleHome(path.join(folder, 'data'));
  const libraryPath = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  assert.deepEqual(Object.keys(env).sort(), [libraryPath, 'LC_ALL', 'PATH', 'TZ'].sort());
});
