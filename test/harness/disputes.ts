// An open dispute with evidence about a paid charge, written to the database of a live service whose bank cannot cause one.
import type { Service } from './service.ts';

export async function insertDispute(service: Service, chargeId: string) {
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
  const [evidence] = await service.sql<{ id: string }>(
    `insert into dispute_evidence (id, account_id, dispute_id, name, media_type, size, content, sha256, added_by, created_at)
     select gen_random_uuid(), account_id, id, 'entrega.txt', 'text/plain', 8, 'entregue', sha256('entregue'), 'operator', $2
       from disputes where id = $1
     returning id`,
    [row!.id, at],
  );
  return { id: row!.id, evidenceId: evidence!.id };
}
