// Log lines reach standard error one by one, until the process exits.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import pg from 'pg';
import { postAtOnce } from '../harness/at-once.ts';
import { chargeBody } from '../harness/bodies.ts';
import { createDatabase } from '../harness/databases.ts';
import { kill, launch, ownFolder, PROJECT, startTrilho, until } from '../harness/process.ts';

const REQUESTS = 120;
/** Every write there fails for lack of space. */
const FULL = '/dev/full';
/** The service with a fault that a signal triggers. */
const FAULT = `process.on('SIGUSR2', () => { throw new Error('a fault'); })`;
const withFault = `--import=data:text/javascript,${encodeURIComponent(FAULT)}`;

test('concurrent requests have a line each, and an uncaught exception has the last line', async t => {
  const folder = await ownFolder(t);
  const { url, drop } = await createDatabase();
  t.after(drop);
  const env = { DATABASE_URL: url, NODE_OPTIONS: withFault };
  const service = await startTrilho({ folder, env });
  const bodies = Array.from({ length: REQUESTS }, () => ({ body: chargeBody() }));
  const answers = await postAtOnce(service.url, '/charges', bodies);
  // A line is written after its answer: the service has come round its event loop once it answers again.
  await fetch(`${service.url}/livez`);
  const { code, stderr } = await service.end('SIGUSR2');

  assert.equal(code, 1, stderr);
  const lines = stderr.trimEnd().split('\n');
  const said = lines.map(line => JSON.parse(line));
  const requests = said.filter(({ msg, route }) => msg === 'request' && route === '/charges');
  // Refusals of a busy service share lines.
  const written = requests.filter(({ status }) => status === 201);
  const charged = answers.filter(({ status }) => status === 201);
  assert.ok(charged.length > 0, `${answers[0]?.status}: ${stderr}`);
  assert.deepEqual(
    written.map(({ requestId }) => requestId).sort(),
    charged.map(({ headers }) => headers.get('x-request-id')).sort(),
  );
  const last = said.at(-1);
  assert.equal(last.level, 'fatal');
  assert.equal(last.msg, 'uncaught exception; exiting');
});

test('a log that cannot be written does not stop the service', { skip: !existsSync(FULL) && `no ${FULL}` }, async t => {
  const folder = await ownFolder(t);
  const { url, drop } = await createDatabase();
  t.after(drop);
  const serve = `exec '${process.execPath}' '${PROJECT}/bin/trilho.js' serve 2>${FULL}`;
  const service = await startTrilho({ folder, env: { DATABASE_URL: url }, command: ['sh', '-c', serve] });
  for (let times = 0; times < 3; times++) await service.charge();
  assert.equal((await service.end()).code, 0);
});

test('an uncaught exception exits, although its line cannot be written', {
  skip: !existsSync(FULL) && `no ${FULL}`,
}, async t => {
  const folder = await ownFolder(t);
  const { url, drop } = await createDatabase();
  t.after(drop);
  const env = { DATABASE_URL: url, NODE_OPTIONS: withFault };
  const serve = `exec '${process.execPath}' '${PROJECT}/bin/trilho.js' serve 2>${FULL}`;
  const service = await startTrilho({ folder, env, command: ['sh', '-c', serve] });
  assert.equal((await service.end('SIGUSR2')).code, 1);
});

test('the log says that the service listens, stops and has stopped, and what a slow start waits for', async t => {
  const folder = await ownFolder(t);
  const { url, drop } = await createDatabase();
  t.after(drop);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table schema_migrations in access exclusive mode');
  const starting = launch({ folder, env: { DATABASE_URL: url } });
  const isSaid = () => /still starting: bringing the schema up to date/.test(starting.stderr());
  await until('the log to say what the start waits for', isSaid);
  await holder.end();
  await until('the service to listen', () => /listening on http:/.test(starting.stderr()));
  kill(starting.pid, 'SIGTERM');
  const { code, stderr } = await starting.ended();
  assert.equal(code, 0);
  const said = stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).msg);
  assert.deepEqual(said.slice(-2), ['stopping', 'stopped']);
});
