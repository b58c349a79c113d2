// The access table: the rules of every noun, and of routes outside the nouns. It decides about each call, the scopes in the OpenAPI
// document and the menu of the dashboard.
import assert from 'node:assert/strict';
import { type Access, type AccessLines, isAllowed } from '../accounts/access.ts';
import type { Caller } from '../accounts/caller.ts';
import { isOfAllAccountsAlone } from '../accounts/reach.ts';
import { NOUNS } from '../nouns.ts';

/** Of no noun: what shows all of them, and the service itself. */
const FACES: AccessLines = {
  ofOneAccount: {
    '/dashboard': 'charges:read',
    '/dashboard/search': 'charges:read',
    '/dashboard/stream': 'events:read',
  },
  ofAllAccounts: {
    'GET /metrics': 'metrics:read',

    '/dashboard/health': 'metrics:read',
  },
  ofEveryone: [
    'GET /',
    'GET /assets/:file',
    'GET /docs',
    'GET /docs/',
    'GET /docs/js/scalar.js',
    'GET /favicon.ico',
    'GET /livez',
    'GET /openapi.json',
    'GET /problems',
    'GET /problems/:code',
    'GET /readyz',

    '/dashboard/*',
  ],
};

const TABLE: readonly AccessLines[] = [...NOUNS.flatMap(({ access = [] }) => access), FACES];

export const ACCESS: ReadonlyMap<string, Access> = collect(TABLE);

/** Undefined without a rule. HEAD has the rule of its GET. */
export function findAccess(method: string, url: string): Access | undefined {
  return ACCESS.get(`${method === 'HEAD' ? 'GET' : method} ${url}`) ?? ACCESS.get(url);
}

/** Whether to show the caller a link to this, or a part of a page with the same data. `name`: as in the table. */
export function mayUse(caller: Caller | undefined, name: string): boolean {
  const access = ACCESS.get(name);
  assert(access, `${name} has an access rule`);
  return isAllowed(caller, access);
}

function collect(table: readonly AccessLines[]): Map<string, Access> {
  const all = table.flatMap(({ ofOneAccount = {}, ofAllAccounts = {}, ofAPerson = [], ofEveryone = [] }) => [
    ...Object.entries(ofOneAccount).map(([name, scope]) => [name, { scope, reach: 'account' }] as const),
    ...Object.entries(ofAllAccounts).map(([name, scope]) => [name, { scope, reach: 'all_accounts' }] as const),
    ...ofAPerson.map(name => [name, 'session'] as const),
    ...ofEveryone.map(name => [name, 'public'] as const),
  ]);
  const access = new Map<string, Access>();
  for (const [name, line] of all) {
    assert(!access.has(name), `${name} has one access rule`);
    const isRefused = typeof line === 'object' && line.reach === 'account' && isOfAllAccountsAlone(line.scope);
    assert(!isRefused, `${name} is for one account, so its scope must apply there`);
    access.set(name, line);
  }
  return access;
}
