// The settings of charges: rates of other currencies, limits of refunds, and how long data from banks is kept.
import { keptFor } from '../lib/settings/kept-for.ts';
import { decimalAboveZero, wholeNumber } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

const MAX_REFUND_LIMIT_CENTS = 10_000_000_000;

export const CHARGE_SETTINGS = [
  {
    // Live has no default: an invented rate would move real money.
    name: 'TRILHO_RATE_USD',
    kind: decimalAboveZero('5.40'),
    default: { sandbox: '5.40' },
    meaning: 'Reais for one dollar. Live accepts no charges in dollars without it.',
  },
  {
    name: 'TRILHO_RATE_EUR',
    kind: decimalAboveZero('6.25'),
    default: { sandbox: '6.25' },
    meaning: 'Reais for one euro. Live accepts no charges in euros without it.',
  },
  {
    name: 'TRILHO_BANK_WAIT_MS',
    kind: wholeNumber(0, 30_000),
    default: '3000',
    meaning:
      'How many milliseconds POST /charges waits for a code that only the bank can make; 0 does not wait. The code then comes with an event.',
  },
  {
    name: 'TRILHO_SUPPORT_REFUND_LIMIT',
    kind: wholeNumber(0, MAX_REFUND_LIMIT_CENTS),
    default: '50000',
    mode: 'live',
    meaning:
      'How much of one charge a person with the role support may refund, in cents; operators and owners have no limit.',
  },
  {
    name: 'TRILHO_REFUND_PASSKEY_ABOVE',
    kind: wholeNumber(0, MAX_REFUND_LIMIT_CENTS),
    default: '100000',
    mode: 'live',
    meaning: 'Refunds of one charge above this total, in cents, ask the person for a passkey again.',
  },
  {
    name: 'TRILHO_KEEP_NOTIFICATIONS',
    kind: keptFor,
    default: 'P7D',
    meaning: 'How long notifications of banks are kept after they were handled. They hold data of payers.',
  },
  {
    name: 'TRILHO_KEEP_BOLETO_FILES',
    kind: keptFor,
    default: 'P90D',
    meaning:
      'How long the bytes of a file to a bank are kept after it was made; longer while the bank has not answered all of it. They hold data of payers.',
  },
] as const satisfies readonly Setting[];

export type ChargeSettings = Readonly<ReturnType<typeof chargeSettingsOf>>;

export function chargeSettingsOf(values: ValuesOf<typeof CHARGE_SETTINGS>) {
  const { TRILHO_RATE_USD: USD, TRILHO_RATE_EUR: EUR } = values;
  return {
    /** Reais for one unit, as decimal text. */
    rates: { ...(USD !== undefined && { USD }), ...(EUR !== undefined && { EUR }) },
    bankWaitMs: values.TRILHO_BANK_WAIT_MS,
    supportRefundLimitCents: values.TRILHO_SUPPORT_REFUND_LIMIT,
    passkeyRefundCents: values.TRILHO_REFUND_PASSKEY_ABOVE,
    keepNotifications: values.TRILHO_KEEP_NOTIFICATIONS,
    keepBoletoFiles: values.TRILHO_KEEP_BOLETO_FILES,
  };
}
