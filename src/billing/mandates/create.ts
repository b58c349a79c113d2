// Creates a mandate: checks it and writes it; the PSP is asked in the background.
import { type FirstOne, findEarlier, type Records, type RequestIdentity, writeOnce } from '../../accounts/once.ts';
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { firstsIn, HASH_OF_BYTES } from '../../accounts/store-first.ts';
import { type Charge, isInstant, isOf } from '../../charges/charge.ts';
import { isPayable } from '../../charges/life.ts';
import { findCharge } from '../../charges/store/charges.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, type Fault, invalidRequest } from '../../lib/errors.ts';
import { contentHash } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { RecurrencePeriod } from '../../rails/automatic.ts';
import { type Rails, railFor } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { requireCustomer } from '../customers/require.ts';
import type { Journey, PayerAccount } from './mandate.ts';
import { insertMandate, type MandateRecord } from './store.ts';

export type NewMandate = {
  readonly accountId: string;
  readonly customerId: string;
  readonly externalId?: string;
  readonly journey: Journey;
  readonly contract?: string;
  readonly description?: string;
  readonly period: RecurrencePeriod;
  readonly firstDay: CivilDay;
  readonly lastDay?: CivilDay;
  readonly amountCents?: bigint;
  readonly minimumCents?: bigint;
  readonly allowsRetries: boolean;
  readonly chargeId?: string;
  readonly payerAccount?: PayerAccount;
  readonly asksUntil?: Date;
};

export type CreateMandateDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly accounts: AccountPolicy;
  readonly rails: Rails;
};

type CreatedMandate = { readonly id: string; readonly accountId: string; readonly replayed: boolean };

/**
 * Creates a mandate. A repeat, by externalId or by idempotency key, gets the first one again. Refuses one that does not fit its journey,
 * its customer or its charge, and any of an account whose pix has no Pix Automático.
 */
export async function createMandate(
  deps: CreateMandateDeps,
  input: NewMandate,
  idempotencyKey?: string,
): Promise<CreatedMandate> {
  const { accountId } = input;
  const { amountCents, minimumCents, asksUntil, payerAccount, ...rest } = input;
  const claim: RequestIdentity = {
    hash: contentHash({
      mandate: {
        ...rest,
        amountCents: amountCents?.toString(),
        minimumCents: minimumCents?.toString(),
        asksUntil: asksUntil?.toISOString(),
        payerAccount: payerAccount && { ...payerAccount },
      },
    }),
    scope: deps.accounts.keyScopeOf(accountId),
    key: idempotencyKey,
  };
  const now = deps.clock.now();
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const id = uuidV7(now);
  const earlier = await findEarlier(deps.db, records, claim, input);
  if (earlier) return { id: earlier.id, accountId, replayed: true };
  const rail = requireAutomatic(deps.rails, accountId);
  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, accountId, now);
    const faults = [...checkDays(input, now), ...(await checkOthers(tx, input, rail))];
    if (faults.length > 0) throw invalidRequest(faults);
    const mandate = built(input, { id, rail, now });
    const insert = () => insertMandate(tx, { mandate, contentHash: claim.hash, nextLookAt: now });
    const known = await writeOnce(tx, records, claim, mandate, insert);
    setAuditObject(known?.id ?? id);
    return known;
  });
  return { id: first?.id ?? id, accountId, replayed: first !== undefined && first.id !== id };
}

const records: Records<FirstOne> = {
  ...firstsIn('mandates', HASH_OF_BYTES),
  conflict: mandateId =>
    new AppError('external_id_conflict', 'Another mandate of this account has this externalId.', {
      first: { mandateId },
    }),
};

/** The name of the rail that collects for an account. */
function requireAutomatic(rails: Rails, accountId: string): string {
  const { name, automatic } = railFor(rails, 'pix', accountId);
  if (!automatic)
    throw new AppError(
      'not_configured',
      'The PSP of this account is not set up for Pix Automático: see docs/rails.md.',
    );
  return name;
}

function checkDays({ firstDay, lastDay, asksUntil }: NewMandate, now: Date): Fault[] {
  const faults: Fault[] = [];
  if (firstDay <= civilDay(now)) faults.push({ path: 'firstDay', code: 'too_early', message: 'must be after today' });
  if (lastDay !== undefined && lastDay < firstDay)
    faults.push({ path: 'lastDay', code: 'too_early', message: 'must not be before firstDay' });
  if (asksUntil && asksUntil <= now)
    faults.push({ path: 'payerAccount.until', code: 'in_the_past', message: 'must be in the future' });
  return faults;
}

/** The customer and the charge that it names. */
async function checkOthers(tx: Sql, input: NewMandate, rail: string): Promise<Fault[]> {
  const { accountId, customerId, chargeId, journey } = input;
  const customer = await requireCustomer(tx, customerId, accountId).catch(() => undefined);
  if (!customer || customer.erasedAt)
    return [{ path: 'customerId', code: 'not_found', message: 'must be a customer of this account' }];
  if (chargeId === undefined) return [];
  const charge = await findCharge(tx, chargeId, accountId);
  const message = charge ? faultOfCharge(charge, journey, rail) : 'must be a charge of this account';
  return message === undefined ? [] : [{ path: 'chargeId', code: 'not_usable', message }];
}

/** The norm: a charge without a due day in journey 3, and one with a due day in journey 4. */
function faultOfCharge(charge: Charge, journey: Journey, rail: string): string | undefined {
  const pix = charge.methods.find(isOf('pix'));
  if (!pix || pix.rail !== rail || !isPayable(pix)) return 'must be payable by pix at the PSP of the mandate';
  if (isInstant(charge, 'pix') !== (journey === 3))
    return journey === 3 ? 'must end within a day, in journey 3' : 'must not end within a day, in journey 4';
  return undefined;
}

/** What the payer sees when the account gives no contract: unique, and short enough. */
function contractOf(id: string): string {
  return id.replaceAll('-', '');
}

function built(
  { payerAccount, asksUntil, contract, ...input }: NewMandate,
  { id, rail, now }: { readonly id: string; readonly rail: string; readonly now: Date },
): MandateRecord {
  return {
    ...input,
    id,
    rail,
    contract: contract ?? contractOf(id),
    status: 'CREATING',
    eventCount: 0,
    createdAt: now,
    updatedAt: now,
    ...(payerAccount && { payerAccount }),
    ...(asksUntil && { asksUntil }),
  };
}
