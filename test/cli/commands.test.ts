// The commands about accounts, keys and the audit log: their output and what they refuse.
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { accountsCommand } from '../../src/cli/accounts.ts';
import { auditCommand } from '../../src/cli/audit.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { migrateCommand } from '../../src/cli/migrate.ts';
import { readConfig } from '../../src/config/config.ts';
import { StartError } from '../../src/lib/errors.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { applyMigrations } from '../../src/storage/migrate.ts';
import { appliedMigrations, readMigrations } from '../../src/storage/migrations.ts';
import { runCommand } from '../harness/commands.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import { askDatabase } from '../harness/process.ts';

const COMMANDS = { accounts: accountsCommand, keys: keysCommand, audit: auditCommand, doctor: doctorCommand };

let database: TestDatabase;
before(async () => {
  database = await createDatabase();
});
after(() => database.drop());

/** Runs a command in live and returns its exit code and what it printed for a person or a script. */
async function trilho(name: keyof typeof COMMANDS, ...args: string[]): Promise<{ code: number; said: string }> {
  const config = readConfig({ TRILHO_MODE: 'live', DATABASE_URL: database.url });
  const said = mock.method(console, 'log', () => {});
  const aside = mock.method(console, 'error', () => {});
  try {
    const code = await COMMANDS[name](config, silentLog, args);
    return { code, said: said.mock.calls.map(call => String(call.arguments[0])).join('\n') };
  } finally {
    said.mock.restore();
    aside.mock.restore();
  }
}
const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

test('an account is opened once and listed', async () => {
  assert.match((await trilho('accounts', 'create', 'acme')).said, /is open\.$/);
  assert.match((await trilho('accounts', 'create', 'acme')).said, /was open before\.$/);
  assert.match((await trilho('accounts', 'list')).said, /^\S+Z {2}acme$/);
});

test('a key is shown once, listed without its secret, and revoked by its id or by the complete key', async () => {
  const { said: key } = await trilho(
    'keys',
    'create',
    '--account',
    'acme',
    '--scopes',
    'all,payments:read',
    '--name',
    'shop',
  );
  const { said: other } = await trilho('keys', 'create', '--account', 'acme', '--scopes', 'charges:read');
  const listed = (await trilho('keys', 'list', '--account', 'acme')).said.split('\n');
  assert.equal(listed.length, 2);
  assert.match(
    listed[0]!,
    /^trilho_live_\w{12} {2}acme {2}made \S+Z {2}never used {2}charges:read,.*payments:read {2}shop$/,
  );
  assert.doesNotMatch(listed[0]!, /payments:write|metrics:read/, 'all leaves out what is the operator’s');
  assert.ok(!listed.some(line => line.includes(key) || line.includes(other)));
  assert.equal((await trilho('keys', 'list', '--account', 'nobody')).said, '');

  assert.match((await trilho('keys', 'revoke', key)).said, /is revoked\.$/);
  assert.match((await trilho('keys', 'revoke', other.slice(12, 24))).said, /is revoked\.$/);
  for (const line of (await trilho('keys', 'list')).said.split('\n')) assert.match(line, /revoked \S+Z/);
  await assert.rejects(trilho('keys', 'revoke', '000000000000'), refusal(/no such key/));
  await assert.rejects(trilho('keys', 'create', '--account', 'no', '--scopes', 'all'), refusal(/no such account/));
});

test('the audit log is verified, and broken after a change', async () => {
  const { code, said } = await trilho('audit', 'verify');
  assert.equal(code, 0);
  const [, position = '', hash = ''] = /^Whole: (\d+) ([0-9a-f]{64})\n0 not sealed/.exec(said) ?? [];
  // An account, two keys, two revocations: refused and read-only commands have no line.
  assert.equal(position, '5');
  assert.equal((await trilho('audit', 'verify', position, hash)).code, 0);
  assert.equal((await trilho('audit', 'verify', '4', hash)).code, 1);
  await askDatabase(
    { connectionString: database.url },
    `alter table audit_log disable trigger all; update audit_log set actor = 'nobody' where position = 3`,
  );
  const broken = await trilho('audit', 'verify');
  assert.equal(broken.code, 1);
  assert.match(broken.said, /^Broken: line 3: .* Whole up to 2 [0-9a-f]{64}$/);
});

