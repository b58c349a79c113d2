// Changes what is known of a customer. Charges that exist keep the payer they were made with; new ones take what is known now.
import { type ChargeRules, checkDocument, inferCustomerType } from '../../charges/create/check.ts';
import { insertEvents } from '../../events/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { isUniqueViolation } from '../../storage/faults.ts';
import { changed } from '../changed.ts';
import { type Customer, type CustomerChanges, differingFields } from './customer.ts';
import { lockCustomer } from './require.ts';
import { findConflicting, updateCustomer } from './store.ts';
import { customerEvent } from './view.ts';

type Deps = { readonly db: Database; readonly clock: Clock; readonly chargeRules: ChargeRules };

/**
 * What is not named stays, and null removes it. Refuses a document or an externalId that another customer of the account has, and any
 * change of a customer that was erased. Without a difference nothing is written.
 */
export async function changeCustomer(
  { db, clock, chargeRules }: Deps,
  id: string,
  given: CustomerChanges,
  accountId?: string,
): Promise<Customer> {
  const faults = given.document === undefined ? [] : checkDocument(given.document, chargeRules, 'document');
  if (faults.length > 0) throw invalidRequest(faults);
  const now = clock.now();
  const change = async (tx: Sql) => {
    const before = await lockCustomer(tx, id, accountId);
    if (before.erasedAt) throw new AppError('wrong_state', 'This customer was erased.');
    const changes = withType(before, given);
    if (differingFields(before, changes).length === 0) return before;
    const after = { ...changed(before, changes), eventCount: before.eventCount + 1, updatedAt: now };
    await requireFree(tx, after);
    await updateCustomer(tx, after);
    await insertEvents(tx, [customerEvent(after, 'customer.updated', now)]);
    return after;
  };
  try {
    return await db.transaction(change);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another request was first; now its customer is seen, and the refusal names it.
    return db.transaction(change);
  }
}

/** Another document may be of another kind. */
function withType(before: Customer, changes: CustomerChanges): CustomerChanges {
  const { document, type } = changes;
  if (document === undefined || document === before.document || type !== undefined) return changes;
  return { ...changes, type: inferCustomerType(document) };
}

async function requireFree(tx: Sql, after: Customer): Promise<void> {
  const others = (await findConflicting(tx, after)).filter(({ id }) => id !== after.id);
  const [first] = others;
  if (!first) return;
  const byExternalId = others.find(({ externalId }) => externalId !== undefined && externalId === after.externalId);
  if (byExternalId) {
    throw new AppError('external_id_conflict', 'Another customer of this account has this externalId.', {
      first: { customerId: byExternalId.id },
    });
  }
  throw new AppError('customer_exists', 'Another customer of this account has this document.', {
    first: { customerId: first.id },
  });
}
