// Lists webhooks and their deliveries, newest first.
import { countPages, type PageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { requireWebhook } from './require-webhook.ts';
import { readDeliveries } from './store-delivery-list.ts';
import { readWebhooks } from './store-webhooks.ts';
import type { DeliveryState } from './webhook.ts';
import { deliveryView, webhookView } from './webhook-view.ts';

type Deps = { readonly db: Sql };

/** Those of one account, or all of them. */
export async function listWebhooks({ db }: Deps, query: PageQuery, accountId?: string) {
  const { webhooks, total } = await readWebhooks(db, query, accountId);
  return { webhooks: webhooks.map(webhookView), ...countPages(total, query) };
}

export async function listDeliveries(
  { db }: Deps,
  webhookId: string,
  query: PageQuery & { readonly state?: DeliveryState | undefined },
  accountId?: string,
) {
  await requireWebhook(db, webhookId, accountId);
  const { deliveries, total } = await readDeliveries(db, webhookId, query);
  return { deliveries: deliveries.map(deliveryView), ...countPages(total, query) };
}
