// The data of a checkout page.
import type { AccountSettings } from '../../accounts/settings.ts';
import type { Charge } from '../../charges/charge.ts';
import type { Order } from '../../orders/order.ts';
import type { Payout } from '../../payouts/payout.ts';
import { receiverIn } from '../../rails/br-code.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { SlipIssuer } from '../../rails/rail.ts';
import { type Formats, formatsOf, type Language } from '../language.ts';
import { type Facts, pixCodeOf } from './facts.ts';
import type { Frame } from './frame.ts';
import { CHECKOUT_TEXTS, type CheckoutTexts } from './texts.ts';

/** The order, its transfer, and the confirmations that the transfer needs. */
export type Bought = { readonly order: Order; readonly payout?: Payout; readonly confirmationsNeeded?: number };

export type View = {
  readonly charge: Charge;
  readonly facts: Facts;
  readonly settings: AccountSettings;
  readonly bought?: Bought;
  /** Whom a method pays, where its rail names one. */
  readonly beneficiary?: Pick<SlipIssuer['beneficiary'], 'name' | 'document'> & { readonly method: Method };
  readonly token: string;
  readonly language: Language;
  readonly texts: CheckoutTexts;
  readonly formats: Formats;
  readonly isSandbox: boolean;
  readonly now: Date;
};

/** The seller's name when the account has not set one: the made-up company of a sandbox; in live no name is shown. */
const SANDBOX_NAME = 'Trilho Sandbox';

export function viewOf(parts: Omit<View, 'texts' | 'formats'>): View {
  return { ...parts, texts: CHECKOUT_TEXTS[parts.language], formats: formatsOf(parts.language) };
}

type Selling = {
  readonly settings: AccountSettings;
  readonly charge?: Charge | undefined;
  readonly beneficiary?: View['beneficiary'];
  readonly isSandbox: boolean;
};

/** The name above the page and on the receipt. */
export function sellerOf({ settings, charge, beneficiary, isSandbox }: Selling): string {
  const emv = charge?.methods
    .map(({ instrument }) => instrument && pixCodeOf(instrument))
    .find(code => code !== undefined);
  const named = settings.displayName ?? (emv === undefined ? undefined : receiverIn(emv)) ?? beneficiary?.name;
  return named ?? (isSandbox ? SANDBOX_NAME : '');
}

export function frameOf(view: View): Frame {
  const { texts, language, settings, isSandbox, facts, token } = view;
  const canPay = facts.payable.length > 0;
  return { texts, language, settings, isSandbox, canPay, seller: sellerOf(view), address: `/pay/${token}` };
}
