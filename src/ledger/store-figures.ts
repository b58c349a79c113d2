// The SQL of daily figures: what moved on each civil day, by the entries of the ledger.
import type { CivilDay } from '../lib/civil-days.ts';
import type { Sql } from '../storage/database.ts';

export type DayFigures = {
  readonly day: CivilDay;
  readonly pixCents: bigint;
  readonly boletoCents: bigint;
  readonly settledCents: bigint;
  readonly refundedCents: bigint;
  /** Transfers of crypto that were done. */
  readonly payouts: number;
};

/** Days since a moment on which something moved, in order; of one account, when it is named. */
export async function readDayFigures(sql: Sql, since: Date, accountId?: string): Promise<DayFigures[]> {
  const rows = await sql.query<{
    day: string;
    pix: string | null;
    boleto: string | null;
    settled: string | null;
    refunded: string | null;
    payouts: string;
  }>(
    `select to_char(e.at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as day,
            sum(l.amount) filter (where e.kind = 'payment' and p.method = 'pix') as pix,
            sum(l.amount) filter (where e.kind = 'payment' and p.method = 'boleto') as boleto,
            sum(l.amount) filter (where e.kind = 'settlement') as settled,
            sum(l.amount) filter (where e.kind = 'refund') as refunded,
            count(*) filter (where e.kind = 'payout') as payouts
       from ledger_entries e
       join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id and l.amount > 0
                          and (l.currency = 'BRL' or e.kind = 'payout')
       left join payments p on e.kind = 'payment' and p.id = e.cause_id and p.account_id = e.account_id
      where e.at >= $1 and ($2::text is null or e.account_id = $2)
        and e.kind in ('payment', 'settlement', 'refund', 'payout')
      group by 1 order by 1`,
    [since, accountId ?? null],
  );
  return rows.map(row => ({
    day: row.day,
    pixCents: BigInt(row.pix ?? 0),
    boletoCents: BigInt(row.boleto ?? 0),
    settledCents: BigInt(row.settled ?? 0),
    refundedCents: BigInt(row.refunded ?? 0),
    payouts: Number(row.payouts),
  }));
}
