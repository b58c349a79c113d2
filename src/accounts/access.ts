// Whether a caller may make a call, by the access rule of the call.
import { AppError } from '../lib/errors.ts';
import { type Caller, isOfOneAccount } from './caller.ts';
import type { Reach } from './reach.ts';
import type { Scope } from './scopes.ts';

/** A scope and how far its use reaches; `session`: any person who is logged in. */
export type Access = { readonly scope: Scope; readonly reach: Reach } | 'session' | 'public';

/** Operations, such as `GET /keys`, with their scopes. A page is named without a method: its rule also covers its form. */
type Lines = Readonly<Record<string, Scope>>;

export type AccessLines = {
  /** For one account: a caller acts for its own, and a caller of all accounts for any. */
  readonly ofOneAccount?: Lines;
  /** For all accounts at once, or no account: only for a caller of all accounts. */
  readonly ofAllAccounts?: Lines;
  /** For any logged-in person of any role, about themselves. */
  readonly ofAPerson?: readonly string[];
  readonly ofEveryone?: readonly string[];
};

/** Refuses a caller who may not do this. A sandbox has no callers, and allows everything. */
export function requireAccess(caller: Caller | undefined, access: Access): void {
  if (!caller || access === 'public') return;
  if (access === 'session') {
    if (!caller.session) throw new AppError('missing_scope', 'This page is for people, not for keys.');
    return;
  }
  if (isBeyond(caller, access)) {
    const who = caller.session ? 'you work' : 'this key works';
    throw new AppError('missing_scope', `This concerns all accounts, and ${who} for one.`);
  }
  requireScope(caller, access.scope);
}

/** Refuses a caller who lacks a scope that only some calls of an operation need. */
export function requireScope(caller: Caller | undefined, scope: Scope): void {
  if (!caller || caller.scopes.includes(scope)) return;
  throw new AppError('missing_scope', `This ${caller.session ? 'role' : 'key'} lacks the scope ${scope}.`);
}

/** Whether to show the caller a link to this, or a part of a page with the same data. */
export function isAllowed(caller: Caller | undefined, access: Access): boolean {
  if (!caller || typeof access !== 'object') return true;
  return caller.scopes.includes(access.scope) && !isBeyond(caller, access);
}

function isBeyond(caller: Caller, { reach }: { readonly reach: Reach }): boolean {
  return reach === 'all_accounts' && isOfOneAccount(caller);
}
