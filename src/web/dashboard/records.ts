// Append-only records: events, the ledger with its proof, the audit log.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { readActorNames } from '../../accounts/store-actors.ts';
import { mayUse } from '../../api/access.ts';
import { EVENT_TYPES } from '../../api/events.ts';
import { EntriesQuery } from '../../api/ledger.ts';
import { OneOf, Text } from '../../api/schemas.ts';
import { requireEvent } from '../../events/require-event.ts';
import { readNewestEvents } from '../../events/store-newest.ts';
import { entryFilter } from '../../http/routes/ledger.ts';
import { accountOf } from '../../http/server/auth.ts';
import { checkLedger } from '../../ledger/check.ts';
import { listBalances, listEntries } from '../../ledger/list.ts';
import { noSuch } from '../../lib/errors.ts';
import { indentJson } from '../../lib/exact-json.ts';
import { isUuid } from '../../lib/ids.ts';
import { LEDGER_CHECKS, NOUNS } from '../../nouns.ts';
import { verifyAudit } from '../../storage/audit-chain.ts';
import { readAuditLines } from '../../storage/audit-list.ts';
import type { Database } from '../../storage/database.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { csvLink } from './csv.ts';
import { DAY_FILTERS, type Filter, type FilteredList, filteredPage, filterForm, readFilters } from './filters.ts';
import { count, ledgerAmount, ledgerLine, when } from './formats.ts';
import { actorName, addressWith, badge, idLink, pager, shortId, table } from './parts.ts';
import { shell } from './shell.ts';
import { type NamedObject, type ObjectKind, readObjectNames } from './store-names.ts';

type Deps = ListDeps & { readonly db: Database };

/** Positions only grow, so each page continues after the last position shown. */
const Before = Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }));
const CLOSED = { additionalProperties: false } as const;
export const EventsFilter = Type.Object(
  { type: Type.Optional(OneOf(EVENT_TYPES)), accountId: Type.Optional(Text()), before: Before },
  CLOSED,
);
export const AuditFilter = Type.Object({ actor: Type.Optional(Text()), before: Before }, CLOSED);
const PAGE = 50;

