// The SQL of references by which a charge may be paid beside those of its methods.
import type { Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

type FurtherReference = {
  readonly reference: string;
  readonly rail: string;
  readonly method: Method;
  readonly charge: Pick<Charge, 'id' | 'accountId'>;
};

/** A payment that names the reference pays the charge from now on. */
export async function insertReference(tx: Sql, { reference, rail, method, charge }: FurtherReference): Promise<void> {
  await tx.query(
    'insert into charge_references (reference, rail, method, charge_id, account_id) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [reference, rail, method, charge.id, charge.accountId],
  );
}
