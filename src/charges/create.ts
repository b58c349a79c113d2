// Making a charge: checked, written with its methods and jobs in one transaction, and answered. No bank is asked here.
import { type Claim, findEarlier, type Records, scopeOf, writeOnce } from '../accounts/once.ts';
import { requireAccount } from '../accounts/require.ts';
import type { Queue } from '../jobs/queue.ts';
import { concerns } from '../lib/act.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import { LAST_MOMENT_MS } from '../lib/date-times.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { contentHash, type Plain, textHash } from '../lib/hash.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { convertCents } from '../lib/money.ts';
import { checkCeiling } from '../rails/ceiling.ts';
import { METHODS, type Rails, type Refusal } from '../rails/rail.ts';
import { lineAbout } from '../storage/audit.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { SharedClock } from '../storage/shared-clock.ts';
import { chargeAnswer } from './answer.ts';
import { beginLife } from './begin.ts';
import {
  ADDRESS_FIELDS,
  type Charge,
  type ChargeMethod,
  type Customer,
  type LivingCharge,
  type NewCharge,
  paymentRequest,
} from './charge.ts';
import { checkCharge } from './check.ts';
import type { ChargeBatches, ReadyCharge } from './create-batch.ts';
import type { RateSource } from './rate.ts';
import { findByExternalId, findFirstById, insertCharge } from './store.ts';

/** What making a charge needs, alone or as part of something larger. */
export type ChargeDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly rails: Rails;
  readonly rates: RateSource;
  readonly clock: Clock;
  readonly mode: Mode;
};

export type CreateDeps = ChargeDeps & { readonly clock: SharedClock; readonly batches: ChargeBatches };

export type Created = {
  readonly id: string;
  /** The answer's JSON, to the letter: a repeat gets the same. */
  readonly answer: string;
  /** True when an earlier request made the charge. */
  readonly replayed: boolean;
};

const EXPIRES_AFTER_DAYS = 30;

/**
 * Makes a charge payable by each method its rail can carry. A repeat, by externalId or by idempotency key, gets the first
 * charge again, however many arrive at once. Refuses an invalid charge, one that no rail can carry, and a repeat with
 * other content.
 */
export async function createCharge(deps: CreateDeps, input: NewCharge, idempotencyKey?: string): Promise<Created> {
  const claim: Claim = {
    hash: textHash(JSON.stringify(contentOf(input))),
    formerHash: () => contentHash(formerContentOf(input)),
    scope: scopeOf(deps.mode, input.accountId),
    key: idempotencyKey,
  };
  // Made before all: what is run again, after a connection was lost at its commit, finds what it wrote.
  const id = uuidV7(deps.clock.now());
  // To ask for the time costs more than to write a charge, so it is made with what is known of it; see `unmoved` of the clock.
  const made = await tryCreate(deps, input, claim, { id, isFresh: false });
  if (made) return made;
  await deps.clock.refresh();
  return (await tryCreate(deps, input, claim, { id, isFresh: true }))!;
}

/** Nothing: it could not be made with the time as it was known, and may be with the time as it is. */
async function tryCreate(
  deps: CreateDeps,
  input: NewCharge,
  claim: Claim,
  { id, isFresh }: { readonly id: string; readonly isFresh: boolean },
): Promise<Created | undefined> {
  const [now, turn] = [deps.clock.now(), deps.clock.turn()];
  let charge: LivingCharge;
  try {
    charge = bornCharge(deps, input, id, now);
  } catch (refusal) {
    if (!isFresh) return undefined;
    // What was accepted once may be refused now, as when dueAt has passed since; its repeat gets the first charge still.
    const earlier = refusal instanceof AppError ? await findEarlier(deps.db, records, claim, input) : undefined;
    if (!earlier) throw refusal;
    return { id: earlier.id, answer: earlier.answer, replayed: true };
  }
  const answer = JSON.stringify(chargeAnswer(id, charge.ways));
  const ready = { charge, claim, answer, turn, line: lineAbout(id) };
  const outcome = await deps.batches.add(ready);
  if (outcome === 'untimely' && !isFresh) return undefined;
  // One whose time has changed once more does not wait for company again.
  const first = outcome === 'written' ? { id, answer } : await writeAlone(deps, ready);
  deps.queue.nudge('charge.issue');
  return { id: first.id, answer: first.answer, replayed: first.id !== id };
}

