// Payouts: the list, and one payout with every transaction signed for its slot.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isOfOneAccount } from '../../accounts/caller.ts';
import { PayoutsQuery } from '../../api/payouts.ts';
import { NETWORKS } from '../../chains/asset.ts';
import { listQuery } from '../../http/server/list-query.ts';
import { noSuch } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { PAYOUT_STATES } from '../../payouts/payout.ts';
import { findPayoutByEither } from '../../payouts/store/list.ts';
import { listPayouts, payoutView } from '../../payouts/view.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, pageReader, sendCsv, walkBack } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { count, quantity, quantityText, when } from './formats.ts';
import { shortAddress, wholeAddress, wholeHash } from './on-chain.ts';
import { haltedSenders, type OutsideNeedDeps, openAlarms, openPauses } from './outside-needs.ts';
import { badge, facts, idLink, pager, table } from './parts.ts';
import { may, shell } from './shell.ts';

const HIDDEN = { schema: { hide: true } } as const;

export function payoutPages(app: FastifyInstance, deps: OutsideNeedDeps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'state', label: 'State', options: PAYOUT_STATES },
    { name: 'network', label: 'Network', options: NETWORKS },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];

  const page = filteredPage(deps, { title: 'Payouts', section: 'payouts', filters }, async (request, reply, filled) => {
    const { payouts, ...counts } = await listPayouts(deps, queryFor(deps, request));
    const rows = payouts.map(payout => [
      idLink(`/dashboard/payouts/${payout.id}`, payout.id),
      badge(payout.state),
      quantity(payout.quantity, payout.symbol),
      payout.network,
      shortAddress(deps, payout.network, payout.destination),
      payout.transactionId === undefined
        ? payout.purpose.replace('_', ' ')
        : idLink(`/dashboard/orders/${payout.transactionId}`, payout.transactionId),
      payout.accountId,
      when(payout.createdAt),
    ]);
    const shown = shell(deps, request, {
      title: 'Payouts',
      section: 'payouts',
      version: await deps.versionOf(),
      acts: [
        may(request.caller, 'payouts:write') &&
          html`<a class="button secondary" href="/dashboard/payouts/pause">Pause</a> `,
        may(request.caller, 'payouts:sweep') &&
          html`<a class="button secondary" href="/dashboard/payouts/sweep">Sweep to cold</a> `,
        may(request.caller, 'payouts:read') &&
          !isOfOneAccount(request.caller) &&
          html`<a class="button secondary" href="/dashboard/payouts/top-ups">Top-ups</a>`,
      ],
      body: html`<div data-live="needs">${await haltedSenders(deps, request)}${await openPauses(deps, request)}${await openAlarms(deps, request)}</div>
${filterForm(request, filled, csvLink(request, '/dashboard/payouts.csv'))}
<div data-live="list">${table({ caption: 'Payouts', head: ['Payout', 'State', '#Quantity', 'Network', 'To', 'For', 'Account', 'Begun'], rows, empty: 'No payout fits these filters.' })}
${pager(request, counts)}</div>`,
    });
    return sendHtml(request, reply, shown);
  });

  app.get('/dashboard/payouts', HIDDEN, page);

  app.get('/dashboard/payouts.csv', HIDDEN, async (request, reply) => {
    const query = queryFor(deps, request);
    const read = pageReader(deps, request, reply);
    const pages = walkBack(
      deps.clock.now(),
      query,
      async page => (await read(db => listPayouts({ ...deps, db }, { ...query, ...page }))).payouts,
      ({ id, createdAt }) => ({ id, at: createdAt }),
    );
    return sendCsv(reply, 'payouts', CSV, pages);
  });

  app.get<{ Params: { id: string } }>('/dashboard/payouts/:id', HIDDEN, async (request, reply) => {
    const id = request.params.id.toLowerCase();
    const found = isUuid(id) ? await findPayoutByEither(deps.db, id, request.caller?.accountId) : undefined;
    if (!found) throw noSuch('payout');
    const payout = payoutView(found);
    const { networkFee, block, transactionId } = payout;
    const shown = shell(deps, request, {
      title: `Payout of ${quantityText(payout.quantity, payout.symbol)}`,
      section: 'payouts',
      version: await deps.versionOf(),
      acts:
        payout.state === 'open' &&
        may(request.caller, 'transfers:write') &&
        html`<a class="button secondary" href="/dashboard/payouts/${payout.id}/void">Give up</a>`,
      body: html`<div data-live="payout"><p class="state">${badge(payout.state)}</p>
<section class="card">${facts([
        ['Id', html`<code>${payout.id}</code>`],
        [
          'For',
          transactionId === undefined
            ? `a ${payout.purpose.replace('_', ' ')}`
            : idLink(`/dashboard/orders/${transactionId}`, transactionId),
        ],
        ['Account', payout.accountId],
        ['Network', payout.network],
        ['To', wholeAddress(deps, payout.network, payout.destination)],
        ['Sender', wholeAddress(deps, payout.network, payout.sender)],
        ['Nonce', html`<code>${payout.nonce}</code>`],
        ['Hash', payout.hash && wholeHash(deps, payout.network, payout.hash)],
        ['Block', block && html`<code>${String(block.number)}</code>`],
        ['Confirmations', payout.confirmations === undefined ? undefined : count(payout.confirmations)],
        ['Network fee', networkFee && quantity(networkFee.amount, networkFee.coin)],
        ['Left the sender', payout.leftQuantity && quantity(payout.leftQuantity, payout.symbol)],
        ['Last lookup', payout.lastSighting],
        ['Given up', payout.voidRequestedAt && when(payout.voidRequestedAt)],
        ['Begun', when(payout.createdAt)],
      ])}</section>
<section class="card"><h2>Signed transactions</h2><p class="muted">All have the same nonce, so at most one of them is included in a block.</p>${table(
        {
          caption: 'Signed transactions',
          head: ['#', 'Kind', 'Signed', 'Hash'],
          rows: payout.attempts.map(attempt => [
            String(attempt.number),
            attempt.kind,
            when(attempt.signedAt),
            wholeHash(deps, payout.network, attempt.hash),
          ]),
          empty: 'Nothing is signed yet.',
        },
      )}</section></div>`,
    });
    return sendHtml(request, reply, shown);
  });
}

function queryFor({ pageSize }: OutsideNeedDeps, request: FastifyRequest) {
  return listQuery(readFilters(PayoutsQuery, request), request.caller, pageSize);
}

const CSV: Columns<ReturnType<typeof payoutView>> = {
  id: payout => payout.id,
  account: payout => payout.accountId,
  order: payout => payout.transactionId,
  state: payout => payout.state,
  quantity: payout => payout.quantity,
  asset: payout => payout.symbol,
  network: payout => payout.network,
  destination: payout => payout.destination,
  sender: payout => payout.sender,
  nonce: payout => payout.nonce,
  hash: payout => payout.hash,
  'network fee': payout => payout.networkFee?.amount,
  coin: payout => payout.networkFee?.coin,
  created: payout => payout.createdAt,
};
