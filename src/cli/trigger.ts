// trilho trigger: causes a real event in a running sandbox. Each event has a recipe of ordinary requests. All users of a sandbox
// share its clock, so a recipe moves it only where dates in the past cannot do the same.
import { EVENT_TYPES } from '../api/events.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { DEFAULT_URL, isHttp } from './listen.ts';
import { type SandboxApi as Api, openSandbox } from './sandbox-api.ts';
import {
  charge,
  chargedSubscription,
  customer,
  disputed,
  dueChanged,
  eventOf,
  inCrypto,
  instalments,
  lowFunds,
  ORDER_CENTS,
  order,
  PAYER,
  paid,
  paidOrder,
  paidSubscription,
  pausedSubscription,
  plan,
  REMOVED_WALLET,
  refunded,
  registered,
  reminded,
  soon,
  subscription,
  TOO_LITTLE,
} from './trigger-steps.ts';

/** Causes the event, and returns the id of the object that the event is about. */
type Recipe = (api: Api) => Promise<string>;

const RECIPES: Readonly<Record<string, Recipe>> = {
  'charge.created': api => charge(api),
  // One method: with two, the bank decides one after the other, and the event would show the second as undecided.
  'charge.active': api => charge(api, { methods: ['pix'] }),
  // The bank of the sandbox refuses this amount.
  'charge.failed': api => charge(api, { amountCents: 9_001 }),
  'charge.overdue': api => charge(api, { methods: ['pix'], dueAt: api.day(-1) }),
  'charge.due_changed': api => dueChanged(api),
  // The bank of the sandbox keeps the due day of this amount.
  'charge.due_change_failed': api => dueChanged(api, { amountCents: 9_006 }),
  'charge.partially_paid': async api => paid(api, await charge(api), { method: 'pix', amountCents: 5_000 }),
  'charge.paid': async api => paid(api, await charge(api)),
  'charge.paid_twice': async api => paid(api, await paid(api, await charge(api))),
  // Money cannot come before its charge, and settles on the next banking day: only time brings it.
  'charge.settled': async api => {
    const id = await paid(api, await charge(api), { method: 'boleto' });
    await api.post('/sandbox/clock', { advance: 'P5D' });
    return id;
  },
  'charge.expired': api => charge(api, { dueAt: api.day(-40), expireAt: api.day(-39) }),
  'charge.canceled': async api => {
    const id = await charge(api);
    await api.post(`/charges/${id}/cancel`);
    return id;
  },
  'charge.refund_requested': api => refunded(api),
  'charge.refunded': api => refunded(api),
  // The bank of the sandbox refuses this amount.
  'charge.refund_failed': api => refunded(api, { amountCents: 9_001 }),
  'charge.returned': async api => {
    const id = await paid(api, await charge(api));
    await api.post(`/sandbox/charges/${id}/return`, {});
    return id;
  },
  'dispute.opened': async api => (await disputed(api)).id,
  'dispute.updated': async api => {
    const { id } = await disputed(api);
    await api.patch(`/disputes/${id}`, { blockedUntil: api.day(4), note: 'The bank has written.' });
    return id;
  },
  'dispute.closed': async api => {
    const { id } = await disputed(api);
    await api.post(`/sandbox/disputes/${id}/end`, { outcome: 'kept' });
    return id;
  },
  'crypto_transaction.pending_payment': async api => (await order(api)).id,
  'crypto_transaction.pending_fulfillment': async api => paidOrder(api, await order(api)),
  'crypto_transaction.fulfillment_scheduled': async api =>
    paidOrder(api, await order(api, { settlementSchedule: 'D1' })),
  'crypto_transaction.fulfilling': async api => paidOrder(api, await order(api)),
  // Blocks come by the clock, four a second on this network.
  'crypto_transaction.fulfilled': async api => {
    const id = await paidOrder(api, await order(api));
    await api.post('/sandbox/clock', { advance: 'PT1M' });
    return id;
  },
  'crypto_transaction.expired': async api =>
    (await order(api, { charge: { ...PAYER, dueAt: api.day(-40), expireAt: api.day(-39) } })).id,
  'crypto_transaction.canceled': async api => {
    const { id } = await order(api);
    await api.post(`/crypto/transactions/${id}/cancel`);
    return id;
  },
  'crypto_transaction.refunded': async api => {
    const made = await order(api, { settlementSchedule: 'D2' });
    await paidOrder(api, made);
    // Waits, so that the event shows the same state each time.
    await eventOf(api, 'crypto_transaction.fulfillment_scheduled', made.id);
    await api.post(`/charges/${made.chargeId}/refunds`, {});
    return made.id;
  },
  'crypto_transaction.held': async api => paidOrder(api, await order(api), TOO_LITTLE),
  'crypto_transaction.resumed': async api => {
    const made = await order(api);
    await paidOrder(api, made, TOO_LITTLE);
    await eventOf(api, 'crypto_transaction.held', made.id);
    return paidOrder(api, made, { amountCents: ORDER_CENTS - TOO_LITTLE.amountCents });
  },
  'crypto_transaction.repriced': async api => {
    const id = await paidOrder(api, await order(api), TOO_LITTLE);
    await eventOf(api, 'crypto_transaction.held', id);
    await api.post(`/crypto/transactions/${id}/reprice`, {});
    return id;
  },
  'customer.created': api => customer(api),
  'customer.updated': async api => {
    const id = await customer(api);
    await api.patch(`/customers/${id}`, { email: 'maria@example.org' });
    return id;
  },
  'customer.erased': async api => {
    const id = await customer(api);
    await api.post(`/customers/${id}/erase`);
    return id;
  },
  'instalments.created': async api => (await instalments(api)).id,
  'instalments.completed': async api => {
    const { id, chargeIds } = await instalments(api);
    for (const chargeId of chargeIds) await paid(api, await registered(api, chargeId));
    return id;
  },
  'instalments.canceled': async api => {
    const { id } = await instalments(api);
    await api.post(`/instalments/${id}/cancel`);
    return id;
  },
  'plan.created': api => plan(api),
  'plan.updated': async api => {
    const id = await plan(api);
    await api.patch(`/plans/${id}`, { amountCents: 10_900 });
    return id;
  },
  'subscription.created': api => subscription(api),
  'subscription.updated': async api => {
    const id = await subscription(api);
    await api.patch(`/subscriptions/${id}`, { amountCents: 10_900 });
    return id;
  },
  // Only time ends a trial, or makes a day pass without a payment.
  'subscription.activated': async api => {
    const id = await subscription(api, { trialDays: 1 });
    await api.post('/sandbox/clock', { advance: 'P2D' });
    return id;
  },
  'subscription.charged': api => subscription(api, soon(api)),
  // More than a boleto can carry.
  'subscription.charge_failed': api =>
    subscription(api, { ...soon(api), methods: ['boleto'], amountCents: 99_999_999_999 }),
  // No customer of a sandbox has a mandate.
  'subscription.collection_failed': api => subscription(api, { ...soon(api), automatic: true }),
  'subscription.paid': async api => (await paidSubscription(api)).id,
  'subscription.refunded': async api => {
    const { id, chargeId } = await paidSubscription(api);
    await api.post(`/charges/${chargeId}/refunds`, {});
    return id;
  },
  'subscription.ordered': async api => (await paidSubscription(api, await inCrypto(api))).id,
  'subscription.order_failed': async api => {
    // Its wallet is removed before its payment.
    const crypto = await inCrypto(api, REMOVED_WALLET);
    const { id, chargeId } = await chargedSubscription(api, crypto);
    await api.remove(`/wallets/${crypto.walletId}`);
    await paid(api, chargeId);
    return id;
  },
  'subscription.past_due': async api => {
    const id = await subscription(api, soon(api));
    await eventOf(api, 'subscription.charged', id);
    await api.post('/sandbox/clock', { advance: 'P6D' });
    return id;
  },
  'subscription.forgiven': async api => {
    const { id } = await chargedSubscription(api);
    await api.post(`/subscriptions/${id}/cycles/1/forgive`);
    return id;
  },
  'subscription.paused': async api => pausedSubscription(api),
  'subscription.resumed': async api => {
    const id = await pausedSubscription(api);
    await api.post(`/subscriptions/${id}/resume`);
    return id;
  },
  'subscription.canceled': async api => {
    const id = await subscription(api);
    await api.post(`/subscriptions/${id}/cancel`, { at: 'now' });
    return id;
  },
  'subscription.completed': async api => (await paidSubscription(api, { cycles: 1 })).id,
  'reminder.due': api => reminded(api),
  'payout.alarm_raised': api => lowFunds(api),
  'payout.alarm_cleared': async api => {
    const id = await lowFunds(api);
    await api.post('/sandbox/clock', { advance: 'PT2M' });
    return id;
  },
};

