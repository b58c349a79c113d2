// Filters of a list: a form whose fields are in the address, so that a view can be bookmarked and shared. A fault is shown beside its
// field.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { checkPage } from '../../api/paging.ts';
import { SEARCHED_CHARGES } from '../../charges/store/search.ts';
import { reader } from '../../http/server/reader.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { AppError, type Fault, invalidRequest } from '../../lib/errors.ts';
import { attributes, type Html, html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { Option } from './act.ts';
import { count, when } from './formats.ts';
import { addressWith, queryOf } from './parts.ts';
import { type ShellDeps, shell } from './shell.ts';

export type Filter = {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date' | 'text' | 'amount';
  /** The choices. */
  readonly options?: readonly (string | Option)[];
  /** For a text: suggestions. */
  readonly suggested?: readonly Option[];
  readonly hint?: string;
};

/** Reads the filters of an address by a schema. A form sends empty fields, and days instead of moments. */
export function readFilters<S extends TSchema>(schema: S, request: FastifyRequest): Static<S> {
  const given = Object.entries(queryOf(request)).filter(([name, value]) => value !== '' && name !== 'lang');
  const reading = reader(
    schema,
    'query',
  )(Object.fromEntries(given.map(([name, value]) => [name, momentOf(name, value)])));
  const { from, to } = reading.partial as { readonly from?: unknown; readonly to?: unknown };
  const range = { ...(typeof from === 'string' && { from }), ...(typeof to === 'string' && { to }) };
  const faults = [...reading.faults, ...checkPage({ query: range })];
  if (!reading.isWhole || faults.length > 0) throw invalidRequest(faults);
  return reading.value;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Days are those of São Paulo, which has had no daylight saving time since 2019. */
function momentOf(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || !DAY.test(value)) return value;
  if (name === 'from') return `${value}T00:00:00-03:00`;
  return name === 'to' ? `${value}T23:59:59.999-03:00` : value;
}

export type FilteredList = {
  readonly title: string;
  readonly section: string;
  readonly filters: (request: FastifyRequest) => Promise<readonly Filter[]>;
};

export const DAY_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'To', type: 'date' },
];

/** Says how far back a list was searched, with a link to the rest. */
export function searchedNote(request: FastifyRequest, what: string, searchedTo: Date | undefined): Piece {
  if (searchedTo === undefined) return false;
  const older = addressWith(request, { to: searchedTo.toISOString(), page: '' });
  return html`<p class="note">Only the newest ${count(SEARCHED_CHARGES)} ${what} of these days were searched, back to ${when(searchedTo)}.
<a href="${older}">Search older ones</a></p>`;
}

type Show = (request: FastifyRequest, reply: FastifyReply, filters: readonly Filter[]) => Promise<FastifyReply>;

/** The page of a list. When a filter is wrong, it shows the form with the fault, and no rows. */
export function filteredPage(deps: ShellDeps, { title, section, filters }: FilteredList, show: Show) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const shown = await filters(request);
    try {
      return await show(request, reply, shown);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_request' || error.faults.length === 0) throw error;
      const { faults } = error;
      const others = faults.filter(({ path }) => shown.every(({ name }) => name !== path));
      const body = html`<p class="note bad" role="alert">The list is not shown, because a filter is wrong.${others.map(({ path, message }) => ` ${path} ${message}.`)}</p>
${filterForm(request, shown, undefined, faults)}`;
      return sendHtml(request, reply, shell(deps, request, { title, section, body }), { status: 400 });
    }
  };
}

export function filterForm(
  request: FastifyRequest,
  filters: readonly Filter[],
  more?: Piece,
  faults: readonly Fault[] = [],
): Html {
  const query = queryOf(request);
  const controls = filters.map(filter => {
    const given = query[filter.name];
    const fault = faults.find(({ path }) => path === filter.name);
    return controlOf(filter, typeof given === 'string' ? given : '', fault);
  });
  return html`<form class="filters no-print" method="get">${controls}<div class="acts"><button class="button secondary small">Filter</button>${more}</div></form>`;
}

function controlOf(filter: Filter, given: string, fault: Fault | undefined): Html {
  const { name, label, type = 'text', options, suggested, hint } = filter;
  const id = `filter-${name}`;
  const faultId = fault && `${id}-fault`;
  const common = { id, name, 'aria-invalid': fault && 'true', 'aria-describedby': faultId };
  const listId = suggested && `${id}-list`;
  const control = options
    ? html`<select${attributes(common)}><option value="">any</option>${optionsOf(options, given).map(({ value, label: text }) => html`<option${attributes({ value, selected: value === given })}>${text}</option>`)}</select>`
    : html`<input${attributes({
        ...common,
        type: type === 'date' ? 'date' : 'text',
        inputmode: type === 'amount' ? 'decimal' : undefined,
        value: type === 'date' ? dayIn(given) : given,
        placeholder: hint,
        list: listId,
        maxlength: 255,
        autocomplete: 'off',
      })}>`;
  return html`<div class="${type}"><label for="${id}">${label}</label>${control}${listId && html`<datalist id="${listId}">${suggested.map(({ value, label: text }) => html`<option value="${value}">${text}</option>`)}</datalist>`}${fault && html`<p class="fault" id="${faultId ?? ''}">${label} ${fault.message}.</p>`}</div>`;
}

/** A value of the address is shown even when it is not a valid choice: otherwise another choice would appear selected. */
function optionsOf(options: readonly (string | Option)[], given: string): readonly Option[] {
  const known = options.map(option =>
    typeof option === 'string' ? { value: option, label: option.toLowerCase().replaceAll('_', ' ') } : option,
  );
  const isKnown = given === '' || known.some(({ value }) => value === given);
  return isKnown ? known : [...known, { value: given, label: given }];
}

/** A date field takes a day; an address may have a moment. */
function dayIn(given: string): string {
  const at = new Date(given);
  return DAY.test(given) || Number.isNaN(at.getTime()) ? given : civilDay(at);
}
