// How far a caller reaches: one account, or all of them.
import { OPERATOR_SCOPES, SCOPES_OF_ALL_ACCOUNTS, type Scope } from './scopes.ts';

export const REACHES = ['account', 'all_accounts'] as const;
export type Reach = (typeof REACHES)[number];

/** The scopes that count at a reach: at that of one account, those that something about one account asks for. */
export function scopesWithin(reach: Reach, scopes: readonly Scope[]): readonly Scope[] {
  return reach === 'all_accounts' ? scopes : scopes.filter(scope => !isOfAllAccountsAlone(scope));
}

/** Whether nothing about one account asks for the scope. */
export function isOfAllAccountsAlone(scope: Scope): boolean {
  return SCOPES_OF_ALL_ACCOUNTS.includes(scope);
}

/** How far scopes reach at most: those of an account never beyond it. */
export function reachOf(scopes: readonly Scope[]): Reach {
  return scopes.some(scope => (OPERATOR_SCOPES as readonly Scope[]).includes(scope)) ? 'all_accounts' : 'account';
}
