// The roles of people: a role is a set of scopes of API keys.
import { SCOPES, type Scope } from './scopes.ts';

export const ROLES = ['viewer', 'support', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Read-only roles do not see people and keys. */
const HIDDEN_FROM_VIEWERS: readonly Scope[] = ['keys:read', 'people:read'];

const VIEWER = SCOPES.filter(scope => scope.endsWith(':read') && !HIDDEN_FROM_VIEWERS.includes(scope));
const SUPPORT: readonly Scope[] = [
  ...VIEWER,
  'charges:write',
  'refunds:write',
  'customers:write',
  'subscriptions:write',
  'quotes:write',
];
const OPERATOR: readonly Scope[] = [
  ...SUPPORT,
  'transactions:write',
  'wallets:write',
  'webhooks:write',
  'payments:write',
  'statements:write',
  'transfers:write',
  'payouts:write',
  'keys:read',
];

/** An owner may do everything, including what is added later. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: VIEWER,
  support: SUPPORT,
  operator: OPERATOR,
  owner: SCOPES,
};

/** Whether the holder of `scopes` may grant the wanted ones: only scopes that they have themselves. */
export function mayGrant(scopes: readonly Scope[], wanted: readonly Scope[]): boolean {
  return wanted.every(scope => scopes.includes(scope));
}
