// Reminders that cannot be mailed for a fault of this service: its sender is refused, or a mail cannot be made. The operator sees both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { runCommand } from '../harness/commands.ts';
import { textOf, view } from '../harness/dashboard.ts';
import { type MailBench, startMailBench } from '../harness/reminders.ts';

let bench: MailBench;
before(async () => {
  bench = await startMailBench();
});
after(() => bench.stop());

const SENDER_REFUSALS = [
  { at: 'sender', status: 550, text: '5.7.60 not allowed to send as this sender' },
  // As servers do that judge the sender with the recipient.
  { at: 'recipient', status: 553, text: '5.1.8 the domain of the sender does not exist' },
] as const;

test('a sender that the server refuses is a fault of the settings: shown to the operator, and sent once it is mended', async () => {
  const { service, newAccount, day, moveTo, moveDays, newRule, newCharge, remindersOf, server, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  const charges = [await newCharge(accountId, 1), await newCharge(accountId, 1)];
  server.fail(...SENDER_REFUSALS);
  await moveTo(`${await day(1)}T09:00:30-03:00`);
  const found = (await Promise.all(charges.map(remindersOf))).flat().sort();
  assert.deepEqual(found, ['on WAITING sender_refused 550 5.7.60', 'on WAITING sender_refused 553 5.1.8']);
  const shown = /the mail server refuses the sender: 550 5\.7\.60 1 .* set TRILHO_MAIL_FROM to an address/;
  assert.match(textOf(await view(service, '')), /Reminders that the mail server does not take 2 /);
  assert.match(textOf(await view(service, '')), shown);
  assert.match(textOf(await view(service, '/health')), shown);
  const { said } = await runCommand(doctorCommand, { DATABASE_URL: service.databaseUrl }, []);
  assert.match(
    said,
    /^wrong {2}mail server: sender_refused 550 5\.7\.60: reminders that wait: 1; set TRILHO_MAIL_FROM/m,
  );
  await moveDays(1);
  assert.deepEqual((await Promise.all(charges.map(remindersOf))).flat(), ['on SENT', 'on SENT']);
  assert.equal(taken().length, 2);
  assert.doesNotMatch(textOf(await view(service, '')), /does not take/);
});

test('a mail that cannot be made has failed, is seen at its charge, and does not hold up others', async () => {
  const { service, newAccount, moveDays, newRule, newCharge, remindersOf, typesOf, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email', 'event'], when: 'on' });
  const [broken, whole] = [await newCharge(accountId, 1), await newCharge(accountId, 1)];
  await service.runJobs();
  // Longer than a QR code can be.
  await service.sql(
    `update charge_methods set instrument = jsonb_set(instrument, '{emv}', to_jsonb(repeat('a', 5000)))
      where charge_id = $1 and method = 'pix'`,
    [broken],
  );
  await moveDays(1);
  assert.deepEqual(await remindersOf(broken), ['on FAILED not_composed']);
  assert.deepEqual(await remindersOf(whole), ['on SENT']);
  assert.equal(taken().length, 1);
  assert.deepEqual((await typesOf(accountId)).sort(), [
    'reminder.due',
    'reminder.due',
    'reminder.failed',
    'reminder.sent',
  ]);
  assert.match(textOf(await view(service, `/charges/${broken}`)), /on the due day failed its mail could not be made/);
});
