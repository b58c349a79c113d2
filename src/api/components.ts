// Every schema with a name of its own: what the OpenAPI document shows under components, beside the problem.
import type { TSchema } from 'typebox';
import { ACCOUNT_SETTINGS_SCHEMAS } from './account-settings.ts';
import { ALARM_SCHEMAS } from './alarms.ts';
import { AMOUNT_SCHEMAS } from './amounts.ts';
import { BOLETO_FILE_SCHEMAS } from './boleto-files.ts';
import { RETURN_ENTRY_SCHEMAS } from './boleto-return-entries.ts';
import { BOLETO_RETURN_SCHEMAS } from './boleto-returns.ts';
import { CHARGE_SCHEMAS } from './charges.ts';
import { EVENT_SCHEMAS } from './events.ts';
import { KEY_SCHEMAS } from './keys.ts';
import { LEDGER_SCHEMAS } from './ledger.ts';
import { NEW_ORDER_SCHEMAS } from './new-order.ts';
import { ORDER_SCHEMAS } from './orders.ts';
import { PAYMENT_SCHEMAS } from './payments.ts';
import { PAYOUT_SCHEMAS } from './payouts.ts';
import { PEOPLE_SCHEMAS } from './people.ts';
import { QUOTE_SCHEMAS } from './quotes.ts';
import { RECEIPT_SCHEMAS } from './receipts.ts';
import { REFUND_SCHEMAS } from './refunds.ts';
import { SENDER_SCHEMAS } from './senders.ts';
import { STATEMENT_SCHEMAS } from './statements.ts';
import { TOP_UP_SCHEMAS } from './top-ups.ts';
import { TRANSACTION_SCHEMAS } from './transactions.ts';
import { WALLET_SCHEMAS } from './wallets.ts';
import { WEBHOOK_SCHEMAS } from './webhooks.ts';

export const COMPONENTS: readonly TSchema[] = [
  ...TRANSACTION_SCHEMAS,
  ...QUOTE_SCHEMAS,
  ...NEW_ORDER_SCHEMAS,
  ...ORDER_SCHEMAS,
  ...CHARGE_SCHEMAS,
  ...REFUND_SCHEMAS,
  ...PAYMENT_SCHEMAS,
  ...AMOUNT_SCHEMAS,
  ...EVENT_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...LEDGER_SCHEMAS,
  ...WALLET_SCHEMAS,
  ...PAYOUT_SCHEMAS,
  ...TOP_UP_SCHEMAS,
  ...SENDER_SCHEMAS,
  ...ALARM_SCHEMAS,
  ...RECEIPT_SCHEMAS,
  ...ACCOUNT_SETTINGS_SCHEMAS,
  ...STATEMENT_SCHEMAS,
  ...BOLETO_RETURN_SCHEMAS,
  ...RETURN_ENTRY_SCHEMAS,
  ...BOLETO_FILE_SCHEMAS,
  ...KEY_SCHEMAS,
  ...PEOPLE_SCHEMAS,
];
