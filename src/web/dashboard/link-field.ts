// The link that a form withdraws, named by its epoch: so a form that is sent twice withdraws one. Not the link itself: it is a credential.
import { type Linked, MAX_EPOCH } from '../../charges/links/links.ts';
import type { Field, Params } from './act.ts';
import { type Fields, textField } from './form.ts';

export function linkField({ linkEpoch }: Linked): Field {
  return { name: 'linkEpoch', label: 'Link', type: 'hidden', value: String(linkEpoch) };
}

/** Empty when the field was changed: the API refuses that. */
export function linkIn(fields: Fields, { id = '' }: Params, urlOf: (linked: Linked) => string): string {
  const linkEpoch = Number(textField(fields, 'linkEpoch') || NaN);
  return Number.isInteger(linkEpoch) && linkEpoch >= 0 && linkEpoch <= MAX_EPOCH ? urlOf({ id, linkEpoch }) : '';
}
