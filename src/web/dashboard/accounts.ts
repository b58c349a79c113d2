// Accounts: the list, opening one, and what payers see of one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_LOGO_BYTES } from '../../accounts/logo.ts';
import { findAccount, listAccounts } from '../../accounts/store.ts';
import { requireSettings } from '../../accounts/update-settings.ts';
import { accountOf } from '../../http/server/auth.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { type Fields, filled, textField } from './form.ts';
import { when } from './formats.ts';
import { facts, table } from './parts.ts';
import { may, shell } from './shell.ts';

const MAX_SHOWN = 1_000;
const MAX_URL_LENGTH = 2_000;
const MAX_ORIGINS_LENGTH = 5_000;

export function accountPages(app: FastifyInstance, deps: ActDeps): void {
  const options = { schema: { hide: true } } as const;
  app.get('/dashboard/accounts', options, async (request, reply) => {
    const { caller } = request;
    const accounts = await shownAccounts(deps, request);
    const rows = accounts.map(({ id, createdAt }) => [
      id,
      when(createdAt),
      may(caller, 'settings:write') &&
        html`<a class="button secondary small" href="/dashboard/accounts/${encodeURIComponent(id)}/settings">Checkout settings</a>`,
    ]);
    const page = shell(deps, request, {
      title: 'Accounts',
      section: 'accounts',
      acts: may(caller, 'accounts:write') && html`<a class="button" href="/dashboard/accounts/new">Open an account</a>`,
      body: html`${table({ caption: 'Accounts', head: ['Account', 'Open since', ''], rows, empty: 'There is no account yet.' })}
${accounts.length === MAX_SHOWN && html`<p class="muted">Only the first 1,000 are shown.</p>`}`,
    });
    return sendHtml(request, reply, page);
  });

  defineAct(app, deps, {
    url: '/accounts/new',
    section: 'accounts',
    ask: async () => ({
      title: 'Open an account',
      text: html`<p>Charges, orders and keys belong to an account. Its name cannot be changed.</p>`,
      fields: [{ name: 'id', label: 'Name of the account', isRequired: true }],
      button: 'Open the account',
      back: '/dashboard/accounts',
    }),
    call: fields => ({ method: 'POST', url: '/accounts', body: filled(fields, ['id']) }),
    done: () => '/dashboard/accounts',
  });

  defineAct(app, deps, {
    url: '/accounts/:id/settings',
    section: 'accounts',
    // A logo that is too large is refused by the API, with its message.
    maxFileBytes: 32 * MAX_LOGO_BYTES,
    ask: (request, params) => askForSettings(deps, request, params),
    call: async (fields, { id = '' }) => ({
      method: 'PATCH',
      url: `/accounts/${encodeURIComponent(id)}/settings`,
      body: await settingsIn(fields),
    }),
    done: ({ accountId }) => `/dashboard/accounts/${encodeURIComponent(textOf(accountId))}/settings`,
  });
}

async function shownAccounts({ db }: ActDeps, { caller }: FastifyRequest) {
  if (caller?.accountId === undefined) return listAccounts(db, MAX_SHOWN);
  const own = await findAccount(db, caller.accountId);
  return own ? [own] : [];
}

async function askForSettings({ db }: ActDeps, { caller }: FastifyRequest, { id = '' }: Params) {
  const accountId = accountOf(caller, id);
  const { logo, ...settings } = await requireSettings(db, accountId);
  const link = { maxLength: MAX_URL_LENGTH };
  return {
    title: `What payers see of ${accountId}`,
    text: html`<p>Every checkout of the account uses these settings from now on. Empty fields are removed.</p>${facts([
      ['Logo', logo ? `${logo.type}, ${logo.bytes.length} bytes` : 'no logo'],
    ])}`,
    fields: [
      { name: 'displayName', label: 'Name above the checkout', value: settings.displayName ?? '', maxLength: 100 },
      {
        name: 'document',
        label: 'CPF or CNPJ',
        value: settings.document ?? '',
        hint: 'Payers compare it with what their bank shows.',
      },
      {
        name: 'colour',
        label: 'Colour of buttons',
        value: settings.colour ?? '',
        hint: 'Such as #0b6b4a. Its contrast to white must be at least 3 to 1.',
      },
      { name: 'logo', label: 'New logo', type: 'file', hint: 'PNG, JPEG or WebP, at most 32 kB and 1,024 by 1,024.' },
      ...(logo ? [{ name: 'removeLogo', label: 'Remove the logo', type: 'checkbox' } as const] : []),
      { name: 'returnUrl', label: 'Link back to the shop', value: settings.returnUrl ?? '', ...link },
      {
        name: 'supportUrl',
        label: 'Contact for payers',
        value: settings.supportUrl ?? '',
        ...link,
        hint: 'A page, mailto: or tel:',
      },
      {
        name: 'frameOrigins',
        label: 'Origins that may show the checkout in a frame',
        value: settings.frameOrigins.join(' '),
        maxLength: MAX_ORIGINS_LENGTH,
        hint: 'Such as https://shop.example.com, separated by spaces.',
      },
      {
        name: 'offersRemainder',
        label: 'Offer payers to pay the rest of a partial payment',
        type: 'checkbox',
        value: String(settings.offersRemainder),
      },
    ],
    button: 'Change the settings',
    back: '/dashboard/accounts',
  } as const;
}

/** All of a form's fields: one that is empty removes its value. A logo stays unless another is chosen or it is removed. */
async function settingsIn(fields: Fields) {
  const textOrNull = (name: string) => textField(fields, name) || null;
  const file = fields.get('logo');
  const hasFile = file instanceof File && file.size > 0;
  const origins = textField(fields, 'frameOrigins');
  return {
    displayName: textOrNull('displayName'),
    document: textOrNull('document'),
    colour: textOrNull('colour'),
    returnUrl: textOrNull('returnUrl'),
    supportUrl: textOrNull('supportUrl'),
    frameOrigins: origins === '' ? [] : origins.split(/[\s,]+/),
    offersRemainder: textField(fields, 'offersRemainder') === 'true',
    ...(hasFile && { logo: `data:;base64,${Buffer.from(await file.arrayBuffer()).toString('base64')}` }),
    ...(!hasFile && textField(fields, 'removeLogo') === 'true' && { logo: null }),
  };
}
