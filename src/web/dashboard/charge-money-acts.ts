// Acts on the money of a charge: record a payment, send money back.
import type { FastifyInstance } from 'fastify';
import type { Charge, Payment } from '../../charges/charge.ts';
import { excessCents } from '../../charges/life.ts';
import { html } from '../html.ts';
import { type ActDeps, defineAct, type Field } from './act.ts';
import { textOf } from './api-call.ts';
import { shownCharge } from './charge-acts.ts';
import { centsIn, filled, minuteIn, textField } from './form.ts';
import { fieldAmount, reais } from './formats.ts';
import { facts, queryOf } from './parts.ts';
import { METHOD_CHOICES } from './payer-fields.ts';

function paymentField(payments: readonly Payment[]): Field {
  const options = payments.map(({ id, amountCents, reference }) => ({
    value: id,
    label: `${reais(amountCents)}, ${reference}`,
  }));
  return {
    name: 'paymentId',
    label: 'Of the payment',
    type: 'select',
    options: [{ value: '', label: 'the newest that has enough left' }, ...options],
  };
}

const sumOf = (parts: readonly { readonly amountCents: bigint }[]) =>
  parts.reduce((sum, { amountCents }) => sum + amountCents, 0n);

function leftOfNewest({ payments, refunds }: Charge): bigint {
  const newest = payments.at(-1);
  if (!newest) return 0n;
  const sentBack = refunds.filter(({ paymentId, status }) => paymentId === newest.id && status !== 'FAILED');
  return newest.amountCents - sumOf(sentBack);
}

/** The initial value of the field: empty when nothing is left. */
function amountLeft(charge: Charge): string {
  const left = leftOfNewest(charge);
  return left > 0n ? fieldAmount(left) : '';
}

export function chargeMoneyActs(app: FastifyInstance, deps: ActDeps): void {
  defineAct(app, deps, {
    url: '/charges/:id/refund',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      const paid = sumOf(charge.payments);
      const excess = excessCents(charge);
      const sentBack = sumOf(charge.refunds.filter(({ status }) => status !== 'FAILED'));
      return {
        title: 'Send money back?',
        text: html`<p>The bank is asked to return it to the payer. This cannot be undone.</p>${facts([
          ['Paid', reais(paid)],
          ['Sent back before', sentBack > 0n && reais(sentBack)],
          ['Left', sentBack > 0n && reais(paid - sentBack)],
          ['Payer', charge.customer.name],
        ])}`,
        fields: [
          {
            name: 'amount',
            apiName: 'amountCents',
            label: 'Amount',
            isRequired: excess === 0n,
            value: textOf(queryOf(request)['amount']) || amountLeft(charge),
            hint: 'The rest of the newest payment, unless you enter less.',
          },
          ...(excess > 0n ? [{ name: 'excess', label: 'Only the excess', type: 'checkbox' } as const] : []),
          ...(charge.payments.length > 1 ? [paymentField(charge.payments)] : []),
        ],
        button: 'Refund',
        back,
      };
    },
    call: (fields, { id = '' }) => {
      const isExcess = textField(fields, 'excess') === 'true';
      // For the API an absent amount means all; an empty field must not send everything back.
      const body = {
        ...(isExcess ? { excess: true } : { amountCents: centsIn(textField(fields, 'amount')) }),
        ...filled(fields, ['paymentId']),
      };
      return { method: 'POST', url: `/charges/${encodeURIComponent(id)}/refunds`, body };
    },
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/record',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shownCharge(deps, request, params);
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      return {
        title: 'Record a payment?',
        text: html`<p>For money that you see at your bank and that was not reported to the service. The same reference is recorded once.</p>${facts(
          [
            ['Asked for', reais(charge.payableCents)],
            ['Payer', charge.customer.name],
          ],
        )}`,
        fields: [
          {
            name: 'amount',
            apiName: 'amountCents',
            label: 'Amount',
            isRequired: true,
            value: query.get('amount') ?? '',
          },
          {
            name: 'reference',
            label: "The bank's id of the payment",
            isRequired: true,
            value: query.get('reference') ?? '',
          },
          { name: 'method', label: 'Paid by', type: 'select', options: METHOD_CHOICES },
          {
            name: 'paidTime',
            apiName: 'paidAt',
            label: 'Paid at',
            type: 'datetime-local',
            hint: 'São Paulo time. Left empty: now.',
          },
          {
            name: 'isAnother',
            label: 'Record it even though the charge has a payment of the same amount',
            type: 'checkbox',
          },
        ],
        button: 'Record the payment',
        back,
      };
    },
    call: (fields, { id = '' }) => {
      const paidAt = minuteIn(fields, 'paidTime');
      const body = {
        amountCents: centsIn(textField(fields, 'amount')),
        ...filled(fields, ['reference', 'method']),
        ...(paidAt !== undefined && { paidAt }),
        ...(textField(fields, 'isAnother') === 'true' && { isAnother: true }),
      };
      return { method: 'POST', url: `/charges/${encodeURIComponent(id)}/payments`, body };
    },
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });
}