/** Events that can be caused. */
export const TRIGGERS: readonly string[] = EVENT_TYPES.filter(type => RECIPES[type]);

export async function triggerCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  const { type, url, list } = readTrigger(args);
  if (list) {
    console.log(TRIGGERS.join('\n'));
    return 0;
  }
  console.log(await trigger(url, type));
  return 0;
}

/** Makes an event of `TRIGGERS` happen, and returns it as JSON. */
export async function trigger(url: string, type: string): Promise<string> {
  const api = await openSandbox(url);
  return eventOf(api, type, await RECIPES[type]!(api));
}

function readTrigger(args: readonly string[]): { type: string; url: string; list: boolean } {
  const list = args.includes('--list');
  const { positionals, options, faults } = readArguments(args, {
    positionals: list ? [] : ['event'],
    options: ['url'],
    flags: ['list'],
  });
  const [type = ''] = positionals;
  const { url = DEFAULT_URL } = options;
  if (!list && positionals.length > 0 && !TRIGGERS.includes(type)) {
    faults.push(`<event> must be one that trilho trigger --list prints, not ${quoted(type)}`);
  }
  if (!isHttp(url)) faults.push('--url must be an http or https URL');
  refuseFaults('trigger', faults);
  return { type, url: url.replace(/\/+$/, ''), list };
}
