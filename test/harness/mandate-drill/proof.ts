// What must hold when all is quiet, by the PSP's own record: each cycle has one charge, each charge at most one collection that may bring
// money, each payment is credited once and to its charge, and mandates and collections are as the PSP has them.
import type { Psp } from '@trilho/psp';
import type { Database } from '../../../src/storage/database.ts';
import { differences } from '../order-proof.ts';
import type { Made } from './payers.ts';

export type MandateProof = {
  readonly cycles: number;
  readonly collections: number;
  /** Payments at the PSP, and those of them that a collection brought. */
  readonly payments: number;
  readonly collected: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Anything else that is not as it should be. */
  readonly wrong: readonly string[];
};

type Cycles = Readonly<Record<Made['payer']['interval'], number>>;

export async function proveMandates(
  db: Database,
  psp: Psp,
  made: readonly Made[],
  cycles: Cycles,
): Promise<MandateProof> {
  const parts = [
    await proveCycles(db, made, cycles),
    await proveMandateStates(db, psp),
    await proveCollections(db, psp),
    await proveMoney(db, psp),
    { ...NONE, wrong: [...(await differences(db)), ...(await wrongEvents(db))] },
  ];
  const { pix, cobsr } = psp.state();
  const paid = cobsr.flatMap(charge => charge.pix ?? []);
  return {
    cycles: made.reduce((sum, { payer }) => sum + cycles[payer.interval], 0),
    collections: cobsr.length,
    payments: pix.length,
    collected: paid.length,
    lost: parts.flatMap(({ lost }) => lost),
    doubled: parts.flatMap(({ doubled }) => doubled),
    wrong: parts.flatMap(({ wrong }) => wrong),
  };
}

type Part = Pick<MandateProof, 'lost' | 'doubled' | 'wrong'>;
const NONE: Part = { lost: [], doubled: [], wrong: [] };

/** One charge on each day that another calendar gives, paid, and one event for each cycle that fell back. */
async function proveCycles(db: Database, made: readonly Made[], counts: Cycles): Promise<Part> {
  const rows = await db.query<{
    subscription_id: string;
    day: string;
    status: string;
    charges: number;
    fell_back: boolean;
    events: number;
  }>(
    `select c.subscription_id, c.day::text, c.status, c.fallback_reason is not null as fell_back,
            (select count(*)::int from charges h
              where h.subscription_id = c.subscription_id and h.cycle_number = c.number) as charges,
            (select count(*)::int from events e
              where e.object_id = c.subscription_id and e.type = 'subscription.collection_failed'
                and (e.object -> 'cycle' ->> 'number')::int = c.number) as events
       from subscription_cycles c`,
  );
  const of = Map.groupBy(rows, row => row.subscription_id);
  const [lost, doubled, wrong]: string[][] = [[], [], []];
  for (const { subscriptionId, startDay, payer } of made) {
    const days = daysOf(startDay, payer.interval, counts[payer.interval]);
    const found = (of.get(subscriptionId) ?? []).filter(({ charges }) => charges > 0);
    for (const day of days) if (!found.some(cycle => cycle.day === day)) lost!.push(`${subscriptionId} on ${day}`);
    for (const { day, charges, status, fell_back: fellBack, events } of found) {
      const name = `${subscriptionId} on ${day}`;
      if (charges > 1) doubled!.push(`charge of ${name}`);
      if (!days.includes(day)) wrong!.push(`${name} is no day of a cycle`);
      if (status !== 'paid') wrong!.push(`${name} is ${status}`);
      if (events !== (fellBack ? 1 : 0)) wrong!.push(`${name} has ${events} events of a collection that failed`);
    }
  }
  return { lost: lost!, doubled: doubled!, wrong: wrong! };
}

/** No first day is after the 28th. */
function daysOf(first: string, interval: Made['payer']['interval'], count: number): string[] {
  const [year, month, day] = first.split('-').map(Number) as [number, number, number];
  return Array.from({ length: count }, (_, index) => {
    const ms =
      interval === 'weekly' ? Date.UTC(year, month - 1, day + 7 * index) : Date.UTC(year, month - 1 + index, day);
    return new Date(ms).toISOString().slice(0, 10);
  });
}

const MANDATE_STATES: Readonly<Record<string, string>> = {
  CRIADA: 'CREATED',
  APROVADA: 'APPROVED',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
};

/** Each mandate is one recurrence in the same state, and no other recurrence is left open. */
async function proveMandateStates(db: Database, psp: Psp): Promise<Part> {
  const { recs } = psp.state();
  const rows = await db.query<{ id: string; contract: string; status: string; recurrence_id: string | null }>(
    'select id, contract, status, recurrence_id from mandates',
  );
  const atPsp = new Map(recs.map(({ idRec, status }) => [idRec, MANDATE_STATES[status]]));
  const known = new Set(rows.map(row => row.recurrence_id));
  const differing = rows.filter(({ recurrence_id: id, status }) => id === null || atPsp.get(id) !== status);
  const extra = recs.filter(({ idRec, status }) => status !== 'CANCELADA' && !known.has(idRec));
  return {
    ...NONE,
    doubled: extra.map(({ idRec, vinculo }) => `recurrence ${idRec} of ${vinculo.contrato}`),
    wrong: differing.map(
      ({ id, status, recurrence_id: rec }) =>
        `mandate ${id} is ${status}, at the PSP ${atPsp.get(rec ?? '') ?? 'nowhere'}`,
    ),
  };
}