test('a key of the command line reaches as far as its scopes, unless it is limited to its account', async () => {
  const create = (...more: string[]) => trilho('keys', 'create', '--account', 'acme', '--name', 'kept', ...more);
  await create('--scopes', 'payments:write', '--reach', 'account');
  const listed = (await trilho('keys', 'list')).said.split('\n').at(-1) ?? '';
  assert.match(listed, / {2}acme {2}its account alone {2}made /);
  await trilho('keys', 'revoke', listed.split(' ')[0]!);
  const useless = create('--scopes', 'charges:read,metrics:read', '--reach', 'account');
  await assert.rejects(useless, refusal(/--scopes has metrics:read, which concerns all accounts/));
  const nothing = create('--scopes', 'charges:read', '--reach', 'all_accounts');
  await assert.rejects(nothing, refusal(/all_accounts needs a scope of the operator/));
  await assert.rejects(create('--scopes', 'all', '--reach', 'far'), refusal(/--reach must be account or all_accounts/));
});

test('a key expires after a time or on a day, the list shows when, and the doctor warns which expire soon', async () => {
  const create = ['create', '--account', 'acme', '--scopes', 'charges:read', '--expires'];
  assert.deepEqual(await trilho('doctor'), {
    code: 0,
    said: [
      'right  settings: read, mode live',
      'right  database: answers',
      'right  schema: up to date',
      'right  keys: 0, and no key expires soon',
      "right  clock: 0 s off the database's",
      'warning  secrets: there is no master key: a copy of the database can sign in your name until TRILHO_MASTER_KEY is set',
      'warning  chains: not configured; every order is refused until chains are set',
      'warning  prices: no source; every quote is refused until TRILHO_PRICE_SOURCES is set',
    ].join('\n'),
  });
  for (const wrong of ['soon', '90', 'P', '2026-02-30', '90D']) {
    await assert.rejects(trilho('keys', ...create, wrong), refusal(/--expires must be a length of time/), wrong);
  }
  for (const past of ['2001-01-01', 'PT0S', '0000-01-01']) {
    await assert.rejects(trilho('keys', ...create, past), refusal(/^--expires must be later than now/), past);
  }
  const last = async () => (await trilho('keys', 'list', '--account', 'acme')).said.split('\n').at(-1) ?? '';
  await trilho('keys', ...create, '2199-03-01');
  assert.match(await last(), / {2}never used {2}expires 2199-03-01T03:00:00\.000Z {2}charges:read$/);
  assert.equal((await trilho('doctor')).code, 0);
  const { said: soon } = await trilho('keys', ...create, 'P13D');
  const warned = await trilho('doctor');
  assert.equal(warned.code, 1);
  assert.match(warned.said, new RegExp(`^wrong {2}key ${soon.slice(0, 24)} of acme: expires \\S+Z;`, 'm'));
  const connection = { connectionString: database.url };
  await askDatabase(
    connection,
    `update api_keys set created_at = '2001-01-01', expires_at = '2002-01-01' where id = '${soon.slice(12, 24)}'`,
  );
  assert.match((await trilho('keys', 'list')).said, /expired 2002-01-01T00:00:00\.000Z/);
  assert.match((await trilho('doctor')).said, /^wrong {2}key \S+ of acme: expired 2002/m);
  await trilho('keys', 'revoke', soon);
  assert.equal((await trilho('doctor')).code, 0);

  await askDatabase(connection, 'alter table schema_migrations rename to kept_migrations');
  const behind = await trilho('doctor');
  assert.equal(behind.code, 1);
  assert.match(behind.said, /^wrong {2}schema: lacks a migration/m);
  await askDatabase(connection, 'alter table kept_migrations rename to schema_migrations');
});

