// Creates an instalment plan with all of its charges, in one transaction: all of them are written, or none is.
import assert from 'node:assert/strict';
import { type FirstOne, findEarlier, type Records, type RequestIdentity, writeOnce } from '../../accounts/once.ts';
import { requireAccount } from '../../accounts/require.ts';
import { firstsIn, HASH_OF_BYTES } from '../../accounts/store-first.ts';
import type { Charge } from '../../charges/charge.ts';
import { buildCharge } from '../../charges/create/build.ts';
import { type ChargeDeps, contentOfTerms, requirePayer } from '../../charges/create/create.ts';
import { writeNewCharges } from '../../charges/create/write-new.ts';
import { insertEvents } from '../../events/store.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import { DAY_MS } from '../../lib/civil-days.ts';
import { AppError, type Fault } from '../../lib/errors.ts';
import { contentHash, type Plain } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { traceOf } from '../../lib/tracing.ts';
import type { Sql } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import { type InstalmentPlan, type NewInstalmentPlan, numbered, type Part, partsOf } from './instalment-plan.ts';
import { insertInstalmentPlan } from './store.ts';
import { instalmentPlanEvent } from './view.ts';

type CreatedPlan = { readonly id: string; readonly accountId: string; readonly replayed: boolean };

/**
 * Creates the plan, open, with a charge for each instalment; the banks are asked by the jobs of the charges. A repeat, by externalId or by
 * idempotency key, gets the first plan again, also when both arrive at the same time. Refuses what any of its charges would be refused
 * for, and a repeat with other content.
 */
export async function createInstalments(
  deps: ChargeDeps,
  input: NewInstalmentPlan,
  idempotencyKey?: string,
): Promise<CreatedPlan> {
  const { accountId } = input.terms;
  const claim: RequestIdentity = {
    hash: contentHash(contentOf(input)),
    scope: deps.accounts.keyScopeOf(accountId),
    key: idempotencyKey,
  };
  const now = deps.clock.now();
  // The ids are made before the transaction, so a retry after a commit whose answer was lost finds its own rows.
  const id = uuidV7(now);
  let charges: Charge[];
  try {
    charges = buildCharges(deps, input, id, now);
  } catch (refusal) {
    // A request that was accepted once may be invalid now; its repeat still gets the first plan.
    const earlier = refusal instanceof AppError ? await findEarlier(deps.db, records, claim, input.terms) : undefined;
    if (!earlier) throw refusal;
    return { id: earlier.id, accountId, replayed: true };
  }
  const plan = buildPlan(input, id, charges.length, now);
  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, accountId, now);
    const known = await writeOnce(tx, records, claim, plan, () => insertInstalmentPlan(tx, plan, claim.hash));
    setAuditObject(known?.id ?? id);
    if (!known) await begin(deps, tx, plan, charges);
    return known;
  });
  return first && first.id !== id ? { id: first.id, accountId, replayed: true } : { id, accountId, replayed: false };
}

const records: Records<FirstOne> = {
  ...firstsIn('instalment_plans', HASH_OF_BYTES),
  conflict: instalmentPlanId =>
    new AppError('external_id_conflict', 'Another instalment plan of this account has this externalId.', {
      first: { instalmentPlanId },
    }),
};

/** Writes the charges and the first event of the plan. */
async function begin(deps: ChargeDeps, tx: Sql, plan: InstalmentPlan, charges: readonly Charge[]): Promise<void> {
  // The hash covers the new id, so no request to create a charge alone can count as a repeat of this one.
  const unwritten = charges.map(charge => ({ charge, hash: contentHash({ id: charge.id }) }));
  const written = await writeNewCharges(deps, tx, unwritten, { isAlone: true });
  assert.equal(written.size, charges.length, 'new ids are free');
  await insertTraces(
    tx,
    [plan, ...charges].map(({ id, createdAt }) => traceOf(id, createdAt)),
  );
  await insertEvents(tx, [instalmentPlanEvent(deps.links, plan, 'instalments.created', plan.createdAt)]);
}

function buildCharges(deps: ChargeDeps, input: NewInstalmentPlan, planId: string, now: Date): Charge[] {
  const parts = partsOf(input.amountCents, input.division, input.firstDueDay);
  const { externalId: _, ...terms } = input.terms;
  return parts.map(part => {
    const { number, amountCents, dueAt } = part;
    const expireAt =
      input.expireAfterDays === undefined
        ? {}
        : { expireAt: new Date(dueAt.getTime() + input.expireAfterDays * DAY_MS) };
    const description = numbered(terms.description, number, parts.length);
    const request = requirePayer({ ...terms, amountCents, dueAt, ...expireAt, description });
    try {
      return { ...buildCharge(deps, request, uuidV7(now), now), instalment: { planId, number } };
    } catch (error) {
      throw error instanceof AppError ? ofRequest(error, input, part) : error;
    }
  });
}

/** Renames the faults of a charge to fields of the request. */
function ofRequest(error: AppError, { division }: NewInstalmentPlan, { number }: Part): AppError {
  const paths: Readonly<Record<string, string>> = {
    dueAt: 'firstDueDay',
    ...('amountsCents' in division && { amountCents: `amountsCents.${number - 1}` }),
  };
  const faults = error.faults.map((fault): Fault => ({ ...fault, path: paths[fault.path] ?? fault.path }));
  return new AppError(error.code, error.message, { faults });
}

function buildPlan(input: NewInstalmentPlan, id: string, instalmentCount: number, now: Date): InstalmentPlan {
  const { accountId, externalId, description, metadata, currency, customerId } = input.terms;
  return {
    id,
    accountId,
    amountCents: input.amountCents,
    currency,
    instalmentCount,
    state: 'OPEN',
    paidCount: 0,
    linkEpoch: 0,
    eventCount: 1,
    createdAt: now,
    updatedAt: now,
    ...(externalId !== undefined && { externalId }),
    ...(description !== undefined && { description }),
    ...(metadata && { metadata }),
    ...(customerId !== undefined && { customerId }),
  };
}

/** The content that two requests must share to count as the same. `operation` keeps it different from any charge. */
function contentOf({ amountCents, division, firstDueDay, expireAfterDays, terms }: NewInstalmentPlan): Plain {
  const divided = 'count' in division ? { count: division.count } : { amountsCents: division.amountsCents.map(String) };
  return {
    operation: 'instalments',
    ...contentOfTerms(terms),
    amountCents: String(amountCents),
    ...divided,
    firstDueDay,
    expireAfterDays,
  };
}
