// Asks the bank of the payer to pay a charge: the seam through which anything that makes charges has them collected. The charge stays
// payable by its own code, so when a collection brings nothing, the payer is asked as for any charge.
import { type Charge, isOf } from '../../charges/charge.ts';
import { isPayable } from '../../charges/life.ts';
import { owedOn } from '../../charges/owed.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import { insertReference } from '../../charges/store/references.ts';
import { insertEvents } from '../../events/store.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import { requireCustomer } from '../customers/require.ts';
import { callsOf, type LookDeps } from './calls.ts';
import { changeCollection, changeMandate } from './change.ts';
import { type Collection, cancelableUntil, isOver, lastDayToSend, referenceOf, sendableFrom } from './collection.ts';
import { hasEnded } from './mandate.ts';
import { lockCollection, lockMandate, requireMandate } from './require.ts';
import type { MandateRecord } from './store.ts';
import { findCollectionOfCharge, insertCollection } from './store-collections.ts';
import { collectionEvent } from './view.ts';

type Collected = { readonly collection: Collection; readonly replayed: boolean };

/**
 * Collects a charge by a mandate. A repeat gets the collection that the charge has. Refuses a charge that the mandate cannot pay: of
 * another payer, of another amount than a fixed one, due too early for the PSP or outside of the mandate's days, of another rail, or not payable.
 *
 * @example
 * const { collection } = await collectCharge(deps, { mandateId, chargeId: cycle.chargeId, accountId });
 */
export async function collectCharge(
  deps: LookDeps,
  {
    mandateId,
    chargeId,
    accountId,
  }: { readonly mandateId: string; readonly chargeId: string; readonly accountId?: string },
): Promise<Collected> {
  const now = deps.clock.now();
  // Made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const id = uuidV7(now);
  const { accountId: owner } = await requireMandate(deps.db, mandateId, accountId);
  return deps.db.transaction(async tx => {
    const mandate = await lockMandate(tx, mandateId, owner);
    const [charge] = await lockCharges(tx, [chargeId]);
    if (charge?.accountId !== owner) throw notUsable('must be a charge of this account');
    const known = await findCollectionOfCharge(tx, chargeId);
    if (known) return replay(known, mandate, id);
    const collection = await insert(deps, tx, { mandate, charge, id, now });
    setAuditObject(id);
    return { collection, replayed: false };
  });
}

function replay(known: Collection, { id: mandateId }: MandateRecord, ownId: string): Collected {
  if (known.mandateId !== mandateId) throw new AppError('wrong_state', 'This charge is collected by another mandate.');
  return { collection: known, replayed: known.id !== ownId };
}

type Insert = { readonly mandate: MandateRecord; readonly charge: Charge; readonly id: string; readonly now: Date };

async function insert(deps: LookDeps, tx: Sql, { mandate, charge, id, now }: Insert): Promise<Collection> {
  const calls = callsOf(deps, mandate.rail);
  if (!calls) throw new AppError('not_configured', `The rail ${mandate.rail} has no Pix Automático.`);
  if (hasEnded(mandate)) throw new AppError('wrong_state', `This mandate is ${mandate.status}.`);
  const dueDay = civilDay(charge.dueAt);
  const amountCents = owedOn(charge, 'pix', dueDay).totalCents;
  const { document } = await requireCustomer(tx, mandate.customerId, mandate.accountId);
  const fault =
    faultOfPayer(mandate, charge, document) ??
    faultOf(mandate, charge, amountCents) ??
    faultOfDay(mandate, dueDay, lastDayToSend(dueDay, calls.window), now);
  if (fault !== undefined) throw notUsable(fault);
  const collection: Collection = {
    ...{ id, accountId: mandate.accountId, mandateId: mandate.id, chargeId: charge.id, amountCents, dueDay },
    ...{ status: 'WAITING', attempts: [], eventCount: 1, createdAt: now, updatedAt: now },
  };
  const from = sendableFrom(dueDay, calls.window);
  await insertCollection(tx, collection, from > now ? from : now);
  const reference = referenceOf(collection);
  await insertReference(tx, { reference, rail: mandate.rail, method: 'pix', charge, amountCents });
  await insertEvents(tx, [collectionEvent(collection, 'mandate.collection_created', now)]);
  return collection;
}

