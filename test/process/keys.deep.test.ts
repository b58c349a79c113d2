// Going live from the command line: an account, a key, a start, and the audit log.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import {
  ASK_AGAIN_MS,
  askDatabase,
  embeddedConnection,
  ownFolder,
  PROJECT,
  refusalOf,
  runToEnd,
  startTrilho,
  until,
} from '../harness/process.ts';

const env = {
  TRILHO_MODE: 'live',
  TRILHO_PIX_KEY: 'financeiro@example.com',
  TRILHO_PIX_NAME: 'Padaria',
  TRILHO_PIX_CITY: 'Recife',
};
const CHARGE = {
  accountId: 'acme',
  amountCents: 15_990,
  currency: 'BRL',
  methods: ['pix'],
  customer: { name: 'Maria da Silva', document: '529.982.247-25' },
  dueAt: '2199-12-01T12:00:00Z',
};

test('live creates its database, refuses to start without a key, and starts with an account and a key', async t => {
  const folder = await ownFolder(t);
  const run = async (...args: string[]) => {
    const command = [process.execPath, path.join(PROJECT, 'bin/trilho.js'), ...args];
    const ended = await runToEnd({ folder, env, command });
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout.trim();
  };
  assert.match(refusalOf(await runToEnd({ folder, env })), /needs an API key: trilho accounts create/);
  await run('accounts', 'create', 'acme');
  assert.match(refusalOf(await runToEnd({ folder, env })), /needs an API key: trilho accounts create/);
  const key = await run('keys', 'create', '--account', 'acme', '--scopes', 'all');
  assert.match(key, /^trilho_live_\w{12}_\w{49}$/);

  const service = await startTrilho({ folder, env });
  assert.match(service.stdout(), /^ {2}Pix key +financeiro@example\.com \(e-mail address\)$/m);
  const authorization = `Bearer ${key}`;
  const made = await service.post('/charges', CHARGE, { authorization });
  assert.equal(made.status, 201, made.text);
  assert.equal((await service.get('/charges')).status, 401);
  assert.match(await run('pay', made.json.id, '15990', 'E9999999920261116120000000000001'), /PAID/);

  // Beside the running service, by its prefix. A node may use a key that it has just read for 0.9 s.
  await run('keys', 'revoke', key.slice(0, 24));
  const statusOfList = async () => (await fetch(`${service.url}/charges`, { headers: { authorization } })).status;
  await until('the revoked key is refused', async () => (await statusOfList()) === 401, ASK_AGAIN_MS);
  assert.match(await run('audit', 'verify'), /^Whole: 5 [0-9a-f]{64}$/m);
  const lines = await askDatabase<{ line: string }>(
    embeddedConnection(service.dataPlace),
    `select actor || ' ' || action as line from audit_log order by position`,
  );
  assert.deepEqual(
    lines.map(({ line }) => line),
    [
      'operator trilho accounts create',
      'operator trilho keys create',
      `key:${key.slice(12, 24)} POST /charges`,
      'operator trilho pay',
      'operator trilho keys revoke',
    ],
  );
  await service.end();
});
