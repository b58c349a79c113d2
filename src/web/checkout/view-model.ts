// What the page of a checkout is made from.
import type { AccountSettings } from '../../accounts/settings.ts';
import type { Charge } from '../../charges/charge.ts';
import type { Order } from '../../orders/order.ts';
import type { Payout } from '../../payouts/payout.ts';
import { type Formats, formatsOf, type Language } from '../language.ts';
import { type Facts, receiverIn } from './facts.ts';
import { CHECKOUT_WORDS, type CheckoutWords } from './words.ts';

/** What is shown of an order: the order, its transfer, and how deep that must be. */
export type Bought = { readonly order: Order; readonly payout?: Payout; readonly confirmationsNeeded?: number };

export type View = {
  readonly charge: Charge;
  readonly facts: Facts;
  readonly settings: AccountSettings;
  readonly bought?: Bought;
  readonly token: string;
  readonly language: Language;
  readonly words: CheckoutWords;
  readonly formats: Formats;
  readonly isSandbox: boolean;
  readonly now: Date;
};

/** Who receives the money where the account has not said it: the invented company of a sandbox, or nobody named. */
const SANDBOX_NAME = 'Trilho Sandbox';

export function viewOf(parts: Omit<View, 'words' | 'formats'>): View {
  return { ...parts, words: CHECKOUT_WORDS[parts.language], formats: formatsOf(parts.language) };
}

/** The name above the page. */
export function sellerOf({ settings, facts, isSandbox }: Pick<View, 'settings' | 'facts' | 'isSandbox'>): string {
  const named = settings.displayName ?? (facts.pix && receiverIn(facts.pix.instrument.emv));
  return named ?? (isSandbox ? SANDBOX_NAME : '');
}
