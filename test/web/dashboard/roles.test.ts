// A walk through the dashboard in each role: no link leads to a refusal, and every act that ends something is confirmed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { chargeBody } from '../../harness/bodies.ts';
import { type LoggedIn, logIn, SAME_ORIGIN } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails });
  const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
  const { id } = (await service.post('/charges', chargeBody({ customer, methods: ['pix'] }))).json;
  await service.runJobs();
  const payment = { amountCents: 15_990, reference: 'E9999999920261116130000000000001' };
  assert.equal((await service.post(`/charges/${id}/payments`, payment)).status, 201);
  await service.post('/webhooks', { accountId: 'acme', url: 'https://example.com/hook' });
});
after(() => service.stop());

const ask = (person: LoggedIn, path: string) =>
  fetch(service.url + path, { headers: { cookie: person.cookie, accept: 'text/html' }, redirect: 'manual' });

/** More than the dashboard has; a walk that does not end fails. */
const MAX_PAGES = 300;

/** Follows every link from the first page on. Returns refusals; a request to verify a passkey again is not one. */
async function refusedTo(person: LoggedIn): Promise<string[]> {
  const seen = new Set(['/dashboard']);
  const refused: string[] = [];
  for (const path of seen) {
    assert.ok(seen.size < MAX_PAGES, `${seen.size} pages`);
    const answer = await ask(person, path);
    const isAsked = (answer.headers.get('location') ?? '').startsWith('/dashboard/confirm?');
    if (answer.status !== 200 && !isAsked) refused.push(`${path}: ${answer.status}`);
    const text = await answer.text();
    for (const [, href = ''] of text.matchAll(/ href="(\/dashboard[^"]*)"/g)) seen.add(href.replaceAll('&amp;', '&'));
  }
  assert.ok(seen.size > 20, `${seen.size} pages`);
  return refused;
}

for (const { role, accountId } of [
  { role: 'viewer', accountId: 'acme' },
  { role: 'operator', accountId: 'acme' },
  { role: 'owner', accountId: undefined },
] as const) {
  test(`no link leads ${role} of ${accountId ?? 'all accounts'} to a refusal`, async () => {
    service.clock.advanceMs(60_000);
    assert.deepEqual(await refusedTo(await logIn(service, role, accountId)), []);
  });
}

test('the page of a person confirms what will end, and labels each value on a phone', async () => {
  service.clock.advanceMs(60_000);
  const person = await logIn(service, 'viewer');
  const headers = { cookie: person.cookie, accept: 'text/html', ...SAME_ORIGIN };
  const codes = await fetch(`${service.url}/dashboard/me/recovery-codes`, { method: 'POST', headers });
  assert.match(await codes.text(), /Your recovery codes/);
  await service.sql(
    `insert into passkeys (id, person_id, public_key, sign_count, transports, created_at)
     values ('a-passkey', $1, '\\x00', 0, '{}', now())`,
    [person.id],
  );
  const page = await (await ask(person, '/dashboard/me')).text();
  assert.match(page, /10 left\. Each logs you in once when no passkey is at hand\. New ones replace them\./);
  assert.match(page, /data-head="Last used"/);
  assert.match(page, /<summary>Remove<\/summary>.*It can no longer be used to log in\./s);
  // It requires the passkey first, and returns to this page.
  const body = new URLSearchParams({ id: 'a-passkey' });
  const url = `${service.url}/dashboard/me/passkeys/remove`;
  service.clock.advanceMs(6 * 60_000);
  const removed = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
  assert.equal(removed.headers.get('location'), '/dashboard/confirm?next=%2Fdashboard%2Fme');
});
