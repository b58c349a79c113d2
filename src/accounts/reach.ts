// The reach of a caller: one account, or all of them.
import { OPERATOR_SCOPES, SCOPES_OF_ALL_ACCOUNTS, type Scope } from './scopes.ts';

export const REACHES = ['account', 'all_accounts'] as const;
export type Reach = (typeof REACHES)[number];

/** The scopes that apply at a reach: for one account, those that an operation for one account needs. */
export function scopesWithin(reach: Reach, scopes: readonly Scope[]): readonly Scope[] {
  return reach === 'all_accounts' ? scopes : scopes.filter(scope => !isOfAllAccountsAlone(scope));
}

/** Whether no operation for one account needs the scope. */
export function isOfAllAccountsAlone(scope: Scope): boolean {
  return SCOPES_OF_ALL_ACCOUNTS.includes(scope);
}

/** The widest reach of scopes: those of an account never reach beyond it. */
export function reachOf(scopes: readonly Scope[]): Reach {
  return scopes.some(scope => (OPERATOR_SCOPES as readonly Scope[]).includes(scope)) ? 'all_accounts' : 'account';
}
