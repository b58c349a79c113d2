// The service, or everything at once, killed at bad moments: acknowledged work is kept.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import {
  askDatabase,
  databasePid,
  diesAfterCommitOf,
  embeddedConnection,
  folderWithDatabase,
  isAlive,
  kill,
  startTrilho,
  type Trilho,
  until,
  untilIssued,
} from '../harness/process.ts';

const CLIENTS = 8;
const ENOUGH_CHARGES = 60;

/** Charges created by several clients at once until the service no longer answers. */
function makeCharges(service: Trilho): {
  acknowledged: Map<string, string>;
  unanswered: string[];
  done: Promise<void>;
} {
  const acknowledged = new Map<string, string>();
  const unanswered: string[] = [];
  const client = async (number: number) => {
    for (let count = 0; ; count++) {
      const externalId = `order-${number}-${count}`;
      const answer = await service.post('/charges', chargeBody({ externalId })).catch(() => undefined);
      if (!answer) return void unanswered.push(externalId);
      assert.equal(answer.status, 201, answer.text);
      acknowledged.set(externalId, answer.json.id);
    }
  };
  const done = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number))).then(() => {});
  return { acknowledged, unanswered, done };
}

// Mostly waiting, because another worker takes a job only after a missed heartbeat; so all run at once.
describe('crashes', { concurrency: 4 }, () => {
  for (const [what, isDatabaseKilled] of [
    ['the service alone', false],
    ['the service and its database', true],
  ] as const) {
    test(`after a kill of ${what} every acknowledged charge is there and is issued`, async t => {
      const folder = await folderWithDatabase(t);
      const service = await startTrilho({ folder });
      const { acknowledged, unanswered, done } = makeCharges(service);
      await until('some charges to be acknowledged', () => acknowledged.size >= ENOUGH_CHARGES);
      const database = databasePid(path.join(folder, 'data'))!;
      kill(service.pid, 'SIGKILL');
      if (isDatabaseKilled) kill(database, 'SIGKILL');
      await Promise.all([done, service.ended()]);
      if (isDatabaseKilled) await until('the database to be gone', () => !isAlive(database));
      else assert.ok(isAlive(database), 'the database outlives the service');

      const again = await startTrilho({ folder });
      if (!isDatabaseKilled) assert.equal(databasePid(path.join(folder, 'data')), database, 'it found the database');
      for (const id of acknowledged.values()) assert.equal((await again.get(`/charges/${id}`)).status, 200);
      // These may or may not have been made; a repeat settles it.
      for (const externalId of unanswered) await again.charge({ externalId });
      const [row] = await askDatabase<{ made: number }>(
        embeddedConnection(again.dataPlace),
        'select count(*)::int as made from charges',
      );
      assert.equal(row!.made, acknowledged.size + unanswered.length);
      for (const id of acknowledged.values()) await untilIssued(again, id);
    });
  }

  for (const [how, changes, headers] of [
    ['externalId', (n: number) => ({ externalId: `order-${n}` }), () => ({})],
    ['Idempotency-Key', () => ({}), (n: number) => ({ 'idempotency-key': `attempt-${n}` })],
  ] as const) {
    test(`after a crash between commit and answer a repeat with the same ${how} gets the committed charge`, async t => {
      const folder = await folderWithDatabase(t);
      const dying = await startTrilho({ folder, env: diesAfterCommitOf('insert into charges\\b') });
      const numbers = Array.from({ length: CLIENTS }, (_, number) => number);
      const ask = (service: Trilho, n: number) => service.post('/charges', chargeBody(changes(n)), headers(n));
      await Promise.all(numbers.map(n => assert.rejects(ask(dying, n))));
      assert.equal((await dying.ended()).signal, 'SIGKILL');

      const service = await startTrilho({ folder });
      const charges = () =>
        askDatabase<{ id: string }>(embeddedConnection(service.dataPlace), 'select id from charges');
      const made = await charges();
      assert.ok(made.length >= 1, 'the committed charge is there');
      const repeats = await Promise.all(numbers.map(n => ask(service, n)));
      for (const { status, text } of repeats) assert.equal(status, 201, text);
      const replayed = repeats.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
      const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();
      assert.deepEqual(idsOf(replayed.map(({ json }) => json)), idsOf(made));
      assert.deepEqual(idsOf(await charges()), idsOf(repeats.map(({ json }) => json)));
      for (const { json } of repeats) await untilIssued(service, json.id);
    });
  }
});
