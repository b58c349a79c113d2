// What a key may be allowed to do, one word for each kind of thing and what is done with it.

/** What an account does with its own things. `all` stands for these. */
export const ACCOUNT_SCOPES = [
  'charges:read',
  'charges:write',
  'refunds:write',
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
] as const;

/**
 * What belongs to whoever runs the service: its figures, money that is nobody's yet, saying that money came, and
 * sending crypto again. A key has these only when they are named.
 */
export const OPERATOR_SCOPES = ['payments:read', 'payments:write', 'transfers:write', 'metrics:read'] as const;

export const SCOPES = [...ACCOUNT_SCOPES, ...OPERATOR_SCOPES] as const;
export type Scope = (typeof SCOPES)[number];

/** Reads `charges:read,charges:write` or `all`, in the order above, each once. Returns the words that are no scope beside. */
export function readScopes(text: string): { scopes: Scope[]; unknown: string[] } {
  const words = text
    .split(',')
    .map(word => word.trim())
    .flatMap(word => (word === 'all' ? ACCOUNT_SCOPES : [word]));
  return {
    scopes: SCOPES.filter(scope => words.includes(scope)),
    unknown: words.filter(word => !(SCOPES as readonly string[]).includes(word)),
  };
}
