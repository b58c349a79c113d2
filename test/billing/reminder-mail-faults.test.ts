// Reminders that the mail server refuses, loses or does not answer: sent later, given up, and never sent twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkMailServer } from '../../src/billing/reminders/smtp.ts';
import { type MailBench, startMailBench } from '../harness/reminders.ts';

let bench: MailBench;
before(async () => {
  bench = await startMailBench();
});
after(() => bench.stop());

test('what the server refuses for now is sent later, with one event for other channels', async () => {
  const { newAccount, moveDays, newRule, newCharge, remindersOf, attemptsOf, typesOf, server, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'on', channels: ['email', 'event'] });
  const charge = await newCharge(accountId, 1);
  server.fail({ at: 'recipient', status: 450 }, { at: 'content', status: 451 }, { at: 'cut_recipient' });
  const began = server.attempts();
  await moveDays(1);
  assert.deepEqual(await remindersOf(charge), ['on SENT']);
  assert.equal(server.attempts() - began, 4);
  assert.deepEqual(await attemptsOf(charge), [4]);
  assert.equal(taken().length, 1);
  assert.deepEqual(await typesOf(accountId), ['reminder.due', 'reminder.sent']);
});

test('what the server refuses for good has failed, with its code and without its text', async () => {
  const { service, newAccount, moveDays, newRule, newCharge, remindersOf, typesOf, server, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  const charge = await newCharge(accountId, 1);
  const large = await newCharge(accountId, 1);
  server.fail({ at: 'sender', status: 552, text: '5.3.4 too large' }, { at: 'recipient', status: 550 });
  await moveDays(1);
  const found = [...(await remindersOf(charge)), ...(await remindersOf(large))].sort();
  assert.deepEqual(found, ['on FAILED 550 5.1.1', 'on FAILED 552 5.3.4']);
  assert.deepEqual(await typesOf(accountId), ['reminder.failed', 'reminder.failed']);
  assert.deepEqual(taken(), []);
  const rows = await service.sql('select cause from reminders where charge_id = any($1)', [[charge, large]]);
  assert.doesNotMatch(JSON.stringify(rows), /example\.org/);
});

test('a mail whose acknowledgement is lost is not sent again', async () => {
  const { newAccount, moveDays, newRule, newCharge, remindersOf, typesOf, server, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  const charge = await newCharge(accountId, 1);
  server.fail({ at: 'cut_content' });
  await moveDays(1);
  const [reminder] = await remindersOf(charge);
  assert.match(reminder ?? '', /^on UNKNOWN \w+$/);
  assert.equal(taken().length, 1);
  assert.deepEqual(await typesOf(accountId), ['reminder.unknown']);
});

test('a server that stays away is given up after a day', async () => {
  const { newAccount, moveDays, newRule, newCharge, remindersOf, server, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  const charge = await newCharge(accountId, 1);
  server.fail(...Array.from({ length: 30 }, () => ({ at: 'recipient', status: 450 }) as const));
  await moveDays(3);
  const [reminder] = await remindersOf(charge);
  assert.match(reminder ?? '', /^on FAILED 450 5\.1\.1$/);
  server.clear();
  assert.deepEqual(taken(), []);
});

test('a charge that is paid while the server refuses is not mailed any more', async () => {
  const { service, newAccount, day, moveTo, moveDays, newRule, newCharge, remindersOf, server, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  await newRule(accountId, { channels: ['email'], when: 'paid' });
  const charge = await newCharge(accountId, 1);
  server.fail({ at: 'recipient', status: 450 }, { at: 'recipient', status: 450 });
  await moveTo(`${await day(1)}T09:00:30-03:00`);
  assert.deepEqual(await remindersOf(charge), ['on WAITING 450 5.1.1']);
  await service.post(`/sandbox/charges/${charge}/pay`, { method: 'pix' });
  server.clear();
  await moveDays(1);
  assert.deepEqual(await remindersOf(charge), ['on SKIPPED paid', 'paid SENT']);
  const [mail, ...others] = taken();
  assert.equal(others.length, 0);
  assert.match(mail?.subject ?? '', /^Pagamento recebido: R\$\s159,90$/);
  assert.doesNotMatch(mail?.text ?? '', /br\.gov\.bcb\.pix/, 'a paid charge has no code');
});

test('the doctor logs in at the mail server', async () => {
  const { server } = bench;
  const { TRILHO_SMTP_PORT, TRILHO_SMTP_PASSWORD: password, TRILHO_SMTP_USER: user } = server.env;
  const at = {
    host: '127.0.0.1',
    port: Number(TRILHO_SMTP_PORT),
    tls: 'off',
    from: { address: 'a@example.com' },
  } as const;
  assert.deepEqual(await checkMailServer({ ...at, login: { user: user!, password: password! } }), { kind: 'sent' });
  const wrong = await checkMailServer({ ...at, login: { user: user!, password: 'another' } });
  assert.deepEqual(wrong, { kind: 'postponed', code: 'login_refused 535' });
  const plain = await checkMailServer({ ...at, tls: 'starttls' });
  assert.equal(plain.kind, 'postponed', 'a password never goes over a connection that should be encrypted and is not');
});
