// What payers, their banks and accounts do between two moves of the clock, by chance.
import { type Psp, PspRefusal } from '@trilho/psp';
import { DAY_MS } from '../../../src/lib/civil-days.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { Random } from '../random.ts';
import type { Call } from './call.ts';
import type { Payer } from './payers.ts';

export const ACTS = [
  'approved',
  'refused',
  'money gone for days',
  'limit lowered for days',
  'charge canceled by the payer',
  'charge paid by its code',
  'refused by the bank',
  'collection canceled by the account',
  'mandate canceled by the payer',
  'mandate canceled by a bank',
  'mandate canceled by the account',
] as const;
type Act = (typeof ACTS)[number];
export type ActCounts = Map<Act, number>;

type Actors = {
  readonly db: Database;
  readonly psp: Psp;
  readonly call: Call;
  readonly random: Random;
  readonly counts: ActCounts;
  readonly payers: ReadonlyMap<string, Payer>;
  /** When the payers of recurrences have money and no limit again. */
  readonly recovers: Map<string, number>;
};

type MandateRow = {
  readonly id: string;
  readonly external_id: string;
  readonly status: string;
  readonly created_at: Date;
  readonly emv: string | null;
  readonly recurrence_id: string;
  readonly collection_id: string | null;
  readonly charge_id: string | null;
};

/** Of each mandate the newest collection that is open. */
const MANDATES = `
  select m.id, m.external_id, m.status, m.created_at, m.emv, m.recurrence_id, c.id as collection_id, c.charge_id
    from mandates m
    left join lateral (select id, charge_id from mandate_collections c
                        where c.mandate_id = m.id and c.status in ('CREATED', 'ACTIVE')
                        order by c.created_at desc limit 1) c on true
   where m.status in ('CREATED', 'APPROVED') and m.recurrence_id is not null and m.cancel_asked_at is null
   order by m.external_id`;

/** Of a mandate in the time of a step. */
const CHANCE = 0.025;
/** That a payer who is asked for an open charge pays it now. */
const PAYS_NOW = 0.15;

export async function act(actors: Actors, now: Date): Promise<void> {
  const { db, random, recovers, psp } = actors;
  for (const [idRec, at] of recovers) {
    if (at > now.getTime()) continue;
    recovers.delete(idRec);
    await refusalOf(() => psp.automatic.setAccount({ idRec, balance: null, maximum: null }));
  }
  for (const row of await db.query<MandateRow>(MANDATES)) {
    if (row.status === 'CREATED') await answer(actors, row, now);
    else if (random.chance(CHANCE)) await disturb(actors, row, now);
  }
  await payWhatIsOpen(actors, PAYS_NOW);
}

async function answer({ psp, payers, counts }: Actors, row: MandateRow, now: Date): Promise<void> {
  const payer = payers.get(row.external_id)!;
  if (payer.answer === 'says nothing' || now.getTime() < row.created_at.getTime() + payer.answersAfterMs) return;
  if (payer.journey !== 1 && row.emv === null) return;
  const target = payer.journey === 1 ? { idRec: row.recurrence_id } : { emv: row.emv! };
  if (payer.answer === 'approves') await note(counts, 'approved', () => psp.automatic.approve(target));
  else await note(counts, 'refused', () => psp.automatic.reject(target));
}

const UNKNOWN_CODE = 'CRNC';
const CODES = ['AG12', 'AB10', 'AC06', 'FBRD'] as const;

async function disturb(actors: Actors, row: MandateRow, now: Date): Promise<void> {
  const { psp, call, random, counts, payers, recovers } = actors;
  const { id, recurrence_id: idRec, collection_id: collectionId, charge_id: chargeId } = row;
  const recoverLater = () => recovers.set(idRec, now.getTime() + (1 + random.below(6)) * DAY_MS);
  const { isFixed } = payers.get(row.external_id)!;
  // An end is rarer than the rest, so that most mandates have all their cycles.
  const which = random.chance(0.1)
    ? random.pick([
        'mandate canceled by the payer',
        'mandate canceled by a bank',
        'mandate canceled by the account',
      ] as const)
    : random.pick(COMMON);
  switch (which) {
    case 'money gone for days':
      recoverLater();
      return note(counts, which, () => psp.automatic.setAccount({ idRec, balance: '0.00' }));
    case 'limit lowered for days':
      if (isFixed) return;
      recoverLater();
      return note(counts, which, () => psp.automatic.setAccount({ idRec, maximum: '1.00' }));
    case 'charge canceled by the payer':
      if (collectionId === null) return;
      return note(counts, which, () => psp.automatic.cancelCharge({ txid: collectionId.replaceAll('-', '') }));
    case 'charge paid by its code': {
      if (chargeId === null) return;
      const { pix } = await call('GET', `/charges/${chargeId}`);
      return note(counts, which, () => psp.pay({ emv: pix.emv }));
    }
    case 'refused by the bank':
      return note(counts, which, () => psp.automatic.refuseCharges({ codigo: random.pick(CODES), count: 1 }));
    case 'collection canceled by the account': {
      if (collectionId === null) return;
      const done = await call.attempt(`/collections/${collectionId}/cancel`, `cancel ${collectionId}`);
      if (done) await note(counts, which, () => {});
      return;
    }
    case 'mandate canceled by the payer':
      return note(counts, which, () => psp.automatic.cancel({ idRec }));
    case 'mandate canceled by a bank':
      return note(counts, which, () =>
        psp.automatic.cancel({ idRec, solicitante: 'PSP_PAGADOR', codigo: UNKNOWN_CODE, descricao: 'Conta encerrada' }),
      );
    case 'mandate canceled by the account': {
      const done = await call.attempt(`/mandates/${id}/cancel`, `cancel ${id}`);
      if (done) await note(counts, which, () => {});
      return;
    }
  }
}

const COMMON = [
  'money gone for days',
  'limit lowered for days',
  'charge canceled by the payer',
  'charge paid by its code',
  'refused by the bank',
  'collection canceled by the account',
] as const;

/** Cycles whose charge nothing will collect any more: their customers were asked to pay it. */
const FALLEN_BACK = `
  select charge_id from subscription_cycles
   where status in ('open', 'past_due') and fallback_reason is not null
   order by charge_id`;

/** Pays charges that have fallen back by their codes; returns those that cannot be paid. */
export async function payWhatIsOpen(
  { db, psp, call, random }: Pick<Actors, 'db' | 'psp' | 'call' | 'random'>,
  chance: number,
): Promise<string[]> {
  const unpayable: string[] = [];
  for (const { charge_id: id } of await db.query<{ charge_id: string }>(FALLEN_BACK)) {
    if (!random.chance(chance)) continue;
    const { pix, state } = await call('GET', `/charges/${id}`);
    const refusal = await refusalOf(() => psp.pay({ emv: pix.emv ?? '' }));
    // Paid, and the service does not know it yet.
    if (refusal !== undefined && refusal.code !== 'paid') unpayable.push(`${id} ${state}: ${refusal.message}`);
  }
  return unpayable;
}

/** Counts it, unless it is too late for it, or too early. */
async function note(counts: ActCounts, what: Act, work: () => unknown): Promise<void> {
  if ((await refusalOf(work)) === undefined) counts.set(what, (counts.get(what) ?? 0) + 1);
}

async function refusalOf(work: () => unknown): Promise<PspRefusal | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof PspRefusal) return error;
    throw error;
  }
}
