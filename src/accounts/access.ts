// Whether the caller may make a call, by the table of access.
import { AppError } from '../lib/errors.ts';
import { OF_A_PERSON, OF_ALL_ACCOUNTS, OF_ONE_ACCOUNT, PUBLIC } from './access-table.ts';
import { type Caller, isOfOneAccount } from './caller.ts';
import type { Reach } from './reach.ts';
import type { Scope } from './scopes.ts';

/** A scope and how far its use reaches; `session`: any person who is logged in. */
export type Access = { readonly scope: Scope; readonly reach: Reach } | 'session' | 'public';

/** What asks for a scope, by its name in the table. */
export type Guarded = keyof typeof OF_ONE_ACCOUNT | keyof typeof OF_ALL_ACCOUNTS;

const ACCESS: ReadonlyMap<string, Access> = new Map<string, Access>([
  ...Object.entries(OF_ONE_ACCOUNT).map(([name, scope]) => [name, { scope, reach: 'account' }] as const),
  ...Object.entries(OF_ALL_ACCOUNTS).map(([name, scope]) => [name, { scope, reach: 'all_accounts' }] as const),
  ...OF_A_PERSON.map(name => [name, 'session'] as const),
  ...PUBLIC.map(name => [name, 'public'] as const),
]);

/** Undefined where the table has no line. HEAD is as the GET that it is about. */
export function findAccess(method: string, url: string): Access | undefined {
  return ACCESS.get(`${method === 'HEAD' ? 'GET' : method} ${url}`) ?? ACCESS.get(url);
}

/** Refuses a caller who may not do this. A sandbox has no callers, and allows everything. */
export function requireAccess(caller: Caller | undefined, access: Access): void {
  if (!caller || access === 'public') return;
  if (access === 'session') {
    if (!caller.session) throw new AppError('missing_scope', 'This page is for people, not for keys.');
    return;
  }
  if (isBeyond(caller, access)) {
    const who = caller.session ? 'you work' : 'this key works';
    throw new AppError('missing_scope', `This is of all accounts, and ${who} for one.`);
  }
  requireScope(caller, access.scope);
}

/** Refuses a caller who lacks a scope that only some calls of an operation need. */
export function requireScope(caller: Caller | undefined, scope: Scope): void {
  if (!caller || caller.scopes.includes(scope)) return;
  throw new AppError('missing_scope', `This ${caller.session ? 'role' : 'key'} lacks the scope ${scope}.`);
}

/** Whether a link to this, or a part of a page that shows the same, is for the caller. */
export function mayUse(caller: Caller | undefined, name: Guarded): boolean {
  const access = ACCESS.get(name);
  if (!caller || typeof access !== 'object') return true;
  return caller.scopes.includes(access.scope) && !isBeyond(caller, access);
}

function isBeyond(caller: Caller, { reach }: { readonly reach: Reach }): boolean {
  return reach === 'all_accounts' && isOfOneAccount(caller);
}
