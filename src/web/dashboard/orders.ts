// Orders of crypto: open and fulfilled ones, those on hold with their ways out, those that ended.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { pageParameters } from '../../api/paging.ts';
import { OneOf, Text } from '../../api/schemas.ts';
import { SYMBOLS } from '../../chains/asset.ts';
import { listQuery } from '../../http/server/list-query.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import type { PageCounts, PageQuery } from '../../lib/paging.ts';
import { listEndedOrders, listFilteredOrders, listHeldOrders, listTransactions } from '../../orders/list.ts';
import { STATUSES } from '../../orders/order.ts';
import { requireOrder, type ShowOrderDeps, showOrder } from '../../orders/show.ts';
import { readAccountsOf } from '../../orders/store-list.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { isRecord, textOf } from './api-call.ts';
import { approvalsCard } from './approvals.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, pageReader, sendCsv, walkBack, walkPages, walkWindows } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters, searchedNote } from './filters.ts';
import { cost, count, dayOf, price, quantity, quantityText, when } from './formats.ts';
import { HOLDS, waysOut } from './holds.ts';
import { wholeAddress, wholeHash } from './on-chain.ts';
import { badge, facts, idLink, pager, table } from './parts.ts';
import { PAYER_FILTERS, payerFilterIn, payerParameters } from './payer-filter.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & Pick<ShowOrderDeps, 'chains' | 'approvalRules'>;

const HIDDEN = { schema: { hide: true } } as const;
const SHOWN = ['held', 'ended'] as const;

const OrdersQuery = Type.Object({
  show: Type.Optional(OneOf(SHOWN)),
  status: Type.Optional(OneOf(STATUSES)),
  symbol: Type.Optional(OneOf(SYMBOLS)),
  accountId: Type.Optional(Text()),
  ...payerParameters,
  ...pageParameters,
});

type Listed = {
  readonly rows: readonly (readonly Piece[])[];
  readonly counts: PageCounts;
  readonly searchedTo?: Date | undefined;
};

