// Compares the database with the acknowledged writes. Rows that no index keeps unique are counted by their name in the drill: charges
// and orders by their names; payments, refunds, their ledger entries and their events by the charge, which has at most one of each.
import type { Sql } from '../../src/storage/database.ts';
import type { Acknowledged } from './acts.ts';

type Proof = { readonly lost: readonly string[]; readonly doubled: readonly string[] };

type Found = { readonly name: string; readonly ids: readonly string[] };

/** Charges, orders, payments and refunds, and the events of payments. */
export async function prove(db: Sql, acknowledged: Acknowledged): Promise<Proof> {
  const money = await proveMoney(db, acknowledged);
  const announced = await db.query<Found>(
    `select object_id::text as name, array_agg(id::text) as ids from events where type = 'charge.paid' group by object_id`,
  );
  const events = compare(
    'event charge.paid of charge',
    announced,
    new Map([...acknowledged.payments.values()].map(isThere)),
  );
  return { lost: [...money.lost, ...events.lost], doubled: [...money.doubled, ...events.doubled] };
}

export async function proveMoney(db: Sql, acknowledged: Acknowledged): Promise<Proof> {
  const { charges, payments, refunds = new Map(), orders = new Map() } = acknowledged;
  const named = await db.query<Found>(
    `select coalesce(source_key, external_id) as name, array_agg(id::text) as ids from charges
      where order_id is null and coalesce(source_key, external_id) is not null group by 1`,
  );
  const ordered = await db.query<Found>(
    `select c.source_key as name, array_agg(o.id::text) as ids
       from orders o join charges c on c.order_id = o.id and c.account_id = o.account_id group by 1`,
  );
  const paid = await db.query<Found>(
    'select charge_id::text as name, array_agg(reference) as ids from payments group by charge_id',
  );
  const refunded = await db.query<Found>(
    `select charge_id::text as name, array_agg(id::text) as ids from refunds where kind = 'refund' group by charge_id`,
  );
  const booked = await db.query<Found>(
    `select charge_id::text as name, array_agg(id::text) as ids from ledger_entries where kind = 'payment' group by charge_id`,
  );
  const sentBack = await db.query<Found>(
    `select charge_id::text as name, array_agg(id::text) as ids from ledger_entries where kind = 'refund' group by charge_id`,
  );
  const proofs = [
    compare('charge', named, charges),
    compare('order', ordered, orders),
    compare('payment of charge', paid, byCharge(payments)),
    compare('refund of charge', refunded, byCharge(refunds)),
    compare('ledger entry of the payment of charge', booked, new Map([...payments.values()].map(isThere))),
    compare('ledger entry of the refund of charge', sentBack, new Map()),
  ];
  return { lost: proofs.flatMap(({ lost }) => lost), doubled: proofs.flatMap(({ doubled }) => doubled) };
}

/** Each expected one must be found, with its id if that is known; and none may be found twice, expected or not. */
function compare(kind: string, found: readonly Found[], wanted: ReadonlyMap<string, string | undefined>): Proof {
  const idsOf = new Map(found.map(({ name, ids }) => [name, ids]));
  const isLost = ([name, id]: [string, string | undefined]) => {
    const ids = idsOf.get(name) ?? [];
    return id === undefined ? ids.length === 0 : !ids.includes(id);
  };
  return {
    lost: [...wanted].filter(isLost).map(([name]) => `${kind} ${name}`),
    doubled: found.filter(({ ids }) => ids.length > 1).map(({ name }) => `${kind} ${name}`),
  };
}

function byCharge(acknowledged: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...acknowledged].map(([id, chargeId]) => [chargeId, id]));
}

function isThere(chargeId: string): [string, undefined] {
  return [chargeId, undefined];
}
