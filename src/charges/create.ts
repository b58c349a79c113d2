// Making a charge: checked, written with its methods and jobs in one transaction, and answered. No bank is asked here.
import assert from 'node:assert/strict';
import { requireAccount } from '../accounts/require.ts';
import { insertEvents } from '../events/store.ts';
import type { Queue } from '../jobs/queue.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import { LAST_MOMENT_MS } from '../lib/date-times.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { contentHash, type Plain } from '../lib/hash.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { convertCents } from '../lib/money.ts';
import { checkCeiling } from '../rails/ceiling.ts';
import { METHODS, type Rails, type Refusal } from '../rails/rail.ts';
import type { Database, Sql } from '../storage/database.ts';
import { chargeAnswer } from './answer.ts';
import { type Charge, type ChargeMethod, type LivingCharge, type NewCharge, paymentRequest } from './charge.ts';
import { checkCharge } from './check.ts';
import { closesAt } from './owed.ts';
import type { RateSource } from './rate.ts';
import {
  type FirstCharge,
  findByExternalId,
  findFirstById,
  findKeyUse,
  insertCharge,
  pointKeyAt,
  takeKey,
} from './store.ts';
import { setTimers } from './store-timers.ts';
import { eventOf } from './write.ts';

export type CreateDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly rails: Rails;
  readonly rates: RateSource;
  readonly clock: Clock;
  readonly mode: Mode;
};

export type Created = {
  readonly id: string;
  /** The answer's JSON, to the letter: a repeat gets the same. */
  readonly answer: string;
  /** True when an earlier request made the charge. */
  readonly replayed: boolean;
};

const EXPIRES_AFTER_DAYS = 30;
/** Every caller of a sandbox is the same caller. */
const SANDBOX_SCOPE = 'sandbox';

/**
 * Makes a charge payable by each method its rail can carry. A repeat, by externalId or by idempotency key, gets the first
 * charge again, however many arrive at once. Refuses an invalid charge, one that no rail can carry, and a repeat with
 * other content.
 */
export async function createCharge(deps: CreateDeps, input: NewCharge, idempotencyKey?: string): Promise<Created> {
  await deps.clock.refresh();
  const now = deps.clock.now();
  const claim: Claim = {
    hash: contentHash(contentOf(input)),
    scope: deps.mode === 'sandbox' ? SANDBOX_SCOPE : input.accountId,
    key: idempotencyKey,
  };
  // Made before the transaction: one that is run again, after a connection was lost at its commit, finds what it wrote.
  const id = uuidV7(now);
  let charge: LivingCharge;
  try {
    charge = bornCharge(deps, input, id, now);
  } catch (refusal) {
    // What was accepted once may be refused now, as when dueAt has passed since; its repeat gets the first charge still.
    const earlier = refusal instanceof AppError ? await findEarlier(deps.db, input, claim) : undefined;
    if (!earlier) throw refusal;
    return { id: earlier.id, answer: earlier.answer, replayed: true };
  }
  const draft: Draft = { ...claim, charge, answer: JSON.stringify(chargeAnswer(id, charge.ways)) };

  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.mode, charge.accountId, now);
    const earlier = await writeUnlessRepeated(tx, draft);
    if (earlier) return earlier;
    await insertEvents(tx, [eventOf(charge, 'charge.created', now)]);
    await setTimers(tx, [
      { chargeId: id, accountId: charge.accountId, kind: 'overdue', at: charge.dueAt },
      { chargeId: id, accountId: charge.accountId, kind: 'expire', at: closesAt(charge) },
    ]);
    const accepted = charge.ways.filter(({ status }) => status === 'CREATING');
    const jobs = accepted.map(({ method }) => ({ accountId: charge.accountId, chargeId: id, method }));
    await deps.queue.enqueue(tx, 'charge.issue', jobs);
    return { id, answer: draft.answer };
  });
  deps.queue.nudge('charge.issue');
  return { id: first.id, answer: first.answer, replayed: first.id !== id };
}

/** What makes two requests one. */
type Claim = {
  readonly hash: Buffer;
  /** Whose idempotency keys these are. */
  readonly scope: string;
  readonly key: string | undefined;
};

type Draft = Claim & { readonly charge: LivingCharge; readonly answer: string };

