// What can be done with a charge: cancel it, withdraw the link to its checkout.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireCharge } from '../../charges/require.ts';
import { html } from '../html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { facts, reais } from './parts.ts';

export async function shownCharge({ db }: Pick<ActDeps, 'db'>, { caller }: FastifyRequest, { id = '' }: Params) {
  const charge = await requireCharge(db, id.toLowerCase(), caller?.accountId);
  return { charge, back: `/dashboard/charges/${charge.id}` };
}

export function chargeActs(app: FastifyInstance, deps: ActDeps): void {
  defineAct(app, deps, {
    url: '/charges/:id/cancel',
    scope: 'charges:write',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      return {
        title: 'Cancel this charge?',
        words: html`<p>Its code and boleto are withdrawn. Money that comes anyway is kept and shown.</p>${facts([
          ['Amount', reais(charge.payableCents)],
          ['Payer', charge.customer.name],
        ])}`,
        button: 'Cancel the charge',
        back,
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/charges/${encodeURIComponent(id)}/cancel`, body: {} }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/withdraw',
    scope: 'charges:write',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      return {
        title: 'Withdraw the link to the checkout?',
        words: html`<p>For a link that reached the wrong person: it opens nothing any more, and the charge has a new one. Codes that were
seen can still be paid; cancel the charge for that.</p>${facts([
          ['Amount', reais(charge.payableCents)],
          ['Payer', charge.customer.name],
        ])}`,
        button: 'Withdraw the link',
        back,
      };
    },
    call: (_, { id = '' }) => ({
      method: 'POST',
      url: `/charges/${encodeURIComponent(id)}/checkout/withdraw`,
      body: {},
    }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });
}
