// How far a caller reaches: one account, or all of them.
import { OF_ONE_ACCOUNT } from './access-table.ts';
import { OPERATOR_SCOPES, type Scope } from './scopes.ts';

export const REACHES = ['account', 'all_accounts'] as const;
export type Reach = (typeof REACHES)[number];

const SCOPES_OF_ONE_ACCOUNT: ReadonlySet<Scope> = new Set(Object.values(OF_ONE_ACCOUNT));

/** The scopes that count at a reach: at that of one account, those that something about one account asks for. */
export function scopesWithin(reach: Reach, scopes: readonly Scope[]): readonly Scope[] {
  return reach === 'all_accounts' ? scopes : scopes.filter(scope => SCOPES_OF_ONE_ACCOUNT.has(scope));
}

/** How far scopes reach at most: those of an account never beyond it. */
export function reachOf(scopes: readonly Scope[]): Reach {
  return scopes.some(scope => (OPERATOR_SCOPES as readonly Scope[]).includes(scope)) ? 'all_accounts' : 'account';
}