export function recordPages(app: FastifyInstance, deps: Deps): void {
  const older = (request: FastifyRequest, positions: readonly bigint[]): Piece =>
    positions.length === PAGE &&
    html`<nav class="pager no-print" aria-label="Pages"><a class="button secondary small" rel="next" href="${addressWith(request, { before: String(positions.at(-1)) })}">Older</a></nav>`;
  const options = { schema: { hide: true } } as const;

  const eventFilters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'type', label: 'Type', options: EVENT_TYPES.map(value => ({ value, label: value })) },
    ...(await accountFilter(deps, request)),
  ];
  const events: FilteredList = { title: 'Events', section: 'events', filters: eventFilters };
  const eventsPage = filteredPage(deps, events, async (request, reply, filled) => {
    const { type, before, ...rest } = readFilters(EventsFilter, request);
    const accountId = accountOf(request.caller, rest.accountId);
    const query = { accountId, type, before: before === undefined ? undefined : BigInt(before), limit: PAGE };
    const events = await readNewestEvents(deps.db, query);
    const rows = events.map(event => [
      when(event.occurredAt),
      html`<a href="/dashboard/events/${event.id}">${event.type}</a>`,
      objectLink(event.type, event.objectId),
      event.accountId,
    ]);
    const page = shell(deps, request, {
      title: 'Events',
      section: 'events',
      version: await deps.versionOf(),
      body: html`${filterForm(
        request,
        filled,
        csvLink(request, '/dashboard/events.csv'),
      )}<div data-live="list">${table({ caption: 'Events', head: ['When', 'Event', 'Of', 'Account'], rows, empty: 'Nothing happened yet.' })}${older(
        request,
        events.map(({ position }) => position),
      )}</div>`,
    });
    return sendHtml(request, reply, page);
  });

  app.get('/dashboard/events', options, eventsPage);

  app.get<{ Params: { id: string } }>('/dashboard/events/:id', options, async (request, reply) => {
    if (!isUuid(request.params.id)) throw noSuch('event');
    const json = await requireEvent(deps.db, request.params.id, request.caller?.accountId);
    const page = shell(deps, request, {
      title: 'Event',
      section: 'events',
      body: html`<section class="card"><p class="muted">As webhooks and the API show it.</p><pre class="long" tabindex="0" aria-label="The event as JSON">${indentJson(json)}</pre></section>`,
    });
    return sendHtml(request, reply, page);
  });

  const ledgerFilters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    ...(await accountFilter(deps, request)),
    { name: 'chargeId', label: 'Charge' },
    { name: 'transactionId', label: 'Order' },
    ...DAY_FILTERS,
  ];
  const ledger: FilteredList = { title: 'Ledger', section: 'ledger', filters: ledgerFilters };
  const ledgerPage = filteredPage(deps, ledger, async (request, reply, filled) => {
    const asked = entryFilter(readFilters(EntriesQuery, request), request.caller, deps.pageSize);
    const { accountId } = asked;
    const [{ balances, sums, hasMore }, list] = await Promise.all([
      listBalances(deps, { ...(accountId !== undefined && { accountId }) }),
      listEntries(deps, asked),
    ]);
    const page = shell(deps, request, {
      title: 'Ledger',
      section: 'ledger',
      acts:
        mayUse(request.caller, '/dashboard/ledger/proof') &&
        html`<a class="button secondary" href="/dashboard/ledger/proof">Prove it</a>`,
      body: html`<section class="card"><h2>Balances</h2><p class="muted">Each currency sums to zero over all books: ${Object.entries(sums).map(([currency, sum]) => html`<code>${currency} ${sum}</code> `)}</p>
${table({ caption: 'Balances', head: ['Account', 'Book', 'Currency', '#Balance'], rows: balances.map(({ accountId: of, book, currency, amount }) => [of, book, currency, ledgerAmount(amount, currency)]), empty: 'Nothing moved yet.' })}
${hasMore && html`<p class="muted">Only the first 1,000 are shown; filter by account.</p>`}</section>
<section class="card"><h2>Entries</h2>${filterForm(request, filled, csvLink(request, '/dashboard/ledger.csv'))}${table({
        caption: 'Entries',
        head: ['When', 'Kind', 'Lines', 'Of', 'Account'],
        rows: list.entries.map(entry => [
          when(entry.at),
          entry.kind.replaceAll('_', ' '),
          html`<ul class="lines">${entry.lines.map(({ book, currency, amount }) => html`<li><span>${book}</span> <span class="number">${ledgerLine(amount, currency)}</span></li>`)}</ul>`,
          [
            entry.chargeId && idLink(`/dashboard/charges/${entry.chargeId}`, entry.chargeId),
            ' ',
            entry.transactionId && idLink(`/dashboard/orders/${entry.transactionId}`, entry.transactionId),
          ],
          entry.accountId,
        ]),
        empty: 'No entry fits these filters.',
      })}${pager(request, list)}</section>`,
    });
    return sendHtml(request, reply, page);
  });

  app.get('/dashboard/ledger', options, ledgerPage);

  app.get('/dashboard/ledger/proof', options, async (request, reply) => {
    const results = await checkLedger(deps.db, LEDGER_CHECKS);
    const isRight = results.every(({ total }) => total === 0);
    const page = shell(deps, request, {
      title: isRight ? 'The ledger is right' : 'The ledger differs',
      section: 'ledger',
      body: html`<section class="card"><p>Every rule was checked now, against one snapshot of charges, orders and payouts.</p>${table(
        {
          caption: 'Checks',
          head: ['Rule', '#Differences', ''],
          rows: results.map(({ check, total }) => [check, count(total), badge(total === 0 ? 'ok' : 'failed')]),
        },
      )}${
        !isRight &&
        table({
          caption: 'Differences',
          head: ['Rule', 'Of', 'Currency', '#Expected', '#Found'],
          rows: results
            .flatMap(({ differences }) => differences)
            .map(one => [
              one.check,
              one.objectId,
              one.currency,
              ledgerAmount(one.expected, one.currency),
              ledgerAmount(one.found, one.currency),
            ]),
        })
      }</section>`,
    });
    return sendHtml(request, reply, page);
  });

  app.get('/dashboard/audit', options, async (request, reply) => {
    const { actor, before } = readFilters(AuditFilter, request);
    const lines = await readAuditLines(deps.db, {
      actor,
      before: before === undefined ? undefined : BigInt(before),
      limit: PAGE,
    });
    const names = await readActorNames(
      deps.db,
      lines.map(line => line.actor),
    );
    const objects = await readObjectNames(
      deps.db,
      lines.flatMap(({ objectId }) => (objectId === undefined ? [] : [objectId])),
    );
    const page = shell(deps, request, {
      title: 'Audit log',
      section: 'audit',
      acts: html`<a class="button secondary" href="/dashboard/audit/proof">Verify the chain</a>`,
      body: html`${filterForm(request, [{ name: 'actor', label: 'Who, such as person:… or key:…' }], csvLink(request, '/dashboard/audit.csv'))}${table(
        {
          caption: 'Audit lines',
          head: ['#', 'When', 'Who', 'What', 'Object', 'Hash'],
          rows: lines.map(line => [
            html`<code>${String(line.position)}</code>`,
            when(line.at),
            html`<a href="${addressWith(request, { actor: line.actor, before: '' })}" title="${line.actor}">${actorName(names, line.actor)}</a>`,
            line.action,
            objectOf(line.objectId, objects),
            html`<code>${line.hash.slice(0, 8)}</code>`,
          ]),
          empty: 'No line fits.',
        },
      )}${older(
        request,
        lines.map(({ position }) => position),
      )}`,
    });
    return sendHtml(request, reply, page);
  });

  app.get('/dashboard/audit/proof', options, async (request, reply) => {
    const { head, broken, unsealed, cut } = await verifyAudit(deps.db);
    const page = shell(deps, request, {
      title: broken ? 'The audit log is broken' : 'The audit log is whole',
      section: 'audit',
      body: html`<section class="card">${cut && html`<p>Lines up to ${count(cut.position)} were moved to the archive; <code>trilho audit verify --archive</code> verifies them there.</p>`}
${broken ? html`<p class="note bad">Line <code>${String(broken.position)}</code>: ${broken.reason}</p>` : html`<p>Every line${cut && ' after those'} fits the hash before it.</p>`}
<p>Keep this in another place, and give it to <code>trilho audit verify</code> later: <code class="long">${String(head.position)} ${head.hash}</code></p><p class="muted">${count(unsealed)} recent lines wait for their hash.</p></section>`,
    });
    return sendHtml(request, reply, page);
  });
}

