// The page that ends reminders, behind the link of a mail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MailBench, startMailBench } from '../harness/reminders.ts';

let bench: MailBench;
before(async () => {
  bench = await startMailBench();
});
after(() => bench.stop());

test('the link in a mail ends the reminders of that account, and has them sent again', async () => {
  const { service, newAccount, moveDays, newRule, newCharge, remindersOf, taken } = bench;
  const [accountId, other] = [newAccount(), newAccount()];
  for (const account of [accountId, other]) await newRule(account, { channels: ['email'], when: 'on' });
  await newCharge(accountId, 1);
  await moveDays(1);
  const [mail] = taken();
  assert.ok(mail);
  const { unsubscribe } = mail.headers.get('list') as unknown as { unsubscribe: { url: string } };
  const path = new URL(unsubscribe.url).pathname;
  const pageAt = async (address: string, init: RequestInit = {}) => {
    const answer = await fetch(service.url + address, init);
    return { status: answer.status, text: await answer.text() };
  };
  const post = (body: string, headers: Record<string, string> = {}) =>
    pageAt(path, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const asked = await pageAt(`${path}?lang=en`);
  assert.match(asked.text, /Stop the reminders from account/);
  const seen = await newCharge(accountId, 1);
  await moveDays(1);
  assert.deepEqual(await remindersOf(seen), ['on SENT'], 'looking at the page changes nothing');
  taken();

  const ended = await post('List-Unsubscribe=One-Click', { 'accept-language': 'en' });
  assert.equal(ended.status, 200, ended.text);
  assert.match(ended.text, /You will get no more reminders from account/);
  const out = await newCharge(accountId, 1, {
    customer: { name: 'M', document: '529.982.247-25', email: 'MARIA@example.org' },
  });
  const elsewhere = await newCharge(other, 1);
  await moveDays(1);
  assert.deepEqual(await remindersOf(out), ['on SKIPPED opted_out']);
  assert.deepEqual(await remindersOf(elsewhere), ['on SENT'], 'another account is not concerned');
  taken();

  assert.match((await post('resume=yes')).text, /Parar os lembretes/);
  const again = await newCharge(accountId, 1);
  await moveDays(1);
  assert.deepEqual(await remindersOf(again), ['on SENT']);
  assert.equal((await pageAt(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status, 404);
  taken();
});
