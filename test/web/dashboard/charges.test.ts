// The list of charges shows how each was paid, with the same labels as the page of the charge.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CHECKOUTS } from '../../harness/checkouts.ts';
import { textOf, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** The badges of a page, or of a part of one. */
const badgesIn = (page: string) =>
  [...page.matchAll(/<span class="badge[^>]*>[^<]*/g)].map(([text]) => textOf(text).trim());

const SAID: Readonly<Record<string, readonly string[]>> = {
  paid: ['paid'],
  'paid in part': ['partially paid'],
  'paid too much': ['paid', 'paid too much'],
  'paid twice': ['paid', 'paid twice'],
  'paid twice, once returned': ['paid', 'paid twice'],
  'paid late': ['paid', 'late'],
  open: ['active'],
};

for (const [name, text] of Object.entries(SAID)) {
  test(`a charge, ${name}: the list and its page show ${text.join(', ')}`, async () => {
    const id = await CHECKOUTS[name]!(service);
    const rows = (await view(service, '/charges')).split('<tr role="row">');
    const row = rows.find(text => text.includes(`/dashboard/charges/${id}`)) ?? '';
    assert.deepEqual(badgesIn(row), text);
    const [, state = ''] = /<p class="state">(.*?)<\/p>/s.exec(await view(service, `/charges/${id}`)) ?? [];
    assert.deepEqual(badgesIn(state), text);
  });
}
