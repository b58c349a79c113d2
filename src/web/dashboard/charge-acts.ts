// Acts on a charge: cancel it, change its due date, charge the rest, withdraw the link to its checkout.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { missingCents } from '../../charges/life.ts';
import type { Links } from '../../charges/links/links.ts';
import { requireCharge } from '../../charges/require.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { html } from '../html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { textField } from './form.ts';
import { reais, when } from './formats.ts';
import { linkField, linkIn } from './link-field.ts';
import { facts } from './parts.ts';
import { daysIn, EXPIRE_FIELD, METHODS_FIELD } from './payer-fields.ts';

export async function shownCharge({ db }: Pick<ActDeps, 'db'>, { caller }: FastifyRequest, { id = '' }: Params) {
  const charge = await requireCharge(db, id.toLowerCase(), caller?.accountId);
  return { charge, back: `/dashboard/charges/${charge.id}` };
}

export function chargeActs(app: FastifyInstance, deps: ActDeps & { readonly links: Links }): void {
  defineAct(app, deps, {
    url: '/charges/:id/cancel',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      return {
        title: 'Cancel this charge?',
        text: html`<p>Its code and boleto are withdrawn. Money that still comes is kept and shown.</p>${facts([
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
    url: '/charges/:id/due-date',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      return {
        title: 'Change the due date?',
        text: html`<p>The end of the charge moves by the same number of days. The bank is asked in the next file, or by a call; until it answers, the
charge keeps its due date.</p>${facts([
          ['Amount', reais(charge.payableCents)],
          ['Payer', charge.customer.name],
          ['Due', when(charge.dueAt)],
        ])}`,
        fields: [
          {
            ...{ name: 'dueDay', apiName: 'dueAt', label: 'Due', type: 'date', isRequired: true },
            value: civilDay(charge.dueAt),
          },
        ],
        button: 'Change the due date',
        back,
      };
    },
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/charges/${encodeURIComponent(id)}/due-date`,
      body: daysIn(fields),
    }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/remainder',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      return {
        title: 'Charge the rest?',
        text: html`<p>Creates one charge for the missing amount, to the same payer. When it is paid, this one is paid too.</p>${facts(
          [
            ['Missing', reais(missingCents(charge))],
            ['Payer', charge.customer.name],
          ],
        )}`,
        fields: [
          METHODS_FIELD,
          {
            ...{ name: 'dueDay', apiName: 'dueAt', label: 'Due', type: 'date' },
            hint: 'Left empty: as this charge, but not before the third day from now.',
          },
          EXPIRE_FIELD,
        ],
        button: 'Charge the rest',
        back,
      };
    },
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/charges/${encodeURIComponent(id)}/remainder`,
      body: { methods: textField(fields, 'methods').split(' '), ...daysIn(fields) },
    }),
    done: ({ id }) => `/dashboard/charges/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/withdraw',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      return {
        title: 'Withdraw the link to the checkout?',
        text: html`<p>For a link that reached the wrong person: it stops working, and the charge gets a new one. Codes that were
seen can still be paid; cancel the charge for that.</p>${facts([
          ['Amount', reais(charge.payableCents)],
          ['Payer', charge.customer.name],
        ])}`,
        fields: [linkField(charge)],
        button: 'Withdraw the link',
        back,
      };
    },
    call: (fields, params) => ({
      method: 'POST',
      url: `/charges/${encodeURIComponent(params['id'] ?? '')}/checkout/withdraw`,
      body: { checkoutUrl: linkIn(fields, params, deps.links.checkoutUrl) },
    }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });
}
