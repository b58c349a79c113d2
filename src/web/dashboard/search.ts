// One box for any id: of a charge, an order, a payment, a payout; txid, E2E id, nosso número, hash, the caller's own id.
import type { FastifyInstance } from 'fastify';
import { type Found, findChargesByAnyId } from '../../charges/store-search.ts';
import { findOrdersByAnyId } from '../../orders/store-search.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { queryOf, table } from './parts.ts';
import { may, shell } from './shell.ts';

const PLACES: Readonly<Record<Found['kind'], (id: string) => string>> = {
  charge: id => `/dashboard/charges/${id}`,
  order: id => `/dashboard/orders/${id}`,
  unmatched: () => '/dashboard/unmatched',
};
const MAX_LENGTH = 255;

export function searchPage(app: FastifyInstance, deps: ListDeps): void {
  app.get(
    '/dashboard/search',
    { config: { scope: 'charges:read' }, schema: { hide: true } },
    async (request, reply) => {
      const { caller } = request;
      const { q } = queryOf(request);
      const text = typeof q === 'string' && !q.includes('\0') ? q.trim().slice(0, MAX_LENGTH) : '';
      const [charges, orders] =
        text === ''
          ? [[], []]
          : await Promise.all([
              findChargesByAnyId(deps.db, text, caller?.accountId),
              may(caller, 'transactions:read') ? findOrdersByAnyId(deps.db, text, caller?.accountId) : [],
            ]);
      const found = [...charges, ...orders];
      const [only, ...others] = found;
      if (only && others.length === 0) return reply.redirect(PLACES[only.kind](only.id), 303);
      const page = shell(deps, request, {
        title: text === '' ? 'Search' : found.length === 0 ? 'Nothing found' : `Found ${found.length}`,
        section: 'search',
        body: html`<p class="muted">By the whole id: charge, order, payment, payout, txid, E2E id, nosso número, hash or your own id.</p>
${table({ caption: 'Found', head: ['What', 'Id', 'Found by', 'Account'], rows: found.map(({ kind, id, by, accountId }) => [kind, html`<a href="${PLACES[kind](id)}"><code>${id}</code></a>`, by, accountId ?? '–']), empty: text === '' ? 'Type an id above.' : 'No id is written like that.' })}`,
      });
      return sendHtml(request, reply, page);
    },
  );
}
