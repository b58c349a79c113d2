// What needs a person about orders and money: payouts to approve, orders on hold, wallets to approve, money without a charge,
// webhooks that fail.
import type { FastifyRequest } from 'fastify';
import { listUnmatched } from '../../charges/unmatched/list.ts';
import { suggestCharges } from '../../charges/unmatched/suggest.ts';
import { listWebhooks } from '../../events/list.ts';
import { MAX_PAGE_SIZE } from '../../lib/paging.ts';
import { APPROVABLE } from '../../orders/approve.ts';
import { listHeldOrders } from '../../orders/list.ts';
import { HOLD_REASONS } from '../../orders/order.ts';
import { listWallets } from '../../wallets/list.ts';
import type { WalletPolicySettings } from '../../wallets/wallet-settings.ts';
import { html } from '../html.ts';
import type { ListDeps } from './charges.ts';
import { quantity, when } from './formats.ts';
import { HOLDS, waysOut } from './holds.ts';
import { unmatchedTable } from './money.ts';
import { type Need, need } from './need.ts';
import { wholeAddress } from './on-chain.ts';
import { badge, idLink, table } from './parts.ts';
import { may } from './shell.ts';

export type OrderNeedDeps = ListDeps & { readonly walletPolicy: WalletPolicySettings };

const FIRST = { page: 1, pageSize: 10 };
const OTHER_HOLDS = HOLD_REASONS.filter(reason => !APPROVABLE.includes(reason));

/** The row has the full address, network and amount, so that the approver sees what is approved. */
export async function payoutsToApprove(deps: OrderNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'transactions:read')) return undefined;
  const accountId = caller?.accountId;
  const query = { ...FIRST, reasons: APPROVABLE, ...(accountId !== undefined && { accountId }) };
  const { orders, total } = await listHeldOrders(deps, query);
  const rows = orders.map(order => [
    idLink(`/dashboard/orders/${order.transactionId}`, order.transactionId),
    html`<strong>${quantity(order.exact.quantity, order.symbol)}</strong> on ${order.network}`,
    wholeAddress(deps, order.network, order.walletAddress),
    order.lastError ?? HOLDS[order.holdReason ?? 'approval_needed'].text,
    when(order.heldAt),
    waysOut(caller, order),
  ]);
  return need(
    'Payouts to approve',
    total,
    '/dashboard/orders?show=held',
    table({ caption: 'Payouts to approve', head: ['Order', 'Pays out', 'To', 'Why', 'Since', ''], rows }),
  );
}

export async function heldOrders(deps: OrderNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'transactions:read')) return undefined;
  const accountId = caller?.accountId;
  const query = { ...FIRST, reasons: OTHER_HOLDS, ...(accountId !== undefined && { accountId }) };
  const { orders, total } = await listHeldOrders(deps, query);
  const rows = orders.map(order => [
    idLink(`/dashboard/orders/${order.transactionId}`, order.transactionId),
    quantity(order.exact.quantity, order.symbol),
    order.holdReason && [badge(order.holdReason), html` ${HOLDS[order.holdReason].text}`],
    when(order.heldAt),
    waysOut(caller, order),
  ]);
  return need(
    'Orders on hold',
    total,
    '/dashboard/orders?show=held',
    table({ caption: 'Orders on hold', head: ['Order', '#Quantity', 'Why', 'Since', ''], rows }),
  );
}

/** Only where the settings require approvals. */
export async function walletsToApprove(deps: OrderNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!deps.walletPolicy.approval || !may(caller, 'wallets:read')) return undefined;
  const accountId = caller?.accountId;
  const query = { ...FIRST, isUnapproved: true, ...(accountId !== undefined && { accountId }) };
  const { wallets, total } = await listWallets(deps, query);
  const rows = wallets.map(wallet => [
    html`<a href="/dashboard/wallets/${wallet.id}">${wallet.name}</a>`,
    wallet.accountId,
    wallet.network,
    wholeAddress(deps, wallet.network, wallet.address),
    badge(wallet.ownership),
    when(wallet.createdAt),
    may(caller, 'wallets:approve') &&
      html`<a class="button secondary small" href="/dashboard/wallets/${wallet.id}/approve">Approve</a>`,
  ]);
  return need(
    'Wallets to approve',
    total,
    '/dashboard/wallets?show=unapproved',
    table({
      caption: 'Wallets to approve',
      head: ['Wallet', 'Account', 'Network', 'Address', 'Holder', 'Added', ''],
      rows,
    }),
  );
}

export async function unmatchedMoney(deps: OrderNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'payments:read')) return undefined;
  const { payments, total } = await listUnmatched(deps, FIRST);
  const suggestions = await suggestCharges(deps.db, payments, caller?.accountId);
  return need(
    'Money without a charge',
    total,
    '/dashboard/unmatched',
    unmatchedTable(payments, suggestions, may(caller, 'payments:write')),
  );
}

export async function failingWebhooks(deps: OrderNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'webhooks:read')) return undefined;
  const { webhooks } = await listWebhooks(deps, { page: 1, pageSize: MAX_PAGE_SIZE }, caller?.accountId);
  const failing = webhooks.filter(({ health, disabledReason }) => health === 'failing' || disabledReason !== undefined);
  const rows = failing.map(webhook => [
    html`<a href="/dashboard/webhooks/${webhook.id}">${webhook.url}</a>`,
    badge(webhook.disabledReason ?? webhook.health),
    webhook.lastError ?? '–',
    when(webhook.failingSince),
  ]);
  return need(
    'Webhooks that fail',
    failing.length,
    '/dashboard/webhooks',
    table({ caption: 'Webhooks that fail', head: ['Address', 'Health', 'Last error', 'Since'], rows }),
  );
}