export function orderPages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'show', label: 'Show', options: SHOWN },
    { name: 'status', label: 'Status', options: STATUSES },
    { name: 'symbol', label: 'Asset', options: SYMBOLS },
    ...PAYER_FILTERS,
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];

  const page = filteredPage(deps, { title: 'Orders', section: 'orders', filters }, async (request, reply, filled) => {
    const { show, status, symbol, filter, ...query } = queryFor(deps, request);
    const read = async (): Promise<Listed> => {
      if (isLookedThrough({ show, status, symbol, filter })) {
        const asked = { ...query, ...status, ...symbol };
        const { orders, searchedTo, ...counts } = await listFilteredOrders(deps, show ?? 'going', asked, filter ?? {});
        return { rows: orders.map(order => rowOf(markedOf(request, order))), counts, searchedTo };
      }
      if (show === 'held') {
        const { orders, ...counts } = await listHeldOrders(deps, query);
        return {
          rows: orders.map(order => rowOf(markedOf(request, order))),
          counts,
        };
      }
      if (show === 'ended') {
        const { orders, ...counts } = await listEndedOrders(deps, query);
        return { rows: orders.map(order => rowOf(markedOf(request, order))), counts };
      }
      const { orders, counts } = await ordersIn(deps, await listTransactions(deps, { ...query, ...status, ...symbol }));
      return { rows: orders.map(rowOf), counts };
    };
    const { rows, counts, searchedTo } = await read();
    const shown = shell(deps, request, {
      title: 'Orders',
      section: 'orders',
      version: await deps.versionOf(),
      acts: [
        may(request.caller, 'quotes:write') &&
          html`<a class="button secondary" href="/dashboard/orders/quote">Ask for a price</a> `,
        may(request.caller, 'transactions:write') && html`<a class="button" href="/dashboard/orders/new">New order</a>`,
      ],
      body: html`${filterForm(request, filled, csvLink(request, '/dashboard/orders.csv'))}
<div data-live="list">${table({ caption: 'Orders', head: ['Order', 'Status', '#Quantity', '#Cost', 'Wallet', 'Account', 'Settles', 'Created', ''], rows, empty: 'No order fits these filters.' })}
${pager(request, counts)}${searchedNote(request, 'orders', searchedTo)}</div>`,
    });
    return sendHtml(request, reply, shown);
  });
  app.get('/dashboard/orders', HIDDEN, page);

  app.get('/dashboard/orders.csv', HIDDEN, async (request, reply) => {
    const { show, status, symbol, filter, ...query } = queryFor(deps, request);
    const readPage = pageReader(deps, request, reply);
    const read = async (page: PageQuery): Promise<readonly Row[]> => {
      const asked = { ...query, ...page };
      return readPage(async db => {
        if (show === 'ended') return (await listEndedOrders({ db }, asked)).orders;
        return (await ordersIn({ ...deps, db }, await listTransactions({ db }, { ...asked, ...status, ...symbol })))
          .orders;
      });
    };
    if (isLookedThrough({ show, status, symbol, filter })) {
      const look = async (page: PageQuery) => {
        const asked = { ...query, ...page, ...status, ...symbol };
        const { orders: rows, searchedTo } = await readPage(db =>
          listFilteredOrders({ db }, show ?? 'going', asked, filter ?? {}),
        );
        return { rows, ...(searchedTo && { searchedTo }) };
      };
      const found = walkWindows<Row>(deps.clock.now(), query, look, ({ transactionId: id, createdAt: at }) => ({
        id,
        at,
      }));
      return sendCsv(reply, 'orders', CSV, found);
    }
    // Orders on hold are few and sorted by the longest hold: they are read by page number.
    const pages =
      show === 'held'
        ? walkPages<Row>(async page => {
            const { orders, hasMore } = await listHeldOrders(deps, { ...query, ...page });
            return { rows: orders, hasMore };
          })
        : walkBack(deps.clock.now(), query, read, ({ transactionId: id, createdAt: at }) => ({ id, at }));
    return sendCsv(reply, 'orders', CSV, pages);
  });

  app.get<{ Params: { id: string } }>('/dashboard/orders/:id', HIDDEN, async (request, reply) => {
    const found = await requireOrder(deps.db, request.params.id.toLowerCase(), request.caller?.accountId);
    const order = await showOrder(deps, found);
    const { transfer, holdReason } = order;
    const isUnpaid = order.status === 'pending_payment' && order.endedAs === undefined;
    const shown = shell(deps, request, {
      title: `Order of ${quantityText(order.exact.quantity, order.symbol)}`,
      section: 'orders',
      version: await deps.versionOf(),
      acts: isUnpaid &&
        may(request.caller, 'transactions:write') && [
          order.chargeId === undefined &&
            html`<a class="button" href="/dashboard/orders/${order.transactionId}/charge">Name who pays</a> `,
          html`<a class="button secondary" href="/dashboard/orders/${order.transactionId}/cancel">Cancel</a>`,
        ],
      body: html`<div data-live="order"><p class="state">${badge(order.endedAs ?? order.status)} ${holdReason && badge('held')}</p>
${holdReason && html`<section class="card attention"><h2>On hold: ${holdReason.replaceAll('_', ' ')}</h2><p>${HOLDS[holdReason].text} ${order.lastError}</p><p>${waysOut(request.caller, order)}</p></section>`}
<section class="card">${facts([
        ['Id', html`<code>${order.transactionId}</code>`],
        ['Account', order.accountId],
        ['External id', order.externalId],
        ['Quantity', quantity(order.exact.quantity, order.symbol)],
        ['Network', order.network],
        ['Costs', cost(order.exact.cost, order.currency)],
        ['Price', price(order.exact.price, order.currency)],
        ['Wallet', html`${order.walletName} ${wholeAddress(deps, order.network, order.walletAddress)}`],
        ['Settles', html`${order.settlementSchedule}, ${when(order.settlementDate)}`],
        ['Waits since', order.waitingSince && when(order.waitingSince)],
        ['Charge', order.chargeId && idLink(`/dashboard/charges/${order.chargeId}`, order.chargeId)],
        ['Created', when(order.createdAt)],
      ])}</section>
${
  transfer &&
  html`<section class="card"><h2>Transfer</h2>${facts([
    ['State', badge(transfer.state)],
    ['Hash', transfer.hash && wholeHash(deps, order.network, transfer.hash)],
    ['Sender', wholeAddress(deps, order.network, transfer.sender)],
    [
      'Confirmations',
      `${count(transfer.confirmations)}${transfer.confirmationsNeeded === undefined ? '' : ` of ${count(transfer.confirmationsNeeded)}`}`,
    ],
    ['Given up', transfer.voidRequestedAt && when(transfer.voidRequestedAt)],
  ])}</section>`
}
${approvalsCard(order.approvals)}
<section class="card"><h2>What happened</h2><ol class="timeline">${order.timeline.map(entry => html`<li>${when(entry.at)} ${entry.event}${entry.holdReason && `: ${entry.holdReason}`}</li>`)}</ol>
<p><a href="/dashboard/ledger?transactionId=${order.transactionId}">In the ledger</a></p></section></div>`,
    });
    return sendHtml(request, reply, shown);
  });
}

