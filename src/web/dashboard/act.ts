// An act: a page with a form that asks, and that is posted to the same address. The question says what will happen; the button takes
// effect once, even when it is pressed twice.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFresh } from '../../accounts/people/person.ts';
import { FRESH_SCOPES } from '../../accounts/scopes.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, type Fault } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import { attributes, type Html, html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ApiCall, callApi } from './api-call.ts';
import { type Fields, fieldsOf, readUploads, textField } from './form.ts';
import { EXAMPLE_AMOUNT } from './formats.ts';
import { type ShellDeps, shell } from './shell.ts';
import { claimForm, releaseForm } from './store-sent-forms.ts';

export type Option = { readonly value: string; readonly label: string };

export type Field = {
  readonly name: string;
  readonly label: string;
  /** The name of the field in the API, where the input has another: its faults are shown with the label. */
  readonly apiName?: string;
  readonly type?:
    | 'text'
    | 'textarea'
    | 'number'
    | 'date'
    | 'datetime-local'
    | 'select'
    | 'file'
    | 'checkbox'
    | 'hidden';
  readonly value?: string;
  /** The choices; for a text, suggestions. */
  readonly options?: readonly Option[];
  readonly isRequired?: boolean;
  readonly hint?: string;
  /** Of a text. */
  readonly maxLength?: number;
  /** The heading of the group of the field: closed until one of its fields is filled in. For optional fields. */
  readonly group?: string;
};

/** The question: the text, and fields to fill in. */
type Question = {
  readonly title: string;
  readonly text: Piece;
  readonly fields?: readonly Field[];
  readonly button: string;
  /** Where «back» leads. */
  readonly back: string;
};

export type Act = {
  /** Under /dashboard, such as `/charges/:id/cancel`. */
  readonly url: string;
  readonly section: string;
  /** Requires a passkey shown in the last minutes, even where the scope alone does not. */
  readonly needsFreshLogin?: true;
  /** Uses an operation without an idempotency key that would take effect each time: the form itself carries a token. */
  readonly countsForms?: true;
  /** The form has a file, of at most this many bytes. */
  readonly maxFileBytes?: number;
  ask(request: FastifyRequest, params: Params): Promise<Question>;
  call(fields: Fields, params: Params, request: FastifyRequest): ApiCall | Promise<ApiCall>;
  /** Where to go next, or what to show: a secret that is shown once. */
  done(
    value: Readonly<Record<string, unknown>>,
    params: Params,
  ): string | { readonly title: string; readonly shown: Piece };
};

export type Params = Readonly<Record<string, string>>;
export type ActDeps = ShellDeps & { readonly clock: Clock; readonly db: Sql };

export function defineAct(app: FastifyInstance, deps: ActDeps, act: Act): void {
  const url = `/dashboard${act.url}`;
  const options = { schema: { hide: true } };

  async function page(request: FastifyRequest, params: Params, refusal?: Refusal): Promise<Html> {
    const question = await act.ask(request, params);
    return shell(deps, request, {
      title: question.title,
      section: act.section,
      body: formOf(question, request, refusal),
    });
  }

  app.get<{ Params: Params }>(url, options, async (request, reply) => {
    const { session } = request.caller ?? {};
    const { access } = request.route.config;
    const needsFreshLogin = act.needsFreshLogin ?? (typeof access === 'object' && FRESH_SCOPES.includes(access.scope));
    if (session && needsFreshLogin && !isFresh(session, deps.clock.now())) {
      throw new AppError('fresh_login_needed', 'Show your passkey first.');
    }
    return sendHtml(request, reply, await page(request, request.params));
  });

  const { maxFileBytes } = act;
  if (maxFileBytes === undefined) app.post<{ Params: Params }>(url, options, carryOut);
  else {
    app.register(async scope => {
      readUploads(scope, maxFileBytes);
      scope.post<{ Params: Params }>(url, options, carryOut);
    });
  }

  async function carryOut(request: FastifyRequest<{ Params: Params }>, reply: FastifyReply): Promise<FastifyReply> {
    const fields = fieldsOf(request);
    const once = textField(fields, 'once');
    const call = await act.call(fields, request.params, request);
    const isCounted = act.countsForms === true && isUuid(once);
    // Marked before the call: if the process ends meanwhile, the effect is unknown and the form is not carried out again.
    if (isCounted && !(await claimForm(deps.db, once, deps.clock.now()))) {
      return sendHtml(request, reply, await page(request, request.params, SENT_ALREADY), { status: 409 });
    }
    const answer = await callApi(request, { ...(once !== '' && { idempotencyKey: once }), ...call });
    if (isCounted && !answer.isDone && answer.status < 500) await releaseForm(deps.db, once);
    if (!answer.isDone && answer.code === 'fresh_login_needed') {
      // The question is asked again, with the fields as they were filled in.
      const filled = [...fields].filter((field): field is [string, string] => typeof field[1] === 'string');
      const query = new URLSearchParams(filled.filter(([name]) => name !== 'once')).toString();
      const [path = ''] = request.url.split('?');
      return reply.redirect(`/dashboard/confirm?next=${encodeURIComponent(`${path}?${query}`)}`, 303);
    }
    if (!answer.isDone) {
      return sendHtml(request, reply, await page(request, request.params, answer), { status: answer.status });
    }
    const done = act.done(answer.value, request.params);
    if (typeof done === 'string') return reply.redirect(done, 303);
    const shown = shell(deps, request, { title: done.title, section: act.section, body: done.shown });
    return sendHtml(request, reply, shown);
  }
}

