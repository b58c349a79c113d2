// An open dispute about a paid charge, written to the database of a live service whose bank cannot cause one.
import type { Service } from './service.ts';

export async function insertDispute(service: Service, chargeId: string): Promise<string> {
  const at = service.clock.now();
  const [row] = await service.sql<{ id: string }>(
    `with payment as (select id, account_id, rail, reference from payments where charge_id = $1),
          returned as (
            insert into refunds (id, account_id, charge_id, payment_id, kind, amount_cents, status, reference, created_at, updated_at)
            select gen_random_uuid(), account_id, $1, id, 'return', 4711, 'PENDING', 'MED471147114711', $2, $2 from payment
            returning id)
     insert into disputes (id, account_id, charge_id, payment_id, refund_id, rail, payment_reference, return_reference, cause, bank_code,
                           amount_cents, status, event_count, created_at, updated_at)
     select gen_random_uuid(), p.account_id, $1, p.id, r.id, p.rail, p.reference, 'MED471147114711', 'fraud', 'MED_FRAUDE', 4711, 'open',
            1, $2, $2
       from payment p, returned r
     returning id`,
    [chargeId, at],
  );
  return row!.id;
}
