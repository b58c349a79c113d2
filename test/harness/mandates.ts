// A mandate with a collection, in the database of a sandbox, whose PSP has no Pix Automático.
import type { Service } from './service.ts';

const MANDATE = '019a8b5e-3c80-7a11-9b02-1c2d3e4f5a60';
const COLLECTION = '019a8b5e-3c81-7b22-8c03-2d3e4f5a6b70';

type Of = { readonly accountId: string; readonly customerId: string; readonly chargeId: string };

export async function insertMandate(service: Service, { accountId, customerId, chargeId }: Of) {
  const at = service.clock.now();
  await service.sql(
    `insert into mandates (id, account_id, customer_id, rail, journey, approved_by, contract, description, period, first_day, last_day,
                           minimum_cents, allows_retries, status, psp_status, content_hash, created_at, updated_at)
     values ($1, $2, $3, 'efi:main', 2, 2, '63100862', 'Plano mensal', 'MONTHLY', '2026-12-10', '2027-12-10',
             123456, true, 'APPROVED', 'APROVADA', '', $4, $4)`,
    [MANDATE, accountId, customerId, at],
  );
  const attempts = [{ day: '2026-12-10', kind: 'FIRST', status: 'SCHEDULED', pspStatus: 'AGENDADA' }];
  await service.sql(
    `insert into mandate_collections (id, account_id, mandate_id, charge_id, amount_cents, due_day, status, attempts, created_at, updated_at)
     values ($1, $2, $3, $4, 539021, '2026-12-10', 'ACTIVE', $5, $6, $6)`,
    [COLLECTION, accountId, MANDATE, chargeId, JSON.stringify(attempts), at],
  );
  return { id: MANDATE, collectionId: COLLECTION };
}