const PAGES: Readonly<Record<ObjectKind, (id: string) => string>> = {
  account: id => `/dashboard/accounts/${encodeURIComponent(id)}/settings`,
  key: () => '/dashboard/keys',
  person: () => '/dashboard/people',
  customer: id => `/dashboard/customers/${id}`,
  'instalment plan': id => `/dashboard/instalments/${id}`,
  wallet: id => `/dashboard/wallets/${id}`,
  charge: id => `/dashboard/charges/${id}`,
  order: id => `/dashboard/orders/${id}`,
  webhook: id => `/dashboard/webhooks/${id}`,
};

/** The kind and the name of an object; the full id is in the title. */
function objectOf(id: string | undefined, objects: ReadonlyMap<string, NamedObject>): Piece {
  if (id === undefined) return '–';
  const known = objects.get(id);
  if (!known)
    return html`<a href="/dashboard/search?q=${encodeURIComponent(id)}" title="${id}"><code>${shortId(id)}</code></a>`;
  const { kind, name } = known;
  return html`${kind} <a href="${PAGES[kind](id)}" title="${id}">${name ?? html`<code>${shortId(id)}</code>`}</a>`;
}

const EVENT_PAGES = new Map(
  NOUNS.flatMap(({ events = [] }) => events.flatMap(({ types, page }) => types.map(type => [type, page] as const))),
);

/** The object of an event, with its page where it has one. */
export function objectLink(type: string, id: string): Piece {
  const page = EVENT_PAGES.get(type);
  return page === undefined ? html`<code title="${id}">${shortId(id)}</code>` : idLink(`${page}/${id}`, id);
}