test('a wrong argument or option is named, and a key for a sandbox is refused', async () => {
  const create = ['create', '--account', 'acme', '--scopes'];
  const wrong: [keyof typeof COMMANDS, string[], RegExp][] = [
    ['keys', [], /a verb is missing; it takes create, list, revoke/],
    ['keys', ['sing'], /"sing" is not known/],
    ['keys', ['create'], /--account is missing; --scopes is missing/],
    ['keys', ['create', '--account', 'a'], /: --scopes is missing/],
    ['keys', ['create', '--account', '--scopes', 'all'], /--account needs a value/],
    ['keys', [...create, 'all', '--account', 'b'], /--account is given twice/],
    ['keys', [...create, 'all', 'x'], /"x" is one argument too many/],
    ['keys', [...create, 'charges:read,charges:eat'], /--scopes has "charges:eat", but there are: charges:read/],
    ['keys', [...create, 'all', '--name', ''], /--name needs a value/],
    ['keys', [...create, 'all', '--name', 'x'.repeat(256)], /--name must have 1 to 255 characters/],
    ['keys', ['revoke'], /<id> is missing/],
    ['keys', ['revoke', 'x'], /<id> must be the id, the prefix or the whole of a key/],
    ['keys', ['list', '--loud'], /--loud is not an option/],
    ['accounts', [], /a verb is missing; it takes create, list/],
    ['accounts', ['create'], /<id> is missing/],
    ['accounts', ['create', ''], /<id> must be a text/],
    ['accounts', ['create', 'a', 'b'], /"b" is one argument too many/],
    ['accounts', ['list', 'a'], /"a" is one argument too many/],
    ['audit', [], /a verb is missing; it takes verify/],
    ['audit', ['sing'], /"sing" is not known/],
    ['audit', ['verify', '1'], /<hash> is missing/],
    ['audit', ['verify', 'one', 'x'], /<position> must be .* not "one"; <hash> must be .* not "x"/],
  ];
  for (const [name, args, said] of wrong) {
    const refused = (error: unknown) => refusal(said)(error) && refusal(new RegExp(`^trilho ${name}`))(error);
    await assert.rejects(trilho(name, ...args), refused, [name, ...args].join(' '));
  }
  await assert.rejects(keysCommand(readConfig({}), silentLog, [...create, 'all']), refusal(/sandbox/));
});

test('a mistyped key, and what may be the value of a misspelt option, are not repeated', async () => {
  const secret = 'trilho_live_4fQ2mXw09aBc_hunter2';
  for (const args of [
    ['revoke', secret],
    ['list', '--acount', secret],
    ['list', `--acount=${secret}`],
  ]) {
    const keepsSecret = (error: unknown) => refusal(/./)(error) && !refusal(/hunter2/)(error);
    await assert.rejects(trilho('keys', ...args), keepsSecret, args[1]);
  }
});

test('a command of a newer version leaves the schema to trilho migrate and the service', async t => {
  const old = await createDatabase('template1');
  t.after(() => old.drop());
  const db = openDatabase({ connection: { connectionString: old.url }, log: silentLog });
  t.after(() => db.close());
  const known = (await readMigrations()).slice(0, -1);
  await db.transaction(tx => applyMigrations(tx, known, silentLog));
  const env = { TRILHO_MODE: 'live', DATABASE_URL: old.url };
  const refused = refusal(/^This database lacks 1 migration of this version: .*trilho migrate/);
  for (const [command, ...args] of [
    [accountsCommand, 'create', 'acme'],
    [keysCommand, 'list'],
    [auditCommand, 'verify'],
  ] as const) {
    await assert.rejects(runCommand(command, env, args), refused);
  }
  assert.equal((await appliedMigrations(db)).size, known.length);
  assert.equal((await runCommand(migrateCommand, env, [])).code, 0);
  assert.equal((await runCommand(accountsCommand, env, ['create', 'acme'])).code, 0);
});
