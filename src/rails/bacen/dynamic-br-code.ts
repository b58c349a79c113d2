// A BR Code from the location of a charge, for PSPs that answer with the location alone.
import { generatePixPayload } from '@brazilian-utils/brazilian-utils';
import { isBrCodeIntact } from '../br-code.ts';

export type CodeReceiver = { readonly name: string; readonly city: string };

/** What a payer's bank shows comes from the location; the code itself must name somebody. */
export const UNNAMED_RECEIVER: CodeReceiver = { name: 'RECEBEDOR PIX', city: 'BRASILIA' };

/** Undefined when a BR Code cannot hold this location. A scheme at its beginning is dropped, as the norm wants. */
export function dynamicBrCode(location: string, { name, city }: CodeReceiver): string | undefined {
  const url = location.replace(/^https?:\/\//i, '');
  const emv = generatePixPayload({ url, merchantName: name, merchantCity: city });
  return emv && isBrCodeIntact(emv) ? emv : undefined;
}
