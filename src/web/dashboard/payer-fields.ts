// Who pays, as forms ask for it and as the API names it.
import { type Fields, filled } from './form.ts';

export const METHOD_CHOICES = [
  { value: 'pix', label: 'pix' },
  { value: 'boleto', label: 'boleto' },
  { value: 'boleto pix', label: 'boleto and pix' },
];

/** Fields of a payer, as the API names them. */
export const PAYER_FIELDS = [
  { name: 'name', label: 'Name of the payer', isRequired: true },
  { name: 'document', label: 'CPF or CNPJ', isRequired: true },
  { name: 'email', label: 'E-mail', hint: 'May be left out.' },
  { name: 'methods', label: 'Payable by', type: 'select', options: METHOD_CHOICES },
] as const;

export const ADDRESS_FIELDS = [
  { name: 'street', label: 'Street', hint: 'A boleto needs the address; pix does not.' },
  { name: 'city', label: 'City' },
  { name: 'state', label: 'State' },
  { name: 'postalCode', label: 'Postal code' },
] as const;

export function customerIn(fields: Fields) {
  const address = filled(fields, ['street', 'city', 'state', 'postalCode']);
  return {
    ...filled(fields, ['name', 'document', 'email']),
    ...(Object.keys(address).length > 0 && { address }),
  };
}
