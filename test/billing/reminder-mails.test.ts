// Mails of reminders, read by an independent parser: what they say, and to whom.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pngPicture, readQr } from '../harness/pictures.ts';
import { EMAIL, type MailBench, startMailBench } from '../harness/reminders.ts';
import { planBody } from '../harness/subscriptions.ts';

let bench: MailBench;
before(async () => {
  bench = await startMailBench();
});
after(() => bench.stop());

test('a mail has amount, due day, link, both codes and the boleto, as text and as HTML', async () => {
  const { newAccount, read, day, moveDays, newRule, newCharge, remindersOf, typesOf, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'before', days: 1 });
  const charge = await newCharge(accountId, 3, { description: 'Bolo & café' });
  await moveDays(2);
  assert.deepEqual(await remindersOf(charge), ['before 1 SENT']);
  assert.deepEqual(await typesOf(accountId), ['reminder.sent']);
  const [mail, ...others] = taken();
  assert.ok(mail && others.length === 0);
  const shown = await read(`/charges/${charge}`);
  const dueDay = (await day(1)).split('-').reverse().join('/');
  assert.equal(mail.subject?.replaceAll('\u00a0', ' '), `Lembrete: R$ 159,90 vence em ${dueDay}`);
  assert.deepEqual([mail.to].flat()[0]?.text, EMAIL);
  assert.equal(mail.from?.text, `"${accountId}" <bills@example.com>`);
  const html = typeof mail.html === 'string' ? mail.html : '';
  for (const content of [mail.text ?? '', html.replaceAll('&amp;', '&')]) {
    for (const part of [dueDay, 'Bolo & café', shown.checkoutUrl, shown.pix.emv]) {
      assert.ok(content.includes(part), `${part} is in ${content}`);
    }
    assert.ok(content.includes(shown.boleto.digitableLine), content);
    assert.match(content.replaceAll('\u00a0', ' '), /R\$ 159,90/);
  }
  assert.match(html, /Olá, Maria &lt;da Silva&gt;,/, 'a name is no markup');
  assert.match(html, /<html lang="pt-BR">/);
  const [picture, pdf] = mail.attachments;
  assert.equal(readQr(pngPicture(picture!.content)), shown.pix.emv);
  assert.deepEqual(
    [picture?.contentType, picture?.contentDisposition, picture?.related],
    ['image/png', 'inline', true],
  );
  assert.match(html, /<img src="data:image\/png;base64,[^"]+" width="224" height="224" alt="QR Code do Pix">/);
  assert.doesNotMatch(html, /src="(?!data:)/, 'nothing is loaded from elsewhere');
  assert.equal(pdf?.contentType, 'application/pdf');
  assert.equal(pdf.content.subarray(0, 5).toString(), '%PDF-');
  assert.match(mail.messageId ?? '', /^<[0-9a-f-]{36}@example\.com>$/);
  const list = mail.headers.get('list') as unknown as {
    unsubscribe: { url: string };
    'unsubscribe-post': { name: string };
  };
  assert.match(list.unsubscribe.url, /\/reminders\/opt-out\/[\w-]{43}$/);
  assert.equal(list['unsubscribe-post'].name, 'List-Unsubscribe=One-Click');
  assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
});

test('a customer is written to in their language, at their address of now, in the words of the account', async () => {
  const { service, newAccount, made, day, moveDays, newRule, remindersOf, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  const path = `/accounts/${encodeURIComponent(accountId)}`;
  const patch = (to: string, body: object) =>
    service.send(to, {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const texts = { en: { on: { subject: '{seller}: {amount} today', intro: 'Bread <b>on</b>\n{day}' } } };
  assert.equal((await patch(`${path}/reminder-settings`, { texts })).status, 200);
  const look = { displayName: 'Padaria Central', supportUrl: 'mailto:ajuda@padaria.example?subject=Cobran%C3%A7a' };
  assert.equal((await patch(`${path}/settings`, look)).status, 200);
  const customer = await made('/customers', {
    accountId,
    ...{ name: 'Ana', document: '11144477735', email: 'old@example.org', locale: 'en' },
  });
  const { id: charge } = await made('/charges', {
    ...{ accountId, amountCents: 5_000, currency: 'BRL', methods: ['pix'], customerId: customer.id },
    dueAt: `${await day(1)}T23:59:59-03:00`,
  });
  assert.equal((await patch(`/customers/${customer.id}`, { email: 'new@example.org' })).status, 200);
  await moveDays(1);
  assert.deepEqual(await remindersOf(charge), ['on SENT']);
  const [mail] = taken();
  assert.equal([mail?.to].flat()[0]?.text, 'new@example.org');
  assert.equal(mail?.subject?.replaceAll('\u00a0', ' '), 'Padaria Central: R$ 50.00 today');
  assert.equal(mail?.from?.value[0]?.name, 'Padaria Central');
  assert.equal(mail?.replyTo?.text, 'ajuda@padaria.example');
  assert.match(String(mail?.html), /Bread &lt;b&gt;on&lt;\/b&gt;<br>\d/);
  assert.deepEqual(
    mail?.attachments.map(({ contentType }) => contentType),
    ['image/png'],
    'there is no boleto',
  );
});

test('a cycle that no mandate collects is announced as one to pay, not as one that the bank did not pay', async () => {
  const { newAccount, made, moveDays, newRule, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'failed' });
  const customer = { accountId, name: 'Maria da Silva', document: '52998224725', email: EMAIL };
  const { id: customerId } = await made('/customers', customer);
  const { id: planId } = await made('/plans', planBody({ accountId, day: undefined, automatic: true }));
  await made('/subscriptions', { accountId, planId, customerId });
  await moveDays(1);
  const [mail, ...others] = taken();
  assert.equal(others.length, 0);
  assert.match(mail?.subject ?? '', /^Cobrança de R\$\s\d+,\d\d sem Pix Automático$/);
  assert.match(mail?.text ?? '', /não será paga por Pix Automático\. Pague por aqui\.[\s\S]*br\.gov\.bcb\.pix/);
});

test('without an address nothing is mailed, and neither to an erased customer', async () => {
  const { service, newAccount, made, day, moveDays, newRule, newCharge, remindersOf, taken } = bench;
  const accountId = newAccount();
  await newRule(accountId, { channels: ['email'], when: 'on' });
  const without = await newCharge(accountId, 2, { customer: { name: 'Maria', document: '529.982.247-25' } });
  const customer = await made('/customers', { accountId, name: 'Ana', document: '11144477735', email: EMAIL });
  const { id: erased } = await made('/charges', {
    ...{ accountId, amountCents: 5_000, currency: 'BRL', methods: ['pix'], customerId: customer.id },
    dueAt: `${await day(2)}T23:59:59-03:00`,
  });
  await service.post(`/customers/${customer.id}/erase`, {});
  await moveDays(3);
  assert.deepEqual(await remindersOf(without), ['on SKIPPED no_address']);
  assert.deepEqual(await remindersOf(erased), ['on SKIPPED no_address']);
  assert.deepEqual(taken(), []);
});
