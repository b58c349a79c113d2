// People of a live service: invited as by the command line, logged in by the link, as a browser would, and with a passkey of their own.
import assert from 'node:assert/strict';
import type { Role } from '../../src/accounts/roles.ts';
import { addPasskey } from './passkeys.ts';
import type { Service } from './service.ts';

export type LoggedIn = { readonly id: string; readonly cookie: string };

/** What a browser sends with a form of our own page. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

export async function invite(
  service: Service,
  role: Role,
  accountId?: string,
): Promise<{ readonly id: string; readonly path: string; readonly origin: string }> {
  // The key of the service acts for acme, so a person of another account, or of all accounts, is moved there.
  const made = await service.post('/people', { name: `A ${role}`, role, accountId: 'acme' });
  assert.equal(made.status, 201, made.text);
  const { id, link } = made.json;
  // People invited by one key count as one approver; those invited on the command line count each.
  await service.sql(`update people set invited_by = 'operator', account_id = $2 where id = $1`, [id, accountId]);
  await service.sql(`update person_links set made_by = 'operator' where person_id = $1`, [id]);
  const { pathname: path, origin } = new URL(link.url);
  return { id, path, origin };
}

export async function logIn(service: Service, role: Role, accountId?: string): Promise<LoggedIn> {
  const { id, path, origin } = await invite(service, role, accountId);
  const cookie = await enter(service, path);
  await addPasskey(service, cookie, origin);
  return { id, cookie };
}

/** Logs in by a link, and returns the cookie. */
export async function enter(service: Service, path: string): Promise<string> {
  const entered = await fetch(service.url + path, { method: 'POST', headers: SAME_ORIGIN, redirect: 'manual' });
  assert.equal(entered.status, 303, await entered.text());
  return cookieOf(entered);
}

/** The cookie as a browser sends it back. */
export function cookieOf(answer: Response): string {
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  assert.match(pair, /^__Host-trilho=[\w-]{43}$/);
  return pair;
}
