// One box for a payer, an amount, or any id: of a charge, a dispute, a customer, an instalment plan, a mandate, an order, a payment, a refund, a payout, a wallet, a webhook or an event; txid, E2E id, nosso
// número, hash, the caller's own id, and the link of a checkout.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type FoundCustomer,
  findCustomersByAnyId,
  findCustomersByWords,
} from '../../billing/customers/store-search.ts';
import { type FoundPlan, findPlansByAnyId } from '../../billing/instalments/store-search.ts';
import { type FoundMandate, findMandatesByAnyId } from '../../billing/mandates/store-search.ts';
import { isDocument, normaliseDocument } from '../../charges/create/check.ts';
import { type FoundDispute, findDisputesByAnyId } from '../../charges/disputes/store-search.ts';
import {
  type FoundCharge,
  findChargesByAnyId,
  findChargesOfPayerOrAmount,
  type PayerSearch,
  SEARCHED_CHARGES,
  uuidIn,
} from '../../charges/store/search.ts';
import { findEvent } from '../../events/store-feed.ts';
import { findWebhook } from '../../events/store-webhooks.ts';
import { type FoundOrder, findOrdersByAnyId } from '../../orders/store-search.ts';
import { findWallet } from '../../wallets/store.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { centsIn } from './form.ts';
import { count, EXAMPLE_AMOUNT } from './formats.ts';
import { queryOf, table } from './parts.ts';
import { may, shell } from './shell.ts';

type FoundById = {
  readonly kind: 'wallet' | 'webhook' | 'event';
  readonly id: string;
  readonly by: 'id';
  readonly accountId?: string;
};
type Found = FoundCharge | FoundDispute | FoundCustomer | FoundPlan | FoundMandate | FoundOrder | FoundById;

const PLACES: Readonly<Record<Found['kind'], (id: string) => string>> = {
  charge: id => `/dashboard/charges/${id}`,
  dispute: id => `/dashboard/disputes/${id}`,
  customer: id => `/dashboard/customers/${id}`,
  'instalment plan': id => `/dashboard/instalments/${id}`,
  mandate: id => `/dashboard/mandates/${id}`,
  order: id => `/dashboard/orders/${id}`,
  unmatched: () => '/dashboard/unmatched',
  wallet: id => `/dashboard/wallets/${id}`,
  webhook: id => `/dashboard/webhooks/${id}`,
  event: id => `/dashboard/events/${id}`,
};
const MAX_LENGTH = 255;

export function searchPage(app: FastifyInstance, deps: ListDeps): void {
  app.get('/dashboard/search', { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const { q } = queryOf(request);
    const text = typeof q === 'string' && !q.includes('\0') ? q.trim().slice(0, MAX_LENGTH) : '';
    // A payer who asks for help sends the link, possibly a withdrawn one.
    const asked = (deps.links.readUrl(text) ?? deps.links.read(text))?.id ?? text;
    const [charges, disputes, customers, plans, mandates, orders, others] =
      text === ''
        ? [[], [], [], [], [], [], []]
        : await Promise.all([
            findChargesByAnyId(deps.db, asked, caller?.accountId),
            findDisputesByAnyId(deps.db, asked, caller?.accountId),
            may(caller, 'customers:read') ? findCustomersByAnyId(deps.db, asked, caller?.accountId) : [],
            findPlansByAnyId(deps.db, asked, caller?.accountId),
            findMandatesByAnyId(deps.db, asked, caller?.accountId),
            may(caller, 'transactions:read') ? findOrdersByAnyId(deps.db, asked, caller?.accountId) : [],
            findById(deps, asked, request),
          ]);
    const byId: Found[] = [...charges, ...disputes, ...customers, ...plans, ...mandates, ...orders, ...others];
    const found: readonly Found[] = byId.length > 0 ? byId : await findByMeaning(deps, text, request);
    const [only, ...more] = found;
    if (only && more.length === 0) return reply.redirect(PLACES[only.kind](only.id), 303);
    const page = shell(deps, request, {
      title: text === '' ? 'Search' : found.length === 0 ? 'Nothing found' : `Found ${found.length}`,
      section: 'search',
      body: html`<p class="muted">By the whole id: charge, dispute, customer, instalment plan, mandate, order, payment, refund, payout, wallet, webhook, event, txid, E2E id, nosso número, hash, your own id; or the link of a checkout. By the CPF or CNPJ of a payer; customers by the beginnings of words of their name or e-mail; among the newest ${count(SEARCHED_CHARGES)} charges also by a part of the payer's name and by the amount, such as ${EXAMPLE_AMOUNT}.</p>
${table({ caption: 'Found', head: ['What', 'Id', 'Found by', 'Account'], rows: found.map(({ kind, id, by, accountId }) => [kind, html`<a href="${PLACES[kind](id)}"><code>${id}</code></a>`, by, accountId ?? '–']), empty: text === '' ? 'Type an id above.' : 'There is no such id, and no recent charge has such a payer or amount.' })}`,
    });
    return sendHtml(request, reply, page);
  });
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
async function findById({ db }: ListDeps, text: string, { caller }: FastifyRequest): Promise<FoundById[]> {
  const id = uuidIn(text);
  if (id === null) return [];
  const accountId = caller?.accountId;
  const [wallet, webhook, event] = await Promise.all([
    may(caller, 'wallets:read') ? findWallet(db, id, { accountId }) : undefined,
    may(caller, 'webhooks:read') ? findWebhook(db, id) : undefined,
    may(caller, 'events:read') ? findEvent(db, id, accountId) : undefined,
  ]);
  const found: FoundById[] = [];
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
