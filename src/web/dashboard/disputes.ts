// Disputes: the list, one with its evidence and its history, and the list as CSV.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DisputesQuery } from '../../api/disputes.ts';
import { DISPUTE_STATUSES, type Dispute, isLate } from '../../charges/disputes/dispute.ts';
import { listDisputes } from '../../charges/disputes/list.ts';
import { requireDispute } from '../../charges/disputes/require.ts';
import { showDispute } from '../../charges/disputes/show.ts';
import { requireCharge } from '../../charges/require.ts';
import { readObjectEvents } from '../../events/store-newest.ts';
import { listQuery } from '../../http/server/list-query.ts';
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Database } from '../../storage/database.ts';
import { type Html, html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, csvOfList } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { count, reais, when } from './formats.ts';
import { badge, facts, idLink, pager, table } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & { readonly db: Database };

const HIDDEN = { schema: { hide: true } } as const;

export function disputePages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'status', label: 'Status', options: DISPUTE_STATUSES },
    { name: 'chargeId', label: 'Charge', hint: 'its id' },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];
  const options = { title: 'Disputes', section: 'disputes', filters };

  const show = filteredPage(deps, options, async (request, reply, shown) => {
    const list = await listDisputes(deps, queryFor(deps, request));
    const page = shell(deps, request, {
      title: 'Disputes',
      section: 'disputes',
      version: await deps.versionOf(),
      body: html`${filterForm(request, shown, csvLink(request, '/dashboard/disputes.csv'))}
<div data-live="list">${table({ caption: 'Disputes', head: ['Dispute', 'Status', '#Amount', 'Cause', 'Blocked until', 'Charge', 'Account', 'Opened'], rows: list.disputes.map(rowOf), empty: 'No dispute fits these filters.' })}
${pager(request, list)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/disputes', HIDDEN, show);

  csvOfList(app, deps, {
    name: 'disputes',
    columns: CSV,
    query: request => queryFor(deps, request),
    read: async (db, query) => (await listDisputes({ ...deps, db }, query)).disputes,
  });

  app.get<{ Params: { id: string } }>('/dashboard/disputes/:id', HIDDEN, async (request, reply) => {
    const { caller } = request;
    const found = await requireDispute(deps.db, request.params.id.toLowerCase(), caller?.accountId);
    const [dispute, charge, events] = await Promise.all([
      showDispute(deps, found),
      requireCharge(deps.db, found.chargeId),
      readObjectEvents(deps.db, found.id, found.accountId),
    ]);
    const at = `/dashboard/disputes/${dispute.id}`;
    const act = (path: string, label: string) => html`<a class="button secondary" href="${at}/${path}">${label}</a> `;
    const { orderId } = charge;
    const page = shell(deps, request, {
      title: `Dispute of ${reais(dispute.amountCents)}`,
      section: 'disputes',
      version: await deps.versionOf(),
      acts: may(caller, 'refunds:write') && [
        act('evidence', 'Write evidence'),
        act('upload', 'Upload evidence'),
        act('change', 'Change'),
        dispute.status === 'open' && act('close', 'Record its end'),
      ],
      body: html`<div data-live="dispute"><p class="state">${badge(dispute.status)}</p>
<section class="card">${facts([
        ['Id', html`<code>${dispute.id}</code>`],
        ['Account', dispute.accountId],
        ['Charge', idLink(`/dashboard/charges/${dispute.chargeId}`, dispute.chargeId)],
        ['Order', orderId && idLink(`/dashboard/orders/${orderId}`, orderId)],
        ['Cause', html`${CAUSES[dispute.cause]} (<code>${dispute.bankCode}</code>)`],
        ['Blocked now', reais(dispute.blockedCents)],
        ['Blocked until', dispute.status === 'open' && untilOf(found, deps.clock.now())],
        ['Note', dispute.note],
        ['Rail', dispute.rail],
        ['Payment', html`<code class="long">${dispute.paymentReference}</code>`],
        ['Return', html`<code class="long">${dispute.returnReference}</code>`],
        ['Opened', when(dispute.createdAt)],
        ['Ended', dispute.closedAt && endOf(dispute)],
        ['Reason', dispute.reason],
      ])}</section>
<section class="card"><h2>Evidence</h2>${table({
        caption: 'Evidence',
        head: ['Added', 'What', '#Bytes', ''],
        rows: dispute.evidence.map(one => [
          when(one.createdAt),
          one.text ?? one.name ?? one.mediaType,
          count(one.size),
          one.erasedAt === undefined
            ? html`<a class="button secondary small" href="/disputes/${dispute.id}/evidence/${one.id}/content">Download</a>`
            : html`erased ${when(one.erasedAt)}`,
        ]),
        empty: 'None is kept here.',
      })}</section>
<section class="card"><h2>What happened</h2><ol class="timeline">${events.map(event => html`<li>${when(event.occurredAt)} <a href="/dashboard/events/${event.id}">${event.type}</a></li>`)}</ol>
<p><a href="/dashboard/ledger?chargeId=${dispute.chargeId}">In the ledger</a></p></section></div>`,
    });
    return sendHtml(request, reply, page);
  });
}

type Listed = Awaited<ReturnType<typeof listDisputes>>['disputes'][number];

export const CAUSES: Readonly<Record<Dispute['cause'], string>> = {
  fraud: 'suspected fraud',
  operational_failure: 'failure of a bank',
  automatic_pix: 'Pix Automático',
  other: 'another reason',
};

function rowOf(dispute: Listed): Piece[] {
  const { id, status, amountCents, cause, blockedUntil, chargeId, accountId, createdAt } = dispute;
  return [
    idLink(`/dashboard/disputes/${id}`, id),
    badge(status),
    reais(amountCents),
    CAUSES[cause],
    status === 'open' ? when(blockedUntil) : '–',
    idLink(`/dashboard/charges/${chargeId}`, chargeId),
    accountId,
    when(createdAt),
  ];
}

/** Until when its money is blocked, and how sure that is. */
export function untilOf(dispute: Dispute, now: Date): Html {
  const { blockedUntil, isUntilEstimated } = dispute;
  if (!blockedUntil) return html`unknown: the bank does not report it`;
  const days = Math.floor((now.getTime() - blockedUntil.getTime()) / DAY_MS);
  return html`${when(blockedUntil)}${isUntilEstimated && ' (estimated)'}${isLate(dispute, now) && html` ${badge(days === 0 ? 'past' : `past by ${count(days)} days`)}`}`;
}

function endOf({ closedAt, closedBy, confirmedAt }: Listed): Piece {
  const who = closedBy === 'bank' ? 'reported by the bank' : 'recorded here';
  const confirmed = closedBy === 'account' && (confirmedAt === undefined ? ', not yet reported by the bank' : '');
  return html`${when(closedAt)}, ${who}${confirmed}`;
}

function queryFor({ pageSize }: Deps, request: FastifyRequest) {
  return listQuery(readFilters(DisputesQuery, request), request.caller, pageSize);
}

const CSV: Columns<Listed> = {
  id: dispute => dispute.id,
  account: dispute => dispute.accountId,
  charge: dispute => dispute.chargeId,
  status: dispute => dispute.status,
  'amount (BRL)': dispute => (dispute.amountCents / 100).toFixed(2),
  'blocked (BRL)': dispute => (dispute.blockedCents / 100).toFixed(2),
  cause: dispute => dispute.cause,
  'bank code': dispute => dispute.bankCode,
  'blocked until': dispute => dispute.blockedUntil,
  payment: dispute => dispute.paymentReference,
  return: dispute => dispute.returnReference,
  rail: dispute => dispute.rail,
  ended: dispute => dispute.closedAt,
  'ended by': dispute => dispute.closedBy,
  reason: dispute => dispute.reason,
  note: dispute => dispute.note,
  opened: dispute => dispute.createdAt,
};
