// Moves of the sandbox's clock under load, and after a node died in the middle of one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { chargeBody } from '../harness/bodies.ts';
import { createDatabase } from '../harness/databases.ts';
import { kill, ownFolder, startTrilho, until } from '../harness/process.ts';

const MOVES = 5;
const CALLERS = 8;
const DAY_MS = 86_400_000;

test('the clock is moved while charges are created without a pause, some of them overdue at once', async t => {
  const folder = await ownFolder(t);
  const { url, drop } = await createDatabase();
  t.after(drop);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  const start = Date.parse((await service.get('/sandbox/clock')).json.now);
  const dueAt = new Date(start + DAY_MS).toISOString();
  let isOver = false;
  let created = 0;
  const call = async () => {
    while (!isOver) {
      const { status, text } = await service.post('/charges', chargeBody({ dueAt }));
      assert.equal(status, 201, text);
      created++;
    }
  };
  const callers = Array.from({ length: CALLERS }, call);
  await until('charges to be created', () => created > CALLERS);
  for (let move = 0; move < MOVES; move++) {
    const before = created;
    const moved = await service.post('/sandbox/clock', { advance: 'P1D' });
    assert.equal(moved.status, 200, moved.text);
    await until('charges to be created after the move', () => created > before);
  }
  isOver = true;
  await Promise.all(callers);
  assert.ok(Date.parse((await service.get('/sandbox/clock')).json.now) >= start + MOVES * DAY_MS);
});

test('concurrent moves run one after another: each moves the clock by its full amount', async t => {
  const folder = await ownFolder(t);
  const { url, drop } = await createDatabase();
  t.after(drop);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  const start = Date.parse((await service.get('/sandbox/clock')).json.now);
  const moves = Array.from({ length: MOVES }, () => service.post('/sandbox/clock', { advance: 'P1D' }));
  for (const { status, text } of await Promise.all(moves)) assert.equal(status, 200, text);
  assert.ok(Date.parse((await service.get('/sandbox/clock')).json.now) >= start + MOVES * DAY_MS);
});

test('after a node died in the middle of a move, the next one can move the clock', async t => {
  const { url, drop } = await createDatabase();
  t.after(drop);
  const env = { DATABASE_URL: url };
  const dying = await startTrilho({ folder: await ownFolder(t), env });
  const other = await startTrilho({ folder: await ownFolder(t), env });
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  // The move halts the clock and then cannot look for timers.
  await holder.query('begin; lock table charge_timers in access exclusive mode');
  const cut = assert.rejects(dying.post('/sandbox/clock', { advance: 'P1D' }));
  const isHalted = async () => (await holder.query('select from sandbox_clock where move_id is not null')).rowCount;
  await until('the clock to be halted', isHalted);
  kill(dying.pid, 'SIGKILL');
  await cut;
  await holder.end();
  const moved = await other.post('/sandbox/clock', { advance: 'P1D' });
  assert.equal(moved.status, 200, moved.text);
});