const COLLECTION_STATES: Readonly<Record<string, string>> = {
  CRIADA: 'CREATED',
  ATIVA: 'ACTIVE',
  CONCLUIDA: 'COMPLETED',
  EXPIRADA: 'EXPIRED',
  REJEITADA: 'REJECTED',
  CANCELADA: 'CANCELED',
};

/** The states of collections that never reached the PSP. */
const UNSENT: readonly string[] = ['FAILED', 'CANCELED'];

async function proveCollections(db: Database, psp: Psp): Promise<Part> {
  const { cobsr } = psp.state();
  const rows = await db.query<{
    txid: string;
    charge_id: string;
    status: string;
    cents: string;
    due_day: string;
    recurrence_id: string;
  }>(
    `select replace(c.id::text, '-', '') as txid, c.charge_id, c.status, c.amount_cents::text as cents, c.due_day::text, m.recurrence_id
       from mandate_collections c join mandates m on m.id = c.mandate_id and m.account_id = c.account_id`,
  );
  const atPsp = new Map(cobsr.map(charge => [charge.txid, charge]));
  const here = new Map(rows.map(row => [row.txid, row]));
  const [doubled, wrong]: string[][] = [[], []];
  for (const { txid, status, cents, due_day: day, recurrence_id: idRec } of rows) {
    const charge = atPsp.get(txid);
    const shown = charge ? COLLECTION_STATES[charge.status] : undefined;
    if (shown !== status && (charge || !UNSENT.includes(status)))
      wrong!.push(`collection ${txid} is ${status}, at the PSP ${shown ?? 'nowhere'}`);
    const isSame =
      centsOf(charge?.valor.original ?? '') === cents &&
      charge?.calendario.dataDeVencimento === day &&
      charge.idRec === idRec;
    if (charge && !isSame) wrong!.push(`collection ${txid} has other terms at the PSP`);
  }
  for (const { txid } of cobsr) if (!here.has(txid)) doubled!.push(`collection ${txid} at the PSP alone`);
  const mayBring = cobsr.filter(({ status }) => status !== 'CANCELADA' && status !== 'REJEITADA');
  const ofCharge = Map.groupBy(mayBring, ({ txid }) => here.get(txid)?.charge_id ?? txid);
  for (const [id, all] of ofCharge) if (all.length > 1) doubled!.push(`collection of charge ${id}`);
  return { ...NONE, doubled: doubled!, wrong: wrong! };
}

/** Each payment at the PSP is one payment of its charge here, and there is no other. */
async function proveMoney(db: Database, psp: Psp): Promise<Part> {
  const pix = psp.state().pix as readonly { endToEndId: string; txid?: string; valor: string }[];
  const references = await db.query<{ txid: string; charge_id: string }>(
    `select reference as txid, charge_id from charge_methods where method = 'pix'
      union select replace(id::text, '-', ''), charge_id from mandate_collections`,
  );
  const chargeOf = new Map(references.map(row => [row.txid, row.charge_id]));
  const payments = await db.query<{ reference: string; charge_id: string; cents: string }>(
    'select reference, charge_id, amount_cents::text as cents from payments',
  );
  const had = Map.groupBy(payments, ({ reference }) => reference.toLowerCase());
  const known = new Set(pix.map(({ endToEndId }) => endToEndId.toLowerCase()));
  const isCredited = ({ endToEndId, txid = '', valor }: (typeof pix)[number]) =>
    had
      .get(endToEndId.toLowerCase())
      ?.some(row => row.charge_id === chargeOf.get(txid) && row.cents === centsOf(valor)) ?? false;
  const invented = payments.filter(({ reference }) => !known.has(reference.toLowerCase()));
  return {
    lost: pix.filter(one => !isCredited(one)).map(({ endToEndId }) => `payment ${endToEndId}`),
    doubled: [
      ...[...had].filter(([, rows]) => rows.length > 1).map(([reference]) => `payment ${reference}`),
      ...invented.map(({ reference }) => `payment ${reference}, which the PSP does not have`),
    ],
    wrong: [],
  };
}

function centsOf(valor: string): string {
  return valor.replace('.', '').replace(/^0+(?=\d)/, '');
}

/** The events of an object are numbered without a gap, and a collection is completed once. */
async function wrongEvents(db: Database): Promise<string[]> {
  const rows = await db.query<{ text: string }>(
    `select object_id || ' has a gap in its events' as text
       from events group by object_id having count(*) <> max(sequence) or min(sequence) <> 1
      union all
     select c.id || ' is ' || c.status || ' with other events'
       from mandate_collections c
      where (c.status = 'COMPLETED')::int
            <> (select count(*) from events e where e.object_id = c.id and e.type = 'mandate.collection_completed')
      union all
     select reference || ' waits for a person' from unmatched_receipts where decided_at is null`,
  );
  return rows.map(({ text }) => text);
}