/** The charge that the same request has made before, when it has. */
async function findEarlier(sql: Sql, input: NewCharge, { hash, scope, key }: Claim): Promise<FirstCharge | undefined> {
  const use = key === undefined ? undefined : await findKeyUse(sql, scope, key);
  if (use) return use.contentHash.equals(hash) ? findFirstById(sql, use.accountId, use.chargeId) : undefined;
  if (input.externalId === undefined) return undefined;
  const first = await findByExternalId(sql, input.accountId, input.externalId);
  return first?.contentHash.equals(hash) ? first : undefined;
}

/**
 * Writes the charge, or returns the one that was there first. The unique indexes on key and externalId let one of many
 * through; the others wait in the insert until that one is committed or undone.
 */
async function writeUnlessRepeated(tx: Sql, draft: Draft): Promise<FirstCharge | undefined> {
  const { charge, hash, answer, scope, key } = draft;
  const { id, accountId } = charge;
  if (key !== undefined) {
    const use = await takeKey(tx, scope, key, { contentHash: hash, chargeId: id, accountId }, charge.createdAt);
    if (use) {
      if (!use.contentHash.equals(hash)) {
        throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
      }
      return findFirstById(tx, use.accountId, use.chargeId);
    }
  }
  if (await insertCharge(tx, charge, hash, answer)) return undefined;
  const first =
    charge.externalId === undefined
      ? await findFirstById(tx, accountId, id)
      : await findByExternalId(tx, accountId, charge.externalId);
  assert(first, 'a charge that was in the way is there');
  if (!first.contentHash.equals(hash)) {
    throw new AppError('external_id_conflict', 'Another charge of this account has this externalId.', {
      chargeId: first.id,
    });
  }
  if (key !== undefined) await pointKeyAt(tx, scope, key, first.id);
  return first;
}

/**
 * The charge in its first moment: complete, with an instrument for every method that its rail can carry. Refuses what is
 * not valid and what no rail can carry.
 */
function bornCharge({ mode, rates, rails }: CreateDeps, input: NewCharge, id: string, now: Date): LivingCharge {
  const faults = checkCharge(input, { mode, now });
  if (faults.length > 0) throw invalidRequest(faults);
  const lockedRate = input.currency === 'BRL' ? undefined : rates(input.currency, now);
  const charge: Charge = {
    ...input,
    id,
    payableCents: lockedRate ? convertCents(input.amountCents, lockedRate.rate) : input.amountCents,
    expireAt: input.expireAt ?? new Date(Math.min(input.dueAt.getTime() + EXPIRES_AFTER_DAYS * DAY_MS, LAST_MOMENT_MS)),
    createdAt: now,
    ...(lockedRate && { lockedRate }),
  };
  return {
    ...charge,
    state: 'CREATING',
    eventCount: 1,
    ways: prepareMethods(rails, charge),
    payments: [],
    refunds: [],
  };
}

/** Each requested method with its instrument, or with the reason why its rail cannot carry it. */
function prepareMethods(rails: Rails, charge: Charge): ChargeMethod[] {
  const request = paymentRequest(charge);
  const refusals: Refusal[] = [];
  const methods = METHODS.filter(method => charge.methods.includes(method)).map((method): ChargeMethod => {
    const rail = rails[method];
    const refusal = rail.check(request) ?? checkCeiling(rail, request.amountCents);
    if (!refusal) return { method, rail: rail.name, status: 'CREATING', instrument: rail.prepare(request) };
    refusals.push(refusal);
    return { method, rail: rail.name, status: 'FAILED', reason: `${refusal.path} ${refusal.message}` };
  });
  if (refusals.length === methods.length) {
    throw new AppError('charge_refused', 'No requested method can carry this charge; see errors.', {
      faults: refusals,
    });
  }
  return methods;
}

/** What two requests must share to be the same request: what was asked, however it was spelt. */
function contentOf(input: NewCharge): Plain {
  return {
    ...input,
    amountCents: String(input.amountCents),
    methods: METHODS.filter(method => input.methods.includes(method)),
    customer: { ...input.customer, address: { ...input.customer.address } },
    dueAt: input.dueAt.toISOString(),
    expireAt: input.expireAt?.toISOString(),
  };
}
