// One box for a payer, an amount, or any id: of a charge, a dispute, a customer, an instalment plan, a mandate, a subscription, an order, a payment, a refund, a payout, a wallet, a webhook or an event; txid, E2E id, nosso
// número, hash, the caller's own id, and the link of a checkout.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findCustomersByAnyId, findCustomersByWords } from '../../billing/customers/store-search.ts';
import { findPlansByAnyId } from '../../billing/instalments/store-search.ts';
import { findMandatesByAnyId } from '../../billing/mandates/store-search.ts';
import { findSubscriptionsByAnyId } from '../../billing/subscriptions/store-search.ts';
import { isDocument, normaliseDocument } from '../../charges/create/check.ts';
import { findDisputesByAnyId } from '../../charges/disputes/store-search.ts';
import {
  type FoundCharge,
  findChargesByAnyId,
  findChargesOfPayerOrAmount,
  type PayerSearch,
  SEARCHED_CHARGES,
} from '../../charges/store/search.ts';
import { findEvent } from '../../events/store-feed.ts';
import { findWebhook } from '../../events/store-webhooks.ts';
import { uuidIn } from '../../lib/ids.ts';
import { findOrdersByAnyId } from '../../orders/store-search.ts';
import { findOwnPayoutsByAnyId } from '../../payouts/store/search.ts';
import type { FoundById } from '../../storage/find-by-any-id.ts';
import { findWallet } from '../../wallets/store.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { centsIn } from './form.ts';
import { count, EXAMPLE_AMOUNT } from './formats.ts';
import { queryOf, table } from './parts.ts';
import { may, shell } from './shell.ts';

type FoundByOwnId = {
  readonly kind: 'wallet' | 'webhook' | 'event';
  readonly id: string;
  readonly by: 'id';
  readonly accountId?: string;
};
type Found =
  | FoundCharge
  | FoundById<'dispute' | 'customer' | 'instalment plan' | 'mandate' | 'subscription' | 'order' | 'payout'>
  | FoundByOwnId;

const PLACES: Readonly<Record<Found['kind'], (id: string) => string>> = {
  charge: id => `/dashboard/charges/${id}`,
  dispute: id => `/dashboard/disputes/${id}`,
  customer: id => `/dashboard/customers/${id}`,
  'instalment plan': id => `/dashboard/instalments/${id}`,
  mandate: id => `/dashboard/mandates/${id}`,
  subscription: id => `/dashboard/subscriptions/${id}`,
  order: id => `/dashboard/orders/${id}`,
  payout: id => `/dashboard/payouts/${id}`,
  unmatched: () => '/dashboard/unmatched',
  wallet: id => `/dashboard/wallets/${id}`,
  webhook: id => `/dashboard/webhooks/${id}`,
  event: id => `/dashboard/events/${id}`,
};
const MAX_LENGTH = 255;

export function searchPage(app: FastifyInstance, deps: ListDeps): void {
  app.get('/dashboard/search', { schema: { hide: true } }, async (request, reply) => {
    const { q } = queryOf(request);
    const text = typeof q === 'string' && !q.includes('\0') ? q.trim().slice(0, MAX_LENGTH) : '';
    // A payer who asks for help sends the link, possibly a withdrawn one.
    const asked = (deps.links.readUrl(text) ?? deps.links.read(text))?.id ?? text;
    const byId = text === '' ? [] : await findByAnyId(deps, asked, request);
    const found: readonly Found[] = byId.length > 0 ? byId : await findByMeaning(deps, text, request);
    const [only, ...more] = found;
    if (only && more.length === 0) return reply.redirect(PLACES[only.kind](only.id), 303);
    const page = shell(deps, request, {
      title: text === '' ? 'Search' : found.length === 0 ? 'Nothing found' : `Found ${found.length}`,
      section: 'search',
      body: html`<p class="muted">By the whole id: charge, dispute, customer, instalment plan, mandate, subscription, order, payment, refund, payout, wallet, webhook, event, txid, E2E id, nosso número, hash, your own id; or the link of a checkout. By the CPF or CNPJ of a payer; customers by the beginnings of words of their name or e-mail; among the newest ${count(SEARCHED_CHARGES)} charges also by a part of the payer's name and by the amount, such as ${EXAMPLE_AMOUNT}.</p>
${table({ caption: 'Found', head: ['What', 'Id', 'Found by', 'Account'], rows: found.map(({ kind, id, by, accountId }) => [kind, html`<a href="${PLACES[kind](id)}"><code>${id}</code></a>`, by, accountId ?? '–']), empty: text === '' ? 'Type an id above.' : 'There is no such id, and no recent charge has such a payer or amount.' })}`,
    });
    return sendHtml(request, reply, page);
  });
}

