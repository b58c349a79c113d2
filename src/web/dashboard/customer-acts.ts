// Acts on customers: create, change, erase.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Customer, LOCALES } from '../../billing/customers/customer.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { accountField } from './choices.ts';
import { type Fields, linesIn, metadataText, textField, textsIn } from './form.ts';
import { documentOf } from './formats.ts';
import { facts } from './parts.ts';
import { ADDRESS_NAMES, customerIn, METADATA_FIELD, MORE_PAYER_FIELDS, NAME_FIELDS } from './payer-fields.ts';

const more = { group: 'More about the customer' };
const MAX_NOTES_LENGTH = 2_000;

const FIELDS: readonly Field[] = [
  ...NAME_FIELDS,
  { name: 'externalId', label: 'Your own id', hint: 'Optional.' },
  ...MORE_PAYER_FIELDS.map(field => (field.group === 'More about the payer' ? { ...field, ...more } : field)),
  {
    name: 'locale',
    label: 'Language of mails',
    type: 'select',
    options: [{ value: '', label: "the account's language" }, ...LOCALES.map(value => ({ value, label: value }))],
    ...more,
  },
  { name: 'notes', label: 'Notes', type: 'textarea', maxLength: MAX_NOTES_LENGTH, hint: 'For your own use.', ...more },
  { ...METADATA_FIELD, ...more },
];

const OPTIONAL = ['externalId', 'email', 'phone', 'locale'] as const;

export function customerActs(app: FastifyInstance, deps: ActDeps): void {
  const pageOf = ({ id = '' }: Params) => `/dashboard/customers/${id}`;
  const read = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireCustomer(deps.db, id.toLowerCase(), caller?.accountId);

  defineAct(app, deps, {
    url: '/customers/new',
    section: 'customers',
    ask: async request => ({
      title: 'New customer',
      text: html`<p>New charges copy the data of the customer. An account has one customer for each CPF or CNPJ.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        ...FIELDS,
        {
          name: 'separate',
          label: 'Create a separate customer even if the account has one with this document',
          type: 'checkbox',
          ...more,
        },
      ],
      button: 'Create the customer',
      back: '/dashboard/customers',
    }),
    call: (fields, _, request) => {
      const metadata = textsIn(fields, 'metadata');
      return {
        method: 'POST',
        url: '/customers',
        body: {
          ...accountIn(fields, request),
          ...customerIn(fields),
          ...Object.fromEntries(given(fields).filter(([, value]) => value !== null)),
          ...(metadata !== undefined && { metadata }),
          ...(textField(fields, 'separate') === 'true' && { separate: true }),
        },
      };
    },
    done: ({ id }) => `/dashboard/customers/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/customers/:id/change',
    section: 'customers',
    ask: async (request, params) => ({
      title: 'Change the customer',
      text: html`<p>Existing charges keep the payer that they were created with. Empty fields are removed.</p>`,
      fields: filledFrom(await read(request, params)),
      button: 'Change the customer',
      back: pageOf(params),
    }),
    call: async (fields, params, request) => {
      const before = await read(request, params);
      const metadata = textsIn(fields, 'metadata');
      return {
        method: 'PATCH',
        url: `/customers/${encodeURIComponent(before.id)}`,
        body: {
          address: null,
          ...customerIn(fields),
          ...Object.fromEntries(given(fields)),
          // The field cannot hold every value, such as texts of several lines, so it is sent only when it was changed.
          ...(linesIn(fields, 'metadata') !== metadataText(before.metadata) && { metadata: metadata ?? null }),
        },
      };
    },
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/customers/:id/erase',
    section: 'customers',
    ask: async (request, params) => {
      const { name, document, accountId } = await read(request, params);
      return {
        title: 'Erase this customer?',
        text: html`<p>Name, document, address and contacts are deleted for good, and no new charge can name the customer. Existing charges keep their payer.</p>${facts(
          [
            ['Customer', name],
            ['CPF or CNPJ', documentOf(document)],
            ['Account', accountId],
          ],
        )}`,
        button: 'Erase the customer',
        back: pageOf(params),
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/customers/${encodeURIComponent(id)}/erase`, body: {} }),
    done: (_, params) => pageOf(params),
  });
}

/** The fields, with null for empty ones. */
function given(fields: Fields): [string, string | null][] {
  const texts = OPTIONAL.map((name): [string, string | null] => [name, textField(fields, name) || null]);
  return [...texts, ['notes', linesIn(fields, 'notes') || null]];
}

function filledFrom(customer: Customer): Field[] {
  const { name, type, externalId, email, phone, locale, notes, address = {} } = customer;
  const values: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(ADDRESS_NAMES.map(field => [field, address[field as keyof typeof address]])),
    ...{ name, type, externalId, email, phone, locale, notes },
    document: documentOf(customer.document),
    metadata: metadataText(customer.metadata),
  };
  return FIELDS.map(field => {
    const value = values[field.name];
    return value === undefined ? field : { ...field, value };
  });
}
