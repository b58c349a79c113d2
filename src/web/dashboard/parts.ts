// Parts of the dashboard's pages: tables, facts, pagers, badges, short ids.
import type { FastifyRequest } from 'fastify';
import type { PageCounts } from '../../lib/paging.ts';
import { attributes, type Html, html, type Piece } from '../html.ts';
import { count, when } from './formats.ts';

/** The start and the end of an id, enough to distinguish two; the full id is in the link. */
export function shortId(id: string): string {
  return id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;
}

export function idLink(href: string, id: string): Html {
  return html`<a class="id" href="${href}" title="${id}">${shortId(id)}</a>`;
}

const TONES: Readonly<Record<string, string>> = {
  PAID: 'good',
  SETTLED: 'good',
  DONE: 'good',
  fulfilled: 'good',
  won: 'good',
  delivered: 'good',
  done: 'good',
  final: 'good',
  ok: 'good',
  healthy: 'good',
  ACTIVE: 'info',
  REGISTERED: 'info',
  CREATING: 'info',
  PENDING: 'info',
  pending: 'info',
  open: 'info',
  fulfilling: 'info',
  pending_payment: 'info',
  pending_fulfillment: 'info',
  fulfillment_scheduled: 'info',
  OVERDUE: 'warn',
  PARTIALLY_PAID: 'warn',
  PARTIALLY_REFUNDED: 'warn',
  held: 'warn',
  failing: 'warn',
  possible_duplicate: 'warn',
  'paid in part': 'warn',
  'paid too much': 'warn',
  'paid twice': 'warn',
  lost: 'bad',
  FAILED: 'bad',
  failed: 'bad',
  reverted: 'bad',
  mismatched: 'bad',
  gone: 'bad',
};

export function badge(label: string): Html {
  return html`<span class="badge ${TONES[label] ?? 'plain'}">${label.toLowerCase().replaceAll('_', ' ')}</span>`;
}

type Table = {
  readonly caption: string;
  /** A heading that begins with `#` is for a column of numbers. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly Piece[])[];
  readonly empty?: string;
};

/**
 * A table that scrolls sideways by itself, never the page. On a phone its rows become cards whose lines have the headings; the roles
 * are explicit, since some browsers drop them from a table that is not laid out as one.
 */
export function table({ caption, head, rows, empty = 'Nothing here.' }: Table): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const names = head.map(name => name.replace(/^#(?=.)/, ''));
  const classOf = (index: number) => (head[index]?.startsWith('#') ? 'number' : undefined);
  const heads = names.map(
    (name, index) =>
      html`<th scope="col" role="columnheader"${attributes({ class: classOf(index) })}>${name || html`<span class="visually-hidden">Act</span>`}</th>`,
  );
  const cellOf = (cell: Piece, index: number) =>
    html`<td role="cell"${attributes({ class: classOf(index), 'data-head': names[index] })}>${!isNothing(cell) && html`<div>${cell}</div>`}</td>`;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="list" role="table">
<caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map(cells => html`<tr role="row">${cells.map(cellOf)}</tr>`)}</tbody>
</table></div>`;
}

function isNothing(cell: Piece): boolean {
  if (Array.isArray(cell)) return cell.every(isNothing);
  return cell === undefined || cell === null || cell === false || cell === '';
}

/** The name of an actor, or the beginning of its id. */
export function actorName(names: ReadonlyMap<string, string>, actor: string): string {
  return names.get(actor) ?? shortActor(actor);
}

function shortActor(actor: string): string {
  const [kind = '', id] = actor.split(':');
  return id === undefined ? kind : `${kind}:${shortId(id)}`;
}

/** Names and values side by side; undefined ones are omitted. */
export function facts(values: readonly (readonly [string, Piece])[]): Html {
  const shown = values.filter(([, value]) => value !== undefined && value !== false && value !== '');
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

type ShownEvent = { readonly id: string; readonly type: string; readonly occurredAt: Date | string };

/** The events of an object, each with a link to its page. */
export function timeline(events: readonly ShownEvent[]): Html {
  const items = events.map(
    ({ id, type, occurredAt }) => html`<li>${when(occurredAt)} <a href="/dashboard/events/${id}">${type}</a></li>`,
  );
  return html`<h2>What happened</h2><ol class="timeline">${items}</ol>`;
}

type Query = Readonly<Record<string, unknown>>;

export function queryOf({ query }: FastifyRequest): Query {
  return typeof query === 'object' && query !== null ? { ...query } : {};
}

/** The same address with other query fields, or another path. */
export function addressWith(request: FastifyRequest, changes: Readonly<Record<string, string>>, path?: string): string {
  const [here = ''] = request.url.split('?');
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...queryOf(request), ...changes })) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  return (path ?? here) + (text === '' ? '' : `?${text}`);
}

export function pager(request: FastifyRequest, { total, totalPages, currentPage, hasMore }: PageCounts): Html {
  const link = (page: number, label: string, rel: string) =>
    html`<a class="button secondary small" rel="${rel}" href="${addressWith(request, { page: String(page) })}">${label}</a>`;
  return html`<nav class="pager no-print" aria-label="Pages"><span class="muted">${count(total)} in all${totalPages > 1 && `, page ${count(currentPage)} of ${count(totalPages)}`}</span>
${currentPage > 1 && link(currentPage - 1, 'Newer', 'prev')} ${hasMore && link(currentPage + 1, 'Older', 'next')}</nav>`;
}
