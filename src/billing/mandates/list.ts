// Listing mandates: filtered, paged, with an exact total; and one with its collections.
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import type { Mandate } from './mandate.ts';
import { findCollectionsOf } from './store-collections.ts';
import { type MandateQuery, readMandatePage } from './store-list.ts';
import { collectionView, mandateView } from './view.ts';

export async function listMandates({ db }: { readonly db: Sql }, query: MandateQuery) {
  const { mandates, total } = await readMandatePage(db, query);
  return { mandates: mandates.map(mandateView), ...countPages(total, query) };
}

export async function showMandate({ db }: { readonly db: Sql }, mandate: Mandate) {
  const collections = await findCollectionsOf(db, mandate.id, mandate.accountId);
  return { ...mandateView(mandate), collections: collections.map(collectionView) };
}
