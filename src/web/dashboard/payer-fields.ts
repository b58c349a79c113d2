// Form fields for the payer and the notes of a charge, and their mapping to the API.
import { METHODS_SHOWN } from '../../rails/abilities.ts';
import { METHODS, type Method } from '../../rails/methods/methods.ts';
import type { Field } from './act.ts';
import { dayEndIn, type Fields, filled, textsIn } from './form.ts';

/** One method, and below one or all of them. */
export const METHOD_CHOICES = METHODS_SHOWN.map(method => ({ value: method, label: method }));
const ALL_METHODS = { value: METHODS.join(' '), label: new Intl.ListFormat('en-GB').format(METHODS) };

const TYPE_CHOICES = [
  { value: '', label: 'by the document' },
  { value: 'individual', label: 'a person' },
  { value: 'company', label: 'a company' },
];

export const METHODS_FIELD = {
  name: 'methods',
  label: 'Payable by',
  type: 'select',
  options: [...METHOD_CHOICES, ALL_METHODS],
} as const;

/** The choice that these methods are. */
export function methodsText(methods: readonly Method[]): string {
  return METHODS.filter(method => methods.includes(method)).join(' ');
}

export const NAME_FIELDS: readonly Field[] = [
  { name: 'name', label: 'Name', isRequired: true },
  { name: 'document', label: 'CPF or CNPJ', isRequired: true },
  { name: 'email', label: 'E-mail', hint: 'Optional.' },
];

/** Fields of a payer that every form shows. */
export const PAYER_FIELDS: readonly Field[] = [
  ...NAME_FIELDS.map(field => (field.name === 'name' ? { ...field, label: 'Name of the payer' } : field)),
  METHODS_FIELD,
];

const address = { group: 'Address of the payer, for a boleto' };
const more = { group: 'More about the payer' };

export const MORE_PAYER_FIELDS: readonly Field[] = [
  { name: 'street', label: 'Street', ...address },
  { name: 'number', label: 'Number', ...address },
  { name: 'complement', label: 'Complement', ...address },
  { name: 'neighborhood', label: 'Neighborhood', ...address },
  { name: 'city', label: 'City', ...address },
  { name: 'state', label: 'State', hint: 'Two letters, such as SP.', ...address },
  { name: 'postalCode', label: 'Postal code', ...address },
  { name: 'countryCode', label: 'Country', hint: 'Such as BR.', ...address },
  { name: 'phone', label: 'Phone', hint: 'Such as +5511987654321.', ...more },
  { name: 'type', label: 'The payer is', type: 'select', options: TYPE_CHOICES, ...more },
];

export const ADDRESS_NAMES = MORE_PAYER_FIELDS.filter(({ group }) => group === address.group).map(({ name }) => name);

export function customerIn(fields: Fields) {
  const given = filled(fields, ADDRESS_NAMES);
  return {
    ...filled(fields, ['name', 'document', 'email', 'phone', 'type']),
    ...(Object.keys(given).length > 0 && { address: given }),
  };
}

/** Twenty texts with their names, and some space; the API names the limits of each. */
const MAX_METADATA_LENGTH = 12_000;

export const METADATA_FIELD = {
  name: 'metadata',
  label: 'Own texts',
  type: 'textarea',
  maxLength: MAX_METADATA_LENGTH,
  hint: 'One per line, with a name before a colon, such as store: Recife',
} as const;

/** Notes on a charge for the caller's own use. */
export const noteFields = (group: string): readonly Field[] => [
  { name: 'sourceKey', label: 'Where it comes from', hint: 'A name of your own.', group },
  { ...METADATA_FIELD, group },
];

export const DESCRIPTION_FIELD = { name: 'description', label: 'Description', hint: 'Shown to the payer.' };
export const EXPIRE_FIELD = { name: 'expireDay', apiName: 'expireAt', label: 'Ends', type: 'date' } as const;

export function notesIn(fields: Fields) {
  const metadata = textsIn(fields, 'metadata');
  return { ...filled(fields, ['description', 'sourceKey']), ...(metadata !== undefined && { metadata }) };
}

/** Due day and end of a charge, each as the end of the day. */
export function daysIn(fields: Fields) {
  const [dueAt, expireAt] = [dayEndIn(fields, 'dueDay'), dayEndIn(fields, 'expireDay')];
  return { ...(dueAt !== undefined && { dueAt }), ...(expireAt !== undefined && { expireAt }) };
}
