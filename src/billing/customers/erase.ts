// Takes what names a person out of a customer and its events. Its charges stay, and so do its id and what it paid.
import { eraseFromObjects, eraseWebhookAnswers } from '../../events/erase.ts';
import { insertEvents } from '../../events/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { eraseFromSubscriptions } from '../subscriptions/store-erase.ts';
import { type Customer, erased } from './customer.ts';
import { lockCustomer } from './require.ts';
import { updateCustomer } from './store.ts';
import { customerEvent } from './view.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/**
 * No new charge can name it. Its charges keep the payer that they were made with; `erasePayer` erases those too. One that was erased stays
 * as it is.
 */
export async function eraseCustomer({ db, clock }: Deps, id: string, accountId?: string): Promise<Customer> {
  const now = clock.now();
  return db.transaction(async tx => {
    const before = await lockCustomer(tx, id, accountId);
    const [after] = before.erasedAt ? [before] : await eraseCustomers(tx, [before], now);
    return after!;
  });
}

/** The caller holds the locks of the rows. */
export async function eraseCustomers(tx: Sql, customers: readonly Customer[], at: Date): Promise<Customer[]> {
  const after = customers.map(customer => ({ ...erased(customer, at), eventCount: customer.eventCount + 1 }));
  for (const customer of after) {
    await updateCustomer(tx, customer);
    const { name, document } = customer;
    await eraseFromObjects(tx, customer.id, PERSONAL, { name, document });
  }
  const ids = after.map(({ id }) => id);
  await eraseFromSubscriptions(tx, ids, at);
  await eraseWebhookAnswers(tx, ids);
  await insertEvents(
    tx,
    after.map(customer => customerEvent(customer, 'customer.erased', at)),
  );
  return after;
}

/** What an event loses; `name` and `document` are replaced. */
const PERSONAL = ['email', 'phone', 'address', 'notes', 'metadata', 'locale'];
