// Acts on top-ups: ask for one, approve one.
import type { FastifyInstance } from 'fastify';
import { NETWORKS } from '../../chains/asset.ts';
import type { TopUpDeps } from '../../payouts/own-transfers/make-top-up.ts';
import { listWaitingTopUps, requireTopUp, showTopUp } from '../../payouts/own-transfers/show-top-up.ts';
import { type Html, html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct } from './act.ts';
import { textOf } from './api-call.ts';
import { approvalsCard } from './approvals.ts';
import type { ListDeps } from './charges.ts';
import { filled } from './form.ts';
import { quantity, when } from './formats.ts';
import { wholeAddress } from './on-chain.ts';
import { facts, table } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & ActDeps & { readonly topUps: TopUpDeps };

export function topUpActs(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard/payouts/top-ups', { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const waiting = await listWaitingTopUps(deps.topUps);
    const rows = waiting.map(({ id, network, symbol, from, to, approvals, ...topUp }) => [
      quantity(topUp.quantity, symbol),
      network,
      wholeAddress(deps, network, from),
      wholeAddress(deps, network, to),
      html`<code>${topUp.requestedBy}</code>`,
      approvals?.groups.map(({ name, given, needed }) => html`${name} ${given} of ${needed} `),
      when(topUp.createdAt),
      may(caller, 'payouts:approve') &&
        html`<a class="button secondary small" href="/dashboard/payouts/top-ups/${id}/approve">Approve</a>`,
    ]);
    const head = ['#Quantity', 'Network', 'From', 'To', 'Asked for by', 'Approvals', 'Since', ''];
    const shown = shell(deps, request, {
      title: 'Top-ups',
      section: 'payouts',
      acts:
        may(caller, 'payouts:write') && html`<a class="button" href="/dashboard/payouts/top-up">Top up a sender</a>`,
      body: table({ caption: 'Top-ups that wait for approvals', head, rows, empty: 'No top-up waits for approvals.' }),
    });
    return sendHtml(request, reply, shown);
  });

  defineAct(app, deps, {
    url: '/payouts/top-up',
    section: 'payouts',
    countsForms: true,
    ask: async () => ({
      title: 'Top up a sender?',
      text: html`<p>Coin of the network goes from one sender of the service to another, and to no other address, so that it can pay fees. Limits and
approvals of the coin hold.</p>${sendersFacts(deps)}`,
      fields: [
        {
          name: 'network',
          label: 'Network',
          type: 'select',
          options: NETWORKS.map(value => ({ value, label: value })),
        },
        { name: 'from', label: 'From', isRequired: true },
        { name: 'to', label: 'To', isRequired: true },
        { name: 'quantity', label: 'Quantity', isRequired: true, hint: 'Of the coin of the network.' },
      ],
      button: 'Top up',
      back: '/dashboard/payouts',
    }),
    call: fields => ({
      method: 'POST',
      url: '/payouts/top-ups',
      body: filled(fields, ['network', 'from', 'to', 'quantity']),
    }),
    done: ({ id, payoutId }) =>
      payoutId === undefined
        ? `/dashboard/payouts/top-ups/${textOf(id)}/approve`
        : `/dashboard/payouts/${textOf(payoutId)}`,
  });

  defineAct(app, deps, {
    url: '/payouts/top-ups/:id/approve',
    section: 'payouts',
    ask: async (_, { id = '' }) => {
      const topUp = await showTopUp(deps.topUps, await requireTopUp(deps.topUps, id.toLowerCase()));
      return {
        title: 'Approve this top-up?',
        text: html`<p>You confirm that this amount may go from one sender to the other. It is sent with the last approval.</p>${facts(
          [
            ['Quantity', quantity(topUp.quantity, topUp.symbol)],
            ['Network', topUp.network],
            ['From', wholeAddress(deps, topUp.network, topUp.from)],
            ['To', wholeAddress(deps, topUp.network, topUp.to)],
            ['Asked for by', html`<code>${topUp.requestedBy}</code>`],
            ['State', topUp.state.replaceAll('_', ' ')],
          ],
        )}${approvalsCard(topUp.approvals)}`,
        button: 'Approve the top-up',
        back: '/dashboard/payouts',
      };
    },
    call: (_, { id = '' }) => ({
      method: 'POST',
      url: `/payouts/top-ups/${encodeURIComponent(id)}/approve`,
      body: {},
    }),
    done: ({ payoutId }) => (payoutId === undefined ? '/dashboard/payouts' : `/dashboard/payouts/${textOf(payoutId)}`),
  });
}

function sendersFacts(deps: Deps): Html {
  const { chains } = deps.topUps;
  return facts(
    NETWORKS.flatMap(network => {
      const senders = chains[network]?.senders ?? [];
      return senders.map(one => [`On ${network}`, wholeAddress(deps, network, one)] as const);
    }),
  );
}
