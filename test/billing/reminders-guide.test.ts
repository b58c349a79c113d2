// The requests of docs/reminders.md, as they are written there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { beginAnew } from '../../src/billing/reminders/after-restore.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { silentLog } from '../harness/log.ts';
import { startReminderBench } from '../harness/reminders.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/reminders.md'), 'utf8');
const WRITTEN_ID = '01a1f3ed-3169-75de-ab3f-1fdcac638cd0';

/** Each `curl` of the page: its method, its path, and its body where it has one. */
function requestsIn(text: string) {
  const blocks = [...text.matchAll(/```sh\n(curl [\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks
    .flatMap(block => block.split(/\n(?=curl )/))
    .map(request => ({
      method: /-X (\w+)/.exec(request)?.[1] ?? (request.includes("-d '") ? 'POST' : 'GET'),
      path: /\$at(\/[^\s"]*)/.exec(request)?.[1] ?? '',
      body: /-d '([\s\S]*?)'/.exec(request)?.[1],
    }));
}

test('every request of the page does what the page says', async () => {
  const bench = await startReminderBench();
  try {
    const requests = requestsIn(page);
    assert.equal(requests.length, 8);
    const charge = await bench.newCharge('acme', 5);
    for (const { method, path: written, body } of requests) {
      const answer = await bench.send(method, written.replace(WRITTEN_ID, charge), body && JSON.parse(body));
      assert.ok([200, 201].includes(answer.status), `${method} ${written}: ${answer.text}`);
    }
    assert.equal((await bench.read('/reminders/rules?accountId=acme')).total, 4);
    assert.equal((await bench.read('/accounts/acme/reminder-settings')).sendAt, '10:00');
    await bench.moveDays(8);
    assert.deepEqual(await bench.remindersOf(charge), [
      'before 3 SKIPPED mail_off',
      'on SKIPPED mail_off',
      'after 2 SKIPPED mail_off',
    ]);
    assert.deepEqual(await bench.typesOf('acme'), ['reminder.due', 'reminder.due']);
  } finally {
    await bench.stop();
  }
});

test('after a restore nothing that may have been sent is sent again', async () => {
  const bench = await startReminderBench();
  const db = openDatabase({ connection: { connectionString: bench.service.databaseUrl }, log: silentLog });
  try {
    const { newRule, newCharge, moveTo, moveDays, day, remindersOf, send, pay } = bench;
    await newRule('acme', { when: 'on' });
    await newRule('acme', { when: 'paid' });
    await send('PATCH', '/accounts/acme/reminder-settings', { sendAt: '21:00' });
    const [waiting, missed, paid] = [
      await newCharge('acme', 1),
      await newCharge('acme', 2),
      await newCharge('acme', 9),
    ];
    await moveTo(`${await day(1)}T22:00:00-03:00`);
    assert.deepEqual(await remindersOf(waiting), ['on WAITING']);
    await pay(paid);
    const later = new Date(Date.parse(String((await bench.read('/sandbox/clock')).now)) + 3 * 86_400_000);
    await db.transaction(tx => beginAnew(tx, later));
    await moveDays(4);
    assert.deepEqual(await remindersOf(waiting), ['on SKIPPED restored']);
    assert.deepEqual(await remindersOf(missed), []);
    assert.deepEqual(await remindersOf(paid), []);
    const next = await newCharge('acme', 1);
    await moveDays(2);
    assert.deepEqual(await remindersOf(next), ['on ANNOUNCED']);
  } finally {
    await db.close();
    await bench.stop();
  }
});
