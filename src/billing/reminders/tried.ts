// Whether the bank of the payer tried to pay a charge by Pix Automático. Pure.
import type { Collection, CollectionState } from '../mandates/collection.ts';

/** The ends of a collection that came to the payer's bank and brought nothing. */
export const TRIED: readonly CollectionState[] = ['EXPIRED', 'REJECTED'];

export function wasTried(collection: Pick<Collection, 'status'> | undefined): boolean {
  return collection !== undefined && TRIED.includes(collection.status);
}
