// The scopes of API keys and of people's roles: `resource:read` or `resource:write`.

/** The scopes for the resources of an account. `all` stands for these. */
export const ACCOUNT_SCOPES = [
  'charges:read',
  'charges:write',
  'refunds:write',
  'customers:read',
  'customers:write',
  'subscriptions:read',
  'subscriptions:write',
  'transactions:read',
  'transactions:write',
  'wallets:read',
  'wallets:write',
  'quotes:read',
  'quotes:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'ledger:read',
  'settings:read',
  'settings:write',
] as const;

/**
 * The scopes of the operator: metrics, unmatched receipts, statements, recording payments, sending crypto again, approving
 * wallets, payouts of all accounts, the audit log, and accounts, keys and people. A key has these only when they are listed
 * explicitly.
 */
export const OPERATOR_SCOPES = [
  'payments:read',
  'payments:write',
  'transfers:write',
  'wallets:approve',
  'payouts:read',
  'payouts:write',
  'payouts:approve',
  'payouts:sweep',
  'statements:read',
  'statements:write',
  'accounts:read',
  'accounts:write',
  'keys:read',
  'keys:write',
  'people:read',
  'people:write',
  'audit:read',
  'metrics:read',
] as const;

export const SCOPES = [...ACCOUNT_SCOPES, ...OPERATOR_SCOPES] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes that only operations for all accounts need, so they do not apply to a caller of one account. */
export const SCOPES_OF_ALL_ACCOUNTS: readonly Scope[] = [
  'payments:read',
  'payouts:write',
  'payouts:sweep',
  'statements:read',
  'statements:write',
  'accounts:write',
  'audit:read',
  'metrics:read',
];

/** A person who uses one of these must have shown a passkey within minutes: their effects outlive a session. */
export const FRESH_SCOPES: readonly Scope[] = [
  'keys:write',
  'people:write',
  'accounts:write',
  'wallets:approve',
  'payouts:approve',
  'payouts:sweep',
  'settings:write',
];

/**
 * Reads `charges:read,charges:write` or `all`. Returns the scopes, in the order above, each once, and the unknown
 * names.
 */
export function readScopes(text: string): { scopes: Scope[]; unknown: string[] } {
  const names = text
    .split(',')
    .map(name => name.trim())
    .flatMap(name => (name === 'all' ? ACCOUNT_SCOPES : [name]));
  return {
    scopes: SCOPES.filter(scope => names.includes(scope)),
    unknown: names.filter(name => !(SCOPES as readonly string[]).includes(name)),
  };
}