type Asked = Pick<ReturnType<typeof queryFor>, 'show' | 'status' | 'symbol' | 'filter'>;

/** Filters without counts: by payer and amount, and by status or asset of orders on hold or ended. */
function isLookedThrough({ show, status, symbol, filter }: Asked): boolean {
  return filter !== undefined || (show !== undefined && (status !== false || symbol !== false));
}

/** An order on hold or ended, and the acts on it. */
function markedOf({ caller }: FastifyRequest, order: OrderView): Row {
  const acts = order.holdReason === undefined ? undefined : waysOut(caller, order);
  return { ...order, mark: order.endedAs ?? order.holdReason, acts };
}

type OrderView = Awaited<ReturnType<typeof listEndedOrders>>['orders'][number];

type Row = {
  readonly transactionId: string;
  readonly status: string;
  readonly symbol: string;
  readonly network: string;
  readonly walletName: string;
  readonly walletAddress: string;
  readonly accountId?: string;
  readonly holdReason?: string;
  readonly endedAs?: string;
  readonly currency: string;
  readonly settlementDate: string;
  readonly createdAt: string;
  readonly exact: { readonly quantity: string; readonly cost: string };
  readonly mark?: string | undefined;
  readonly acts?: Piece;
};

function rowOf(order: Row): readonly Piece[] {
  return [
    idLink(`/dashboard/orders/${order.transactionId}`, order.transactionId),
    [badge(order.status), order.mark !== undefined && badge(order.mark)],
    quantity(order.exact.quantity, order.symbol),
    cost(order.exact.cost, order.currency),
    html`${order.walletName} <span class="muted">on ${order.network}</span>`,
    order.accountId,
    dayOf(order.settlementDate),
    when(order.createdAt),
    order.acts,
  ];
}

/** The list is JSON from PostgreSQL; its numbers are read digit for digit. */
async function ordersIn({ db }: Deps, json: string): Promise<{ orders: readonly Row[]; counts: PageCounts }> {
  const body = parseExactJson(json);
  const { transactions, total, totalPages, currentPage, hasMore } = isRecord(body) ? body : {};
  const listed = (Array.isArray(transactions) ? transactions : []).filter(isRecord);
  const accounts = await readAccountsOf(
    db,
    listed.map(order => textOf(order['transactionId'])),
  );
  const orders = listed.map((order): Row => {
    const field = (name: string) => textOf(order[name]);
    const accountId = accounts.get(field('transactionId'));
    return {
      ...(accountId !== undefined && { accountId }),
      transactionId: field('transactionId'),
      status: field('status'),
      symbol: field('symbol'),
      network: field('network'),
      walletName: field('walletName'),
      walletAddress: field('walletAddress'),
      currency: field('currency'),
      settlementDate: field('settlementDate'),
      createdAt: field('createdAt'),
      exact: { quantity: field('quantity'), cost: field('cost') },
    };
  });
  const counts = {
    total: Number(total),
    totalPages: Number(totalPages),
    currentPage: Number(currentPage),
    hasMore: hasMore === true,
  };
  return { orders, counts };
}

function queryFor({ pageSize: size }: Deps, request: FastifyRequest) {
  const { show, status, symbol, payer, amountFrom, amountTo, ...asked } = listQuery(
    readFilters(OrdersQuery, request),
    request.caller,
    size,
  );
  return {
    ...asked,
    show,
    status: status !== undefined && { status },
    symbol: symbol !== undefined && { symbol },
    filter: payerFilterIn({ payer, amountFrom, amountTo }),
  };
}

const CSV: Columns<Row> = {
  id: order => order.transactionId,
  account: order => order.accountId,
  status: order => order.status,
  hold: order => order.holdReason,
  ended: order => order.endedAs,
  quantity: order => order.exact.quantity,
  asset: order => order.symbol,
  network: order => order.network,
  cost: order => order.exact.cost,
  currency: order => order.currency,
  wallet: order => order.walletAddress,
  settles: order => order.settlementDate,
  created: order => order.createdAt,
};
