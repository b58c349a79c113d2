// Masks personal data for links: enough for the payer to recognise, too little for anybody else.
// LGPD, art. 6 III; the form of a masked CPF is that of public bodies (IN 19/2025 of Sefa-PA).
import { formatCnpj } from '@brazilian-utils/brazilian-utils';
import type { Charge } from '../../charges/charge.ts';

/** `Maria da Silva Santos` is `Maria d. S. S.`; letters of any script. */
export function maskedName(name: string): string {
  const [first = '', ...others] = name.trim().split(/\s+/u);
  return [first, ...others.map(word => `${[...word][0] ?? ''}.`)].join(' ');
}

/** `***.982.247-**`; a CNPJ is public and stays whole. */
export function maskedDocument(document: string): string {
  if (document.length !== 11) return formatCnpj(document, { version: 2 });
  return `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**`;
}

/** `0x5aAe…BeAed`: both ends, by which people compare addresses. */
export function maskedAddress(address: string): string {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-5)}`;
}

/** A link may be passed on, so its PDF masks the payer as the page does; with a key the PDF has the full data. */
export function withMaskedPayer(charge: Charge): Charge {
  const { name, document, type } = charge.customer;
  return { ...charge, customer: { name: maskedName(name), document: maskedDocument(document), type } };
}
