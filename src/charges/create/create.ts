// Creates a charge: checks it and writes it with its methods and jobs in one transaction; then asks the bank where only the
// bank can make the code.
import { type First, findEarlier, type Records, type RequestIdentity, writeOnce } from '../../accounts/once.ts';
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { auditLineAbout, setAuditObject } from '../../lib/audit-context.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { contentHash, type Plain } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { traceOf } from '../../lib/tracing.ts';
import { METHODS } from '../../rails/methods/methods.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import type { Charge, ChargeRequest, NewCharge } from '../charge.ts';
import { type IssueNowDeps, issueNow } from '../issue/issue-now.ts';
import { findByExternalId, findCharge, findFirstById } from '../store/charges.ts';
import { toStored } from '../store/reductions.ts';
import { chargeAnswer } from './answer.ts';
import { type BuildDeps, buildCharge } from './build.ts';
import type { ChargeBatches, ReadyCharge } from './create-batch.ts';
import { type WriteNewDeps, type WrittenCharge, writeNewCharges } from './write-new.ts';

/** What creating a charge needs, alone or as part of an order. */
export type ChargeDeps = BuildDeps &
  WriteNewDeps & {
    readonly db: Database;
    readonly accounts: AccountPolicy;
    readonly log: Log;
  };

export type CreateDeps = ChargeDeps & IssueNowDeps & { readonly chargeBatches: ChargeBatches };

type Created = {
  readonly id: string;
  /** The JSON of the answer, stored: a repeat gets the same text. */
  readonly answer: string;
  /** True when an earlier request created the charge. */
  readonly replayed: boolean;
};

/**
 * Creates a charge, payable by each requested method that its rail accepts. A repeat, by externalId or by idempotency key,
 * gets the first charge again, also when both arrive at the same time. Refuses an invalid charge, one that no rail accepts,
 * and a repeat with other content.
 *
 * @example
 * const { id, answer } = await createCharge(deps, { accountId: 'acme', amountCents: 15_990n, currency: 'BRL', … });
 */
export async function createCharge(deps: CreateDeps, input: ChargeRequest, idempotencyKey?: string): Promise<Created> {
  const claim: RequestIdentity = {
    hash: contentHash(contentOf(input)),
    scope: deps.accounts.keyScopeOf(input.accountId),
    key: idempotencyKey,
  };
  const now = deps.clock.now();
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const id = uuidV7(now);
  let charge: Charge;
  try {
    charge = buildCharge(deps, requirePayer(input), id, now);
  } catch (refusal) {
    // A request that was accepted once may be invalid now, for example because dueAt has passed or the customer was erased. Its
    // repeat still gets the first charge.
    const earlier = refusal instanceof AppError ? await findEarlier(deps.db, records, claim, input) : undefined;
    if (!earlier) throw refusal;
    return { id: earlier.id, answer: earlier.answer, replayed: true };
  }
  const ready: ReadyCharge = { charge, claim, auditLine: auditLineAbout(id), trace: traceOf(id, now) };
  const outcome = await deps.chargeBatches.add(ready);
  const written = outcome === 'skipped' ? await writeSingly(deps, ready) : outcome;
  if ('id' in written) return { id: written.id, answer: written.answer, replayed: true };
  const issued = await issueNow(deps, written.charge);
  const text = issued === written.charge ? written.answer : JSON.stringify(chargeAnswer(issued));
  return { id, answer: text, replayed: false };
}

/** Refuses a request whose `customerId` names no customer of the account. */
export function requirePayer({ customer, ...input }: ChargeRequest): NewCharge {
  if (customer) return { ...input, customer };
  throw invalidRequest([{ path: 'customerId', code: 'not_found', message: 'must be a customer of this account' }]);
}

/** Writes the charge in its own transaction, or returns the charge that an earlier request wrote. */
async function writeSingly(deps: CreateDeps, ready: ReadyCharge): Promise<WrittenCharge | First> {
  const { id, accountId, createdAt } = ready.charge;
  return deps.db.transaction(async tx => {
    const requireUsable = () => requireAccount(tx, deps.accounts, accountId, createdAt);
    const written = await writeOrFind(deps, tx, ready, requireUsable);
    setAuditObject('id' in written ? written.id : id);
    if (!('id' in written)) await insertTraces(tx, [ready.trace]);
    else if (written.id === id) {
      // An earlier attempt committed it, with a location, but the answer was lost.
      return { charge: (await findCharge(tx, id, accountId)) ?? ready.charge, answer: written.answer };
    }
    return written;
  });
}

/** Writes the charge, after `check`, or finds the one that an earlier request wrote. */
async function writeOrFind(
  deps: WriteNewDeps,
  tx: Sql,
  { charge, claim }: Pick<ReadyCharge, 'charge' | 'claim'>,
  check?: () => Promise<void>,
): Promise<WrittenCharge | First> {
  let written: ReadonlyMap<string, WrittenCharge> = new Map();
  const earlier = await writeOnce(tx, records, claim, charge, async () => {
    await check?.();
    written = await writeNewCharges(deps, tx, [{ charge, hash: claim.hash }], { isAlone: true });
    return written.has(charge.id);
  });
  return earlier ?? written.get(charge.id)!;
}

const records: Records = {
  byId: findFirstById,
  byExternalId: findByExternalId,
  conflict: chargeId =>
    new AppError('external_id_conflict', 'Another charge of this account has this externalId.', {
      first: { chargeId },
    }),
};

/** Writes the charge of an order in the caller's transaction and returns it as written. Refuses an externalId that is taken. */
export async function writeCharge(deps: WriteNewDeps, tx: Sql, charge: Charge): Promise<Charge> {
  // The hash covers the new id, so no request to create a charge alone can count as a repeat of this one.
  const claim: RequestIdentity = { hash: contentHash({ id: charge.id }), scope: charge.accountId, key: undefined };
  const written = await writeOrFind(deps, tx, { charge, claim });
  if ('id' in written) throw records.conflict(written.id);
  return written.charge;
}

/**
 * The content that two requests must share to count as the same request, independent of how the JSON was written. A customer on record
 * counts by its id: its data may have changed before the repeat.
 */
function contentOf({ amountCents, abatement, discounts, dueAt, expireAt, ...terms }: ChargeRequest): Plain {
  return {
    ...contentOfTerms(terms),
    amountCents: String(amountCents),
    ...(abatement && { abatement: toStored(abatement) }),
    ...(discounts && { discounts: discounts.map(toStored) }),
    dueAt: dueAt.toISOString(),
    expireAt: expireAt?.toISOString(),
  };
}

/** What the charges of one request share. */
export type SharedTerms = Omit<ChargeRequest, OfOne>;
type OfOne = 'amountCents' | 'abatement' | 'discounts' | 'dueAt' | 'expireAt';

export function contentOfTerms({ customer, methods, ...input }: SharedTerms): {
  readonly [field: string]: Plain | undefined;
} {
  const payer = input.customerId === undefined && customer;
  return {
    ...input,
    ...(payer && { customer: { ...payer, address: { ...payer.address } } }),
    methods: METHODS.filter(method => methods.includes(method)),
  };
}
