// The pages of reminders: the list, its file, rules, hours, texts with their preview, and the reminders at a charge.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type ReminderBench, startReminderBench } from '../../harness/reminders.ts';

let bench: ReminderBench;
before(async () => {
  bench = await startReminderBench();
});
after(() => bench.stop());

const pageOf = async (path: string) => textOf(await view(bench.service, path));

test('a rule is made, changed and removed by forms, and a fault names its field', async () => {
  const { service, newAccount, read } = bench;
  const accountId = newAccount();
  assert.match(await pageOf('/reminders/rules'), /payers are not reminded/);
  assert.match(await pageOf('/reminders/rules'), /No mail server is set/);
  const wrong = await submit(service, '/reminders/rules/new', { accountId, when: 'before', event: 'true' });
  assert.equal(wrong.status, 400);
  assert.match(textOf(await wrong.text()), /Days is required/);
  const made = await submit(service, '/reminders/rules/new', {
    ...{ accountId, when: 'before', days: '3', email: 'true', event: 'true', locale: 'en' },
  });
  assert.equal(made.status, 303, await made.text());
  assert.match(await pageOf('/reminders/rules'), /3 days before the due day email, event English on/);
  const { rules } = await read(`/reminders/rules?accountId=${encodeURIComponent(accountId)}`);
  const at = `/reminders/rules/${rules[0].id}`;
  assert.equal((await submit(service, `${at}/change`, { event: 'true', locale: '' })).status, 303);
  const changed = await read(at);
  assert.deepEqual([changed.channels, changed.locale, changed.enabled], [['event'], undefined, false]);
  assert.equal((await submit(service, `${at}/remove`)).status, 303);
  assert.equal((await service.get(at)).status, 404);
});

test('what was sent and what was not is listed, in a file, and at the charge', async () => {
  const { service, newAccount, newRule, newCharge, moveDays } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'on', channels: ['email'] });
  const id = await newCharge(accountId, 1);
  assert.doesNotMatch(await pageOf(`/charges/${id}`), /Reminders When/, 'there is none yet');
  await moveDays(1);
  assert.match(await pageOf(`/charges/${id}`), /on the due day skipped no mail server email/);
  assert.match(await pageOf(`/reminders?chargeId=${id}`), /on the due day skipped no mail server/);
  assert.match(await pageOf(`/reminders?chargeId=${id}&status=SENT`), /No reminder fits/);
  const file = await (await fetch(`${service.url}/dashboard/reminders.csv?chargeId=${id}`)).text();
  assert.match(file, new RegExp(`,${accountId},${id},on,,\\d{4}-\\d{2}-\\d{2},email,SKIPPED,mail_off,0,`));
});

test('hours and texts of an account are changed by forms, and the preview shows the mail', async () => {
  const { service, newAccount, newRule, read } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'on' });
  const at = `/accounts/${encodeURIComponent(accountId)}`;
  assert.match(await pageOf(`${at}/reminders?when=on`), /Vence hoje: R\$\s159,90 .*Linha digitável do boleto/);
  assert.match(await pageOf(`${at}/reminders?when=paid&locale=en`), /Payment received: R\$\s159\.90/);
  const hours = await submit(service, `${at}/reminders/hours`, { sendAt: '10:30', from: '', until: '' });
  assert.equal(hours.status, 303, await hours.text());
  assert.match(await pageOf(`${at}/reminders`), /10:30 in São Paulo .*Quiet hours none/);
  const text = await submit(service, `${at}/reminders/text?when=on&locale=en`, {
    ...{ subject: '{seller} <b>today</b>', intro: 'It is {amount}.' },
  });
  assert.equal(text.status, 303, await text.text());
  const page = await view(service, `${at}/reminders?when=on&locale=en`);
  assert.ok(page.includes(`<h2>${accountId} &lt;b&gt;today&lt;/b&gt;</h2>`));
  assert.match(textOf(page), /It is R\$\s159\.90\./);
  const { texts } = await read(`${at}/reminder-settings`);
  assert.deepEqual(texts, { en: { on: { subject: '{seller} <b>today</b>', intro: 'It is {amount}.' } } });
  const back = await submit(service, `${at}/reminders/text?when=on&locale=en`, { subject: '', intro: '' });
  assert.equal(back.status, 303, await back.text());
  assert.match(await pageOf(`${at}/reminders?when=on&locale=en`), /Due today: R\$\s159\.90/);
});
