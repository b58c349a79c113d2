// A mandate with a collection, written to the database of a service whose PSP has no Pix Automático.
import type { Service } from './service.ts';

type Of = { readonly accountId: string; readonly customerId: string; readonly chargeId: string };

export async function insertMandate(service: Service, { accountId, customerId, chargeId }: Of) {
  const at = service.clock.now();
  const [mandate] = await service.sql<{ id: string }>(
    `insert into mandates (id, account_id, customer_id, rail, journey, approved_by, contract, description, period, first_day, last_day,
                           minimum_cents, allows_retries, status, psp_status, content_hash, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, 'sandbox', 2, 2, '63100862', 'Plano mensal', 'MONTHLY', '2026-12-10', '2027-12-10',
             123456, true, 'APPROVED', 'APROVADA', '', $3, $3)
     returning id`,
    [accountId, customerId, at],
  );
  const attempts = [{ day: '2026-12-10', kind: 'FIRST', status: 'SCHEDULED', pspStatus: 'AGENDADA' }];
  const [collection] = await service.sql<{ id: string }>(
    `insert into mandate_collections (id, account_id, mandate_id, charge_id, amount_cents, due_day, status, attempts, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, 539021, '2026-12-10', 'ACTIVE', $4, $5, $5)
     returning id`,
    [accountId, mandate!.id, chargeId, JSON.stringify(attempts), at],
  );
  return { id: mandate!.id, collectionId: collection!.id };
}
