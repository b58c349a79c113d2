// Acts on subscriptions: pause, resume, cancel.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireCustomer } from '../../billing/customers/require.ts';
import { requireSubscription } from '../../billing/subscriptions/require.ts';
import { html } from '../html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { textField } from './form.ts';
import { facts } from './parts.ts';

export function subscriptionActs(app: FastifyInstance, deps: ActDeps): void {
  const section = 'subscriptions';
  const pageOf = ({ id = '' }: Params) => `/dashboard/subscriptions/${id}`;
  const read = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireSubscription(deps.db, id.toLowerCase(), caller?.accountId);
  /** Which subscription it is. */
  const factsOf = async (request: FastifyRequest, params: Params) => {
    const { description, customerId, accountId } = await read(request, params);
    const customer = await requireCustomer(deps.db, customerId, accountId);
    return facts([
      ['Subscription', description],
      ['Customer', customer.name],
      ['Account', accountId],
    ]);
  };
  const callOf = (verb: string, { id = '' }: Params, body: object = {}) =>
    ({ method: 'POST', url: `/subscriptions/${encodeURIComponent(id)}/${verb}`, body }) as const;

  defineAct(app, deps, {
    url: '/subscriptions/:id/pause',
    section,
    ask: async (request, params) => ({
      title: 'Pause this subscription?',
      text: html`<p>No cycle is charged until it is resumed. The charge of a cycle whose day has not come is withdrawn; the others stay owed.</p>${await factsOf(request, params)}`,
      button: 'Pause the subscription',
      back: pageOf(params),
    }),
    call: (_, params) => callOf('pause', params),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/resume',
    section,
    ask: async (request, params) => ({
      title: 'Resume this subscription?',
      text: html`<p>It goes on with the next of its days. Those that passed while it was paused are not charged.</p>${await factsOf(request, params)}`,
      button: 'Resume the subscription',
      back: pageOf(params),
    }),
    call: (_, params) => callOf('resume', params),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/cancel',
    section,
    ask: async (request, params) => ({
      title: 'Cancel this subscription?',
      text: html`<p>Charges of cycles whose day has not come are withdrawn.</p>${await factsOf(request, params)}`,
      fields: [
        {
          name: 'at',
          label: 'When',
          type: 'select',
          options: [
            { value: 'period_end', label: 'at the end of what is paid for' },
            { value: 'now', label: 'now' },
          ],
        },
        { name: 'forgive', label: 'Withdraw the charges that are owed too (only now)', type: 'checkbox' },
      ],
      button: 'Cancel the subscription',
      back: pageOf(params),
    }),
    call: (fields, params) =>
      callOf('cancel', params, { at: textField(fields, 'at'), forgive: textField(fields, 'forgive') === 'true' }),
    done: (_, params) => pageOf(params),
  });
}
