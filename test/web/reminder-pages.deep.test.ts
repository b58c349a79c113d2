// The page that ends reminders and the pages of the dashboard about them, in a real browser: no axe faults, no sideways scroll.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { axeFaults, browserTest, openPage, PHONE, sidewaysScroll } from '../harness/browser.ts';
import { type MailBench, startMailBench } from '../harness/reminders.ts';

let bench: MailBench;
before(async () => {
  bench = await startMailBench();
});
after(() => bench.stop());

browserTest('the pages of reminders are accessible, in light and dark, and the link of a mail ends them', async () => {
  const { service, newRule, newCharge, moveDays, taken, read } = bench;
  await newRule('acme', { when: 'on', channels: ['email'] });
  const charge = await newCharge('acme', 1);
  await moveDays(1);
  const [mail] = taken();
  assert.ok(mail);
  const { unsubscribe } = mail.headers.get('list') as unknown as { unsubscribe: { url: string } };
  const optOut = new URL(unsubscribe.url).pathname;
  const { rules } = await read('/reminders/rules?accountId=acme');
  const paths = [
    ...[
      optOut,
      `${optOut}?lang=en`,
      `/dashboard/charges/${charge}`,
      '/dashboard/reminders',
      '/dashboard/reminders/rules',
    ],
    ...['/dashboard/reminders/rules/new', `/dashboard/reminders/rules/${rules[0].id}/change`],
    ...['/dashboard/accounts/acme/reminders', '/dashboard/accounts/acme/reminders?when=paid&locale=en'],
    ...['/dashboard/accounts/acme/reminders/hours', '/dashboard/accounts/acme/reminders/text?when=on&locale=en'],
  ];
  const { page, close } = await openPage({ ...PHONE, locale: 'pt-BR' });
  try {
    const wrong: string[] = [];
    for (const path of paths) {
      await page.goto(service.url + path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const fault of await axeFaults(page)) wrong.push(`${path} in ${colorScheme}: ${fault}`);
      }
      const beyond = await sidewaysScroll(page);
      if (beyond > 0) wrong.push(`${path}: ${beyond} px too wide`);
    }
    assert.deepEqual(wrong, []);

    await page.goto('about:blank');
    await page.setContent(String(mail.html));
    assert.equal(await sidewaysScroll(page), 0, 'the mail fits a phone');
    await page.emulateMedia({ colorScheme: 'light' });
    assert.deepEqual(await axeFaults(page, { only: 'colours' }), []);

    await page.goto(service.url + optOut);
    await page.getByRole('button', { name: 'Parar os lembretes' }).click();
    await page.getByRole('heading', { name: 'Você não recebe mais lembretes de acme' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
  } finally {
    await close();
  }
});
