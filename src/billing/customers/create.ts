// Creates a customer, or finds the one that the account has: a document is one customer, unless the caller asks for another.
import assert from 'node:assert/strict';
import { isSame, type RequestIdentity } from '../../accounts/once.ts';
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { pointKeyAt, takeKey } from '../../accounts/store-idempotency.ts';
import { type ChargeRules, checkDocument, inferCustomerType } from '../../charges/create/check.ts';
import { insertEvents } from '../../events/store.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { contentHash } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type Customer, differingFields, type NewCustomer } from './customer.ts';
import { findConflicting, findCustomer, insertCustomer } from './store.ts';
import { customerEvent } from './view.ts';

export type CustomerDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly accounts: AccountPolicy;
  readonly chargeRules: ChargeRules;
};

type CreatedCustomer = { readonly customer: Customer; readonly replayed: boolean };

/** A conflicting customer may be erased before it is read; this many times in a row means a bug. */
const MAX_ATTEMPTS = 10;

/**
 * Creates a customer. Finds the one that exists, also for concurrent requests, by the idempotency key, by the externalId or by the
 * document, when nothing that is given differs from what it has; refuses it when something does.
 */
export async function createCustomer(
  deps: CustomerDeps,
  input: NewCustomer,
  idempotencyKey?: string,
): Promise<CreatedCustomer> {
  const faults = checkDocument(input.document, deps.chargeRules, 'document');
  if (faults.length > 0) throw invalidRequest(faults);
  const now = deps.clock.now();
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const id = uuidV7(now);
  const { accountId } = input;
  const claim: RequestIdentity = {
    hash: contentHash({ customer: { ...input, address: { ...input.address }, metadata: { ...input.metadata } } }),
    scope: deps.accounts.keyScopeOf(accountId),
    key: idempotencyKey,
  };
  const customer = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, accountId, now);
    const known = await findUnderKey(tx, claim, { id, accountId, now });
    const customer = known ?? (await writeOrFind(tx, input, id, now));
    if (!known && claim.key !== undefined && customer.id !== id) {
      await pointKeyAt(tx, claim.scope, claim.key, customer.id);
    }
    setAuditObject(customer.id);
    return customer;
  });
  return { customer, replayed: customer.id !== id };
}

/** Takes the key for the new customer; returns the one that an earlier request with the same key and content made or found. */
async function findUnderKey(
  tx: Sql,
  { key, scope, hash }: RequestIdentity,
  { id, accountId, now }: { readonly id: string; readonly accountId: string; readonly now: Date },
): Promise<Customer | undefined> {
  if (key === undefined) return undefined;
  const use = await takeKey(tx, scope, key, { contentHash: hash, objectId: id, accountId }, now);
  if (!use) return undefined;
  if (!isSame({ hash, scope, key }, use))
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
  return findCustomer(tx, use.objectId, use.accountId);
}

/** The unique indexes let one of many through; the others wait in the insert until that one commits or rolls back. */
async function writeOrFind(tx: Sql, input: NewCustomer, id: string, now: Date): Promise<Customer> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const conflicting = await findConflicting(tx, { ...input, id });
    if (conflicting.length > 0) return sameAs(conflicting, input, id);
    const customer = built(input, id, now);
    if (!(await insertCustomer(tx, customer))) continue;
    await insertEvents(tx, [customerEvent(customer, 'customer.created', now)]);
    return customer;
  }
  assert.fail(`a conflicting customer was not found in ${MAX_ATTEMPTS} attempts`);
}

function built({ name, type, ...input }: NewCustomer, id: string, now: Date): Customer {
  if (name === undefined) {
    const message = 'is required: the account has no customer of this document';
    throw invalidRequest([{ path: 'name', code: 'required', message }]);
  }
  const inferred = type ?? inferCustomerType(input.document);
  return { ...input, name, type: inferred, id, eventCount: 1, createdAt: now, updatedAt: now };
}

/** The customer that was there first. Refuses a request that names two, and one that differs from it. */
function sameAs(all: readonly Customer[], input: NewCustomer, id: string): Customer {
  const own = all.find(each => each.id === id);
  if (own) return own;
  const { externalId } = input;
  const byExternalId = externalId === undefined ? undefined : all.find(each => each.externalId === externalId);
  const found = byExternalId ?? all[0]!;
  const message = `is not what the customer ${byExternalId ? 'with this externalId' : 'of this document'} has`;
  const faults = differingFields(found, input).map(path => ({ path, code: 'differs', message }));
  if (faults.length === 0) return found;
  const first = { customerId: found.id };
  if (byExternalId) {
    throw new AppError('external_id_conflict', 'Another customer of this account has this externalId.', {
      first,
      faults,
    });
  }
  throw new AppError(
    'customer_exists',
    `The account has a customer of this document with other data: see errors. Change it with PATCH /customers/${found.id}, or send "separate": true to make another customer of the same document.`,
    { first, faults },
  );
}