/** A person who works for one account is not asked for it. */
export function accountIn(fields: Fields, { caller }: FastifyRequest): { readonly accountId?: string } {
  const accountId = caller?.accountId ?? textField(fields, 'accountId');
  return accountId === '' ? {} : { accountId };
}

type Refusal = { readonly detail: string; readonly faults: readonly Fault[] };

const SENT_ALREADY: Refusal = {
  detail: 'This form was already sent. Go back and check its effect before you open it again.',
  faults: [],
};

function formOf({ text, fields = [], button, back }: Question, request: FastifyRequest, refusal?: Refusal): Html {
  const given = fieldsOf(request);
  const hasFile = fields.some(({ type }) => type === 'file');
  const enctype = hasFile && 'multipart/form-data';
  const filledIn = ({ name, value }: Field) => (given.has(name) ? textField(given, name) : value);
  const show = (some: readonly Field[]) =>
    html`<div class="fields">${some.map(field => fieldOf(field, filledIn(field)))}</div>`;
  const groups = Map.groupBy(fields, ({ group }) => group);
  return html`<form class="card form" method="post"${attributes({ enctype })}>
${refusal && refusalNote(refusal, fields)}
<div class="question">${text}</div>
<input type="hidden" name="once" value="${textField(given, 'once') || randomUUID()}">
${[...groups].map(([name, some]) =>
  name === undefined
    ? show(some)
    : html`<details class="group"${attributes({ open: some.some(field => (filledIn(field) ?? '') !== '') })}>
<summary>${name}</summary>${show(some)}</details>`,
)}
<p class="acts"><button class="button">${button}</button> <a class="button secondary" href="${back}">Back</a></p>
</form>`;
}

function refusalNote({ detail, faults }: Refusal, fields: readonly Field[]): Html {
  const nameOf = (path: string) => {
    const [last = path] = path.split('.').slice(-1);
    const field = fields.find(({ apiName }) => apiName === path);
    return (field ?? fields.find(({ name }) => name === last.replace(/\[\d+\]$/, '')))?.label ?? path;
  };
  const list = faults.map(fault => html`<li><strong>${nameOf(fault.path)}</strong> ${messageOf(fault)}</li>`);
  // The detail of the API names fields of the API; the list below uses the labels.
  const note = list.length > 0 ? html`<p>Nothing was done:</p><ul>${list}</ul>` : html`<p>${detail}</p>`;
  return html`<div class="note bad" role="alert">${note}</div>`;
}

/** People type reais: a message of the API about whole cents would not help them. */
function messageOf({ path, code, message }: Fault): string {
  const isOfCents = path.endsWith('Cents') && ['type', 'minimum', 'required'].includes(code);
  return isOfCents ? `must be an amount above zero, such as ${EXAMPLE_AMOUNT}` : message;
}

const MAX_TEXT_LENGTH = 255;

function fieldOf(field: Field, value = ''): Html {
  if (field.type === 'hidden') return html`<input type="hidden" name="${field.name}" value="${value}">`;
  const { name, label, type = 'text', options = [], isRequired = false, hint, maxLength = MAX_TEXT_LENGTH } = field;
  const hintId = hint === undefined ? undefined : `hint-${name}`;
  const listId = type === 'text' && options.length > 0 ? `list-${name}` : undefined;
  const common = { id: `field-${name}`, name, required: isRequired, 'aria-describedby': hintId, list: listId };
  const choices = options.map(
    option =>
      html`<option${attributes({ value: option.value, selected: type === 'select' && option.value === value })}>${option.label}</option>`,
  );
  const control =
    type === 'select'
      ? html`<select${attributes(common)}>${choices}</select>`
      : type === 'textarea'
        ? html`<textarea${attributes({ ...common, rows: '3', maxlength: maxLength })}>${value}</textarea>`
        : type === 'checkbox'
          ? html`<input${attributes({ ...common, type, value: 'true', checked: value === 'true' })}>`
          : html`<input${attributes({ ...common, type, value: type === 'file' ? undefined : value, autocomplete: 'off', maxlength: type === 'text' ? maxLength : undefined, step: type === 'number' ? 'any' : undefined })}>`;
  return html`<div class="field ${type}"><label for="field-${name}">${label}${isRequired && html`<span aria-hidden="true"> *</span>`}</label>${control}
${listId !== undefined && html`<datalist id="${listId}">${choices}</datalist>`}
${hint !== undefined && html`<p class="muted small" id="hint-${name}">${hint}</p>`}</div>`;
}
