// What a person can do with instalments: make them, cancel what is open, refund what was paid, withdraw the link to their page.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_INSTALMENTS, MIN_INSTALMENTS } from '../../billing/instalments/instalment-plan.ts';
import { requireInstalmentPlan } from '../../billing/instalments/require.ts';
import { showInstalmentPlan } from '../../billing/instalments/show.ts';
import type { Links } from '../../charges/links/links.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { accountField } from './choices.ts';
import { centsIn, type Fields, filled, numbersIn, textField } from './form.ts';
import { EXAMPLE_AMOUNT, reais } from './formats.ts';
import { linkField, linkIn } from './link-field.ts';
import { CURRENCY_FIELD, TAX_FIELDS, taxesIn } from './new-charge.ts';
import { facts } from './parts.ts';
import { customerIn, DESCRIPTION_FIELD, MORE_PAYER_FIELDS, noteFields, notesIn, PAYER_FIELDS } from './payer-fields.ts';

export function instalmentActs(app: FastifyInstance, deps: ActDeps & { readonly links: Links }): void {
  const pageOf = ({ id = '' }: Params) => `/dashboard/instalments/${id}`;
  const find = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireInstalmentPlan(deps.db, id.toLowerCase(), caller?.accountId);
  const read = async (request: FastifyRequest, params: Params) => showInstalmentPlan(deps, await find(request, params));

  defineAct(app, deps, {
    url: '/instalments/new',
    section: 'instalments',
    ask: async request => ({
      title: 'New instalments',
      text: html`<p>One sum in equal charges, one a month, each with a code or a boleto of its own. Cents that cannot be divided are in the first.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        {
          ...{ name: 'amount', apiName: 'amountCents', label: 'The whole sum', isRequired: true },
          hint: `Such as ${EXAMPLE_AMOUNT}`,
        },
        CURRENCY_FIELD,
        { name: 'count', label: 'Instalments', hint: `${MIN_INSTALMENTS} to ${MAX_INSTALMENTS} equal ones.` },
        { name: 'firstDueDay', label: 'The first is due', type: 'date', isRequired: true },
        ...PAYER_FIELDS,
        { name: 'externalId', label: 'Your own id', hint: 'May be left out. The same id again finds the first plan.' },
        DESCRIPTION_FIELD,
        ...MORE_PAYER_FIELDS,
        {
          ...{ name: 'amounts', apiName: 'amountsCents', label: 'Amounts of their own', type: 'textarea' },
          hint: 'Instead of a number of instalments: one amount a line, which add up to the sum.',
          group: 'Amounts that differ',
        },
        ...TAX_FIELDS,
        {
          ...{ name: 'expireAfterDays', label: 'Payable for how many days after it is due' },
          hint: 'Left empty: 30.',
          group: 'When it is paid late',
        },
        ...noteFields('Notes of your own'),
      ],
      button: 'Create the instalments',
      back: '/dashboard/instalments',
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/instalments',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['externalId', 'firstDueDay', 'currency']),
        ...numbersIn(fields, ['count', 'expireAfterDays']),
        ...amountsIn(fields),
        ...notesIn(fields),
        amountCents: centsIn(textField(fields, 'amount')),
        methods: textField(fields, 'methods').split(' '),
        customer: customerIn(fields),
        ...taxesIn(fields),
      },
    }),
    done: ({ id }) => `/dashboard/instalments/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/instalments/:id/cancel',
    section: 'instalments',
    ask: async (request, params) => {
      const { balance, charges } = await read(request, params);
      return {
        title: 'Cancel these instalments?',
        text: html`<p>Every instalment that can still be paid is withdrawn; what was paid stays. Money that comes anyway is kept and shown.</p>${facts(
          [
            ['Open', `${reais(balance.open.amountCents)} (${balance.open.count})`],
            ['Payer', charges[0]?.customer.name],
          ],
        )}`,
        button: 'Cancel the instalments',
        back: pageOf(params),
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/instalments/${encodeURIComponent(id)}/cancel`, body: {} }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/instalments/:id/withdraw',
    section: 'instalments',
    ask: async (request, params) => {
      const plan = await find(request, params);
      return {
        title: 'Withdraw the link to the page of these instalments?',
        text: html`<p>For a link that reached the wrong person: it opens nothing any more, and the plan has a new one. The checkouts of its charges have links of their own.</p>`,
        fields: [linkField(plan)],
        button: 'Withdraw the link',
        back: pageOf(params),
      };
    },
    call: (fields, params) => ({
      method: 'POST',
      url: `/instalments/${encodeURIComponent(params['id'] ?? '')}/checkout/withdraw`,
      body: { checkoutUrl: linkIn(fields, params, deps.links.instalmentsUrl) },
    }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/instalments/:id/refund',
    section: 'instalments',
    ask: async (request, params) => {
      const { balance, charges } = await read(request, params);
      return {
        title: 'Send all of it back?',
        text: html`<p>The banks are asked to send back all that is left of every payment. It cannot be taken back. What a bank cannot send back stays; the page of its charge says why.</p>${facts(
          [
            ['Paid', `${reais(balance.paid.amountCents)} (${balance.paid.count})`],
            ['Sent back before', balance.refunded.count > 0 && reais(balance.refunded.amountCents)],
            ['Payer', charges[0]?.customer.name],
          ],
        )}`,
        button: 'Refund the instalments',
        back: pageOf(params),
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/instalments/${encodeURIComponent(id)}/refund`, body: {} }),
    done: (_, params) => pageOf(params),
  });
}

function amountsIn(fields: Fields) {
  const lines = textField(fields, 'amounts')
    .split('\n')
    .filter(line => line.trim() !== '');
  return lines.length > 0 && { amountsCents: lines.map(centsIn) };
}
