// Every noun, in the order of the menu and of the reference.
import { accounts } from './accounts/noun.ts';
import { customers } from './billing/customers/noun.ts';
import { instalments } from './billing/instalments/noun.ts';
import { mandates } from './billing/mandates/noun.ts';
import { plans } from './billing/plans/noun.ts';
import { reminders } from './billing/reminders/noun.ts';
import { subscriptions } from './billing/subscriptions/noun.ts';
import { disputes } from './charges/disputes/noun.ts';
import { charges } from './charges/noun.ts';
import { events } from './events/noun.ts';
import { ledger } from './ledger/noun.ts';
import type { Noun } from './noun.ts';
import { orders } from './orders/noun.ts';
import { payouts } from './payouts/noun.ts';
import { quotes } from './quotes/noun.ts';
import { sandbox } from './sandbox/noun.ts';
import { auditLog } from './storage/noun.ts';
import { wallets } from './wallets/noun.ts';

export const SHIPPED = [
  charges,
  disputes,
  customers,
  instalments,
  mandates,
  subscriptions,
  plans,
  reminders,
  orders,
  payouts,
  wallets,
  quotes,
  events,
  ledger,
  accounts,
  auditLog,
  sandbox,
] as const;

export const NOUNS: readonly Noun[] = SHIPPED;

/** What the queue knows, whether a service runs the jobs or a command only enqueues them. */
export const ALL_JOBS = NOUNS.flatMap(({ jobs = [] }) => jobs);

/** What goes by the changes of charges. */
export const CHARGE_FOLLOWERS = NOUNS.flatMap(({ followsCharges = [] }) => followsCharges);

/** What proves, beside the ledger's own rules, that the books are right. */
export const LEDGER_CHECKS = NOUNS.flatMap(({ ledgerChecks = [] }) => ledgerChecks);

/** Every place in which the database keeps secrets that sign. */
export const SECRET_STORES = NOUNS.flatMap(({ secrets = [] }) => secrets);