/** A mandate is the approval of one payer. */
function faultOfPayer({ customerId }: MandateRecord, charge: Charge, document: string): string | undefined {
  const isOther = charge.customerId !== undefined && charge.customerId !== customerId;
  if (isOther) return 'is of another customer than the mandate';
  return charge.customer.document === document ? undefined : 'has another document than the customer of the mandate';
}

function faultOf(
  { rail, amountCents }: MandateRecord,
  { methods, state }: Charge,
  owedCents: bigint,
): string | undefined {
  const pix = methods.find(isOf('pix'));
  if (pix?.rail !== rail || !isPayable(pix)) return 'must be payable by pix at the PSP of the mandate';
  if (state === 'PARTIALLY_PAID') return 'was paid in part';
  if (amountCents !== undefined && amountCents !== owedCents)
    return `asks for ${owedCents} cents, and the mandate is of ${amountCents}`;
  return undefined;
}

function faultOfDay(
  { firstDay, lastDay }: MandateRecord,
  dueDay: string,
  latest: string,
  now: Date,
): string | undefined {
  if (dueDay < firstDay || (lastDay !== undefined && dueDay > lastDay))
    return `is due on ${dueDay}, outside of the days of the mandate`;
  return civilDay(now) > latest ? `is due on ${dueDay}: the PSP takes it until ${latest}` : undefined;
}

function notUsable(message: string) {
  return invalidRequest([{ path: 'chargeId', code: 'not_usable', message }]);
}

/** Ends a collection; the charge stays payable. Refuses one that is over, and one that the PSP no longer lets us cancel. */
export async function cancelCollection(deps: LookDeps, id: string, accountId?: string): Promise<Collection> {
  const before = await deps.db.transaction(tx => lockCollection(tx, id, accountId));
  if (before.status === 'CANCELED') return before;
  if (isOver(before)) throw new AppError('wrong_state', `This collection is ${before.status}.`);
  const { rail } = await requireMandate(deps.db, before.mandateId, before.accountId);
  const calls = callsOf(deps, rail);
  if (!calls) throw new AppError('not_configured', `The rail ${rail} has no Pix Automático.`);
  const now = deps.clock.now();
  const asked = (one: Collection): Collection => {
    if (isOver(one)) return one;
    const isUnsent = one.status === 'WAITING' && !one.sentAt;
    const until = isUnsent ? undefined : cancelableUntil(one, calls.window);
    if (until && until <= now)
      throw new AppError('wrong_state', `The PSP is collecting it: it could be canceled until ${until.toISOString()}.`);
    return { ...one, cancelAskedAt: now, updatedAt: now, ...(isUnsent && { status: 'CANCELED' as const }) };
  };
  return changeCollection(deps, before, calls.window, asked, now);
}

/** Ends a mandate at the PSP in the background; one that was never sent ends at once. Its open collections end with it. */
export async function cancelMandate(deps: LookDeps, id: string, accountId?: string): Promise<MandateRecord> {
  const before = await requireMandate(deps.db, id, accountId);
  if (before.status === 'CANCELED') return before;
  const now = deps.clock.now();
  return changeMandate(deps, before, ({ payerAccount: _, ...one }) => {
    if (one.status === 'CANCELED') return one;
    if (hasEnded(one)) throw new AppError('wrong_state', `This mandate is ${one.status}.`);
    const isUnsent = one.status === 'CREATING' && !one.sentAt;
    return {
      ...one,
      cancelAskedAt: one.cancelAskedAt ?? now,
      updatedAt: now,
      ...(isUnsent && { status: 'CANCELED' as const }),
    };
  });
}