/** Writes the charge in a transaction of its own, or returns the one that was there first. */
async function writeAlone(
  deps: CreateDeps,
  { charge, claim, answer }: ReadyCharge,
): Promise<Omit<Created, 'replayed'>> {
  return deps.db.transaction(async tx => {
    const earlier = await writeOnce(tx, records, claim, charge, async () => {
      await requireAccount(tx, deps.mode, charge.accountId, charge.createdAt);
      return insertCharge(tx, charge, claim.hash, answer);
    });
    concerns(earlier?.id ?? charge.id);
    if (!earlier) await beginLife(deps, tx, charge);
    return earlier ?? { id: charge.id, answer };
  });
}

const records: Records = {
  byId: findFirstById,
  byExternalId: findByExternalId,
  conflict: chargeId =>
    new AppError('external_id_conflict', 'Another charge of this account has this externalId.', {
      first: { chargeId },
    }),
};

/** A charge that is part of something larger is written in the transaction of that. Its externalId must be free. */
export async function writeCharge(deps: { readonly queue: Queue }, tx: Sql, charge: LivingCharge): Promise<void> {
  // Nothing that is asked for alone is the same as it.
  const hash = contentHash({ id: charge.id });
  const claim: Claim = { hash, scope: charge.accountId, key: undefined };
  const answer = JSON.stringify(chargeAnswer(charge.id, charge.ways));
  const earlier = await writeOnce(tx, records, claim, charge, () => insertCharge(tx, charge, hash, answer));
  if (earlier) throw records.conflict(earlier.id);
  await beginLife(deps, tx, charge);
}

/** What a charge is made of, beyond what was asked. */
export type BirthDeps = Pick<ChargeDeps, 'mode' | 'rates' | 'rails'>;

/**
 * The charge in its first moment: complete, with an instrument for every method that its rail can carry. Refuses what is
 * not valid and what no rail can carry.
 */
export function bornCharge({ mode, rates, rails }: BirthDeps, input: NewCharge, id: string, now: Date): LivingCharge {
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
    committedCents: 0n,
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

/**
 * What two requests must share to be the same request: what was asked, however it was spelt. Its order is part of what is stored:
 * when it changes, or a field is added, `formerContentOf` must tell how it was.
 */
function contentOf(input: NewCharge): unknown[] {
  const { name, document, type, address } = input.customer;
  const fields = ADDRESS_FIELDS.map(field => address?.[field]);
  return Object.values({
    accountId: input.accountId,
    amountCents: String(input.amountCents),
    currency: input.currency,
    customer: Object.values({ name, document, type, address: fields } satisfies EachOf<Customer>),
    dueAt: input.dueAt.getTime(),
    expireAt: input.expireAt?.getTime(),
    externalId: input.externalId,
    finePercent: input.finePercent,
    interestPercent: input.interestPercent,
    methods: METHODS.filter(method => input.methods.includes(method)),
    sourceKey: input.sourceKey,
  } satisfies EachOf<NewCharge>);
}

/** The same as earlier versions wrote it, and to be left as it is. */
function formerContentOf(input: NewCharge): Plain {
  const { address, document, name, type } = input.customer;
  return {
    accountId: input.accountId,
    amountCents: String(input.amountCents),
    currency: input.currency,
    customer: { address: { ...address }, document, name, type },
    dueAt: input.dueAt.toISOString(),
    expireAt: input.expireAt?.toISOString(),
    externalId: input.externalId,
    finePercent: input.finePercent,
    interestPercent: input.interestPercent,
    methods: METHODS.filter(method => input.methods.includes(method)),
    sourceKey: input.sourceKey,
  };
}

/** Every field, so that none is forgotten. */
type EachOf<T> = Record<keyof T, unknown>;