async function findByAnyId(deps: ListDeps, text: string, request: FastifyRequest): Promise<Found[]> {
  const { db } = deps;
  const { caller } = request;
  const accountId = caller?.accountId;
  const found = await Promise.all([
    findChargesByAnyId(db, text, accountId),
    findDisputesByAnyId(db, text, accountId),
    may(caller, 'customers:read') ? findCustomersByAnyId(db, text, accountId) : [],
    findPlansByAnyId(db, text, accountId),
    findMandatesByAnyId(db, text, accountId),
    may(caller, 'subscriptions:read') ? findSubscriptionsByAnyId(db, text, accountId) : [],
    may(caller, 'transactions:read') ? findOrdersByAnyId(db, text, accountId) : [],
    may(caller, 'payouts:read') ? findOwnPayoutsByAnyId(db, text, accountId) : [],
    findByOwnId(deps, text, request),
  ]);
  return found.flat();
}

const SHORTEST_NAME = 3;
const AMOUNT = /^(R\$ ?)?[\d.]+([.,]\d{2})$/;

/** Reads a text that is not an id: a document, an amount with cents, else a part of a name. */
function meaningOf(text: string): PayerSearch {
  const document = normaliseDocument(text);
  if (isDocument(document)) return { document };
  const cents = AMOUNT.test(text) ? centsIn(text) : undefined;
  if (typeof cents === 'number' && Number.isSafeInteger(cents)) return { amountCents: cents };
  return text.length >= SHORTEST_NAME ? { name: text } : {};
}

/** Customers before charges: a customer stands for all of its charges. */
async function findByMeaning({ db }: ListDeps, text: string, { caller }: FastifyRequest): Promise<Found[]> {
  const meaning = meaningOf(text);
  const isOfPerson = meaning.name !== undefined || meaning.document !== undefined;
  const [customers, charges] = await Promise.all([
    isOfPerson && may(caller, 'customers:read') ? findCustomersByWords(db, text, caller?.accountId) : [],
    findChargesOfPayerOrAmount(db, meaning, caller?.accountId),
  ]);
  return [...customers, ...charges];
}

/** Objects with a page of their own and no name other than their id. */
async function findByOwnId({ db }: ListDeps, text: string, { caller }: FastifyRequest): Promise<FoundByOwnId[]> {
  const id = uuidIn(text);
  if (id === null) return [];
  const accountId = caller?.accountId;
  const [wallet, webhook, event] = await Promise.all([
    may(caller, 'wallets:read') ? findWallet(db, id, { accountId }) : undefined,
    may(caller, 'webhooks:read') ? findWebhook(db, id) : undefined,
    may(caller, 'events:read') ? findEvent(db, id, accountId) : undefined,
  ]);
  const found: FoundByOwnId[] = [];
  if (wallet) found.push({ kind: 'wallet', id, by: 'id', accountId: wallet.accountId });
  const isOurs = webhook && (accountId === undefined || webhook.accountId === accountId);
  if (isOurs) {
    found.push({
      kind: 'webhook',
      id,
      by: 'id',
      ...(webhook.accountId !== undefined && { accountId: webhook.accountId }),
    });
  }
  if (event !== undefined) found.push({ kind: 'event', id, by: 'id' });
  return found;
}
