// People of a live service: invited by a key of the service, logged in by the link, as a browser would.
import assert from 'node:assert/strict';
import type { Role } from '../../src/accounts/roles.ts';
import type { Service } from './service.ts';

export type LoggedIn = { readonly id: string; readonly cookie: string };

/** What a browser sends with a form of the page itself. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

export async function invite(
  service: Service,
  role: Role,
  accountId?: string,
): Promise<{ readonly id: string; readonly path: string }> {
  // The key of the service acts for acme, so a person of another account or of all is moved there.
  const made = await service.post('/people', { name: `A ${role}`, role, accountId: 'acme' });
  assert.equal(made.status, 201, made.text);
  const { id, link } = made.json;
  if (accountId !== 'acme') await service.sql('update people set account_id = $2 where id = $1', [id, accountId]);
  return { id, path: new URL(link.url).pathname };
}

export async function logIn(service: Service, role: Role, accountId?: string): Promise<LoggedIn> {
  const { id, path } = await invite(service, role, accountId);
  const entered = await fetch(service.url + path, { method: 'POST', headers: SAME_ORIGIN, redirect: 'manual' });
  assert.equal(entered.status, 303, await entered.text());
  return { id, cookie: cookieOf(entered) };
}

/** The cookie as a browser sends it back. */
export function cookieOf(answer: Response): string {
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  assert.match(pair, /^__Host-trilho=[\w-]{43}$/);
  return pair;
}
