// Acts on payouts: pause and resume, resume a halted sender, fill a gap, give one up, sweep to a cold address.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AssetSymbol, NETWORKS, type Network, SYMBOLS } from '../../chains/asset.ts';
import { noSuch } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import type { ColdAddresses } from '../../payouts/own-transfers/cold-rules.ts';
import { findPayoutByEither } from '../../payouts/store/list.ts';
import { payoutView } from '../../payouts/view.ts';
import { type Html, html } from '../html.ts';
import { type ActDeps, defineAct, type Field } from './act.ts';
import { textOf } from './api-call.ts';
import { filled } from './form.ts';
import { quantity } from './formats.ts';
import { wholeAddress } from './on-chain.ts';
import { facts, queryOf } from './parts.ts';

const scopeFields = (query: Readonly<Record<string, unknown>>): readonly Field[] => [
  choiceField('network', 'Network', NETWORKS, query['network'], 'every network'),
  choiceField('symbol', 'Asset', SYMBOLS, query['symbol'], 'every asset'),
];

function choiceField(
  name: string,
  label: string,
  values: readonly (Network | AssetSymbol)[],
  value?: unknown,
  any?: string,
): Field {
  const options = values.map(one => ({ value: one, label: one }));
  return {
    name,
    label,
    type: 'select',
    options: any === undefined ? options : [{ value: '', label: any }, ...options],
    value: textOf(value),
  };
}

type PayoutActDeps = ActDeps & { readonly coldAddresses: ColdAddresses };

export function payoutActs(app: FastifyInstance, deps: PayoutActDeps): void {
  defineAct(app, deps, {
    url: '/payouts/pause',
    section: 'payouts',
    ask: async request => ({
      title: 'Pause payouts?',
      text: html`<p>For all accounts, at once and on every node. Orders keep their place in line; transfers that have begun continue.</p>`,
      fields: [
        ...scopeFields(queryOf(request)),
        { name: 'reason', label: 'Why', hint: 'Shown on the waiting orders. Optional.' },
      ],
      button: 'Pause',
      back: '/dashboard/payouts',
    }),
    call: fields => ({ method: 'POST', url: '/payouts/pause', body: filled(fields, ['network', 'symbol', 'reason']) }),
    done: () => '/dashboard/payouts',
  });

  defineAct(app, deps, {
    url: '/payouts/resume',
    section: 'payouts',
    ask: async request => ({
      title: 'Resume payouts?',
      text: html`<p>The waiting orders continue at once. A pause of another scope stays.</p>`,
      fields: scopeFields(queryOf(request)),
      button: 'Resume',
      back: '/dashboard/payouts',
    }),
    call: fields => ({ method: 'POST', url: '/payouts/resume', body: filled(fields, ['network', 'symbol']) }),
    done: () => '/dashboard/payouts',
  });

  defineAct(app, deps, {
    url: '/payouts/sweep',
    section: 'payouts',
    countsForms: true,
    ask: async request => {
      const { network, symbol } = queryOf(request);
      return {
        title: 'Sweep to the cold address?',
        text: html`<p>The surplus of the sender goes to the address of the network in the settings, and to no other. What open
payouts and orders in line need stays.</p>${coldFacts(deps)}`,
        fields: [
          choiceField('network', 'Network', NETWORKS, network),
          choiceField('symbol', 'Asset', SYMBOLS, symbol),
          { name: 'quantity', label: 'Quantity', hint: 'Or all. Left empty: what is above the ceiling.' },
        ],
        button: 'Sweep',
        back: '/dashboard/payouts',
      };
    },
    call: fields => ({
      method: 'POST',
      url: '/payouts/sweep',
      body: filled(fields, ['network', 'symbol', 'quantity']),
    }),
    done: ({ id }) => `/dashboard/payouts/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/payouts/senders/resume',
    section: 'payouts',
    needsFreshLogin: true,
    ask: async request => {
      const { network, sender } = queryOf(request);
      return {
        title: 'Resume this sender?',
        text: html`<p>Someone else used its key, or the database is older than the network. Find out which first: anyone who has the key sends what they can, and
orders that the network has paid must be settled. Then the orders in line take slots of this sender again, behind those that the network
has used. Orders held as slot taken stay held until their transfer is given up.</p>`,
        fields: [
          choiceField('network', 'Network', NETWORKS, network),
          { name: 'sender', label: 'Sender', isRequired: true, value: textOf(sender) },
        ],
        button: 'Resume',
        back: '/dashboard/payouts',
      };
    },
    call: fields => ({ method: 'POST', url: '/payouts/senders/resume', body: filled(fields, ['network', 'sender']) }),
    done: () => '/dashboard/payouts',
  });

  defineAct(app, deps, {
    url: '/payouts/senders/fill-gap',
    section: 'payouts',
    needsFreshLogin: true,
    ask: async request => ({
      title: 'Fill the gap in the slots?',
      text: html`<p>Slots of the sender were skipped, so nothing after them is mined. Each is used up by a transaction that moves nothing and costs a
fee. Without a gap nothing happens.</p>`,
      fields: [choiceField('network', 'Network', NETWORKS, queryOf(request)['network'])],
      button: 'Fill it',
      back: '/dashboard/payouts',
    }),
    call: fields => ({ method: 'POST', url: '/payouts/senders/fill-gap', body: filled(fields, ['network']) }),
    done: () => '/dashboard/payouts',
  });

  async function requirePayout({ caller }: FastifyRequest, id: string) {
    const found = isUuid(id) ? await findPayoutByEither(deps.db, id, caller?.accountId) : undefined;
    if (!found) throw noSuch('payout');
    return payoutView(found);
  }

  defineAct(app, deps, {
    url: '/payouts/:id/void',
    section: 'payouts',
    ask: async (request, { id = '' }) => {
      const payout = await requirePayout(request, id.toLowerCase());
      return {
        title: 'Give up this payout?',
        text: html`<p>A transaction that moves nothing uses up its slot. If a block includes the transfer first, the transfer stands.</p>${facts(
          [
            ['Quantity', quantity(payout.quantity, payout.symbol)],
            ['Network', payout.network],
            ['To', wholeAddress(deps, payout.network, payout.destination)],
            ['Nonce', html`<code>${payout.nonce}</code>`],
          ],
        )}`,
        button: 'Give it up',
        back: `/dashboard/payouts/${payout.id}`,
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/payouts/${encodeURIComponent(id)}/void`, body: {} }),
    done: (_, { id = '' }) => `/dashboard/payouts/${id}`,
  });
}

/** In full: what is swept to a wrong address does not come back. */
function coldFacts(deps: PayoutActDeps): Html {
  const known = Object.entries(deps.coldAddresses);
  if (known.length === 0)
    return html`<p class="note warn">No network has a cold address: <code>payouts.coldAddresses</code> is empty.</p>`;
  return facts(known.map(([network, address]) => [`On ${network}`, wholeAddress(deps, network, address)]));
}
