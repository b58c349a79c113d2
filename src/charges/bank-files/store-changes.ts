// The SQL of changes of the due day that are sent to banks in files.
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

/** When the first file with a change was made, which the bank may answer, and the file that has it now. */
type SentChange = {
  readonly firstAt: Date;
  /** Absent while it waits to be sent again. */
  readonly lastAt?: Date;
};

/** For the last change of the due day; undefined while no file has had it. */
export async function findChangeSent(tx: Sql, charge: Charge): Promise<SentChange | undefined> {
  const [last] = await tx.query<{ first_at: Date | null; last_at: Date | null }>(
    `select former.made_at as first_at, present.made_at as last_at
       from boleto_instructions i
       left join boleto_files former on former.rail = i.rail and former.sequence = coalesce(i.former_sequence, i.sequence)
       left join boleto_files present on present.rail = i.rail and present.sequence = i.sequence
      where i.charge_id = $1 and i.account_id = $2 and i.movement = 'change_due_day' and i.dropped_at is null
      order by i.id desc limit 1`,
    [charge.id, charge.accountId],
  );
  if (!last?.first_at) return undefined;
  return { firstAt: last.first_at, ...(last.last_at && { lastAt: last.last_at }) };
}
