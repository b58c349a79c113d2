// The SQL of daily figures: the sums of ledger entries on each civil day.
import type { CivilDay } from '../lib/civil-days.ts';
import { byMethod, METHODS, type Method } from '../rails/methods/methods.ts';
import type { Sql } from '../storage/database.ts';
import type { LedgerCurrency } from './currency.ts';

export type DayFigures = {
  readonly day: CivilDay;
  /** What was paid by each method. */
  readonly paidCents: Readonly<Record<Method, bigint>>;
  /** What became available: at once, or when the bank credits it. */
  readonly settledCents: bigint;
  readonly refundedCents: bigint;
  /** Crypto that left, in smallest units, and the number of transfers. */
  readonly sent: ReadonlyMap<LedgerCurrency, bigint>;
  readonly transfers: number;
  /** The median time from the payment to its crypto; absent when no crypto left. */
  readonly conversionSeconds?: number;
};

type Span = { readonly since: Date; readonly accountId?: string | undefined };

export const NO_FIGURES = {
  paidCents: byMethod(() => 0n),
  settledCents: 0n,
  refundedCents: 0n,
  sent: new Map(),
  transfers: 0,
} as const satisfies Omit<DayFigures, 'day'>;

const DAY = `to_char(e.at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD')`;
const IN_SPAN = 'e.at >= $1 and ($2::text is null or e.account_id = $2)';

/** Days with movements since a moment, by day; only of one account, if given. */
export async function readDayFigures(sql: Sql, span: Span): Promise<ReadonlyMap<CivilDay, DayFigures>> {
  const [money, crypto, times] = await Promise.all([readMoney(sql, span), readCrypto(sql, span), readTimes(sql, span)]);
  const moved = new Map(money.map(row => [row.day, row]));
  const sentOn = Map.groupBy(crypto, ({ day }) => day);
  const timeOn = new Map(times.map(({ day, seconds }) => [day, seconds]));
  return new Map(
    [...new Set([...moved.keys(), ...sentOn.keys()])].map(day => {
      const row = moved.get(day);
      const sent = sentOn.get(day) ?? [];
      const conversionSeconds = timeOn.get(day);
      const figures: DayFigures = {
        day,
        paidCents: byMethod(method => BigInt(row?.[method] ?? 0)),
        settledCents: BigInt(row?.settled ?? 0),
        refundedCents: BigInt(row?.refunded ?? 0),
        sent: new Map(sent.map(({ currency, units }) => [currency, BigInt(units)])),
        transfers: sent.reduce((sum, { transfers }) => sum + transfers, 0),
        ...(conversionSeconds !== undefined && { conversionSeconds }),
      };
      return [day, figures];
    }),
  );
}

type MoneyRow = Record<Method, string | null> & {
  day: CivilDay;
  settled: string | null;
  refunded: string | null;
};

const PAID_BY_METHOD = METHODS.map(method => `sum(l.amount) filter (where p.method = '${method}') as ${method},`);

function readMoney(sql: Sql, { since, accountId }: Span): Promise<MoneyRow[]> {
  return sql.query<MoneyRow>(
    `select ${DAY} as day,
            ${PAID_BY_METHOD.join(' ')}
            sum(l.amount) filter (where l.book = 'settled') as settled,
            sum(l.amount) filter (where e.kind = 'refund') as refunded
       from ledger_entries e
       join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id and l.amount > 0 and l.currency = 'BRL'
       left join payments p on e.kind = 'payment' and p.id = e.cause_id and p.account_id = e.account_id
      where ${IN_SPAN} and e.kind in ('payment', 'settlement', 'refund')
      group by 1`,
    [since, accountId ?? null],
  );
}

type CryptoRow = { day: CivilDay; currency: LedgerCurrency; units: string; transfers: number };

function readCrypto(sql: Sql, { since, accountId }: Span): Promise<CryptoRow[]> {
  return sql.query<CryptoRow>(
    `select ${DAY} as day, l.currency, sum(l.amount)::text as units, count(*)::int as transfers
       from ledger_entries e
       join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id and l.amount > 0
      where ${IN_SPAN} and e.kind = 'payout'
      group by 1, 2 order by 1, 2`,
    [since, accountId ?? null],
  );
}

/** From the last payment of the charge before the crypto left. */
function readTimes(sql: Sql, { since, accountId }: Span): Promise<{ day: CivilDay; seconds: number }[]> {
  return sql.query<{ day: CivilDay; seconds: number }>(
    `select ${DAY} as day,
            percentile_cont(0.5) within group (order by extract(epoch from e.at - paid.at))::float8 as seconds
       from ledger_entries e
       cross join lateral (
         select max(p.at) as at from ledger_entries p
          where p.charge_id = e.charge_id and p.account_id = e.account_id and p.kind = 'payment' and p.at <= e.at) paid
      where ${IN_SPAN} and e.kind = 'payout' and paid.at is not null
      group by 1`,
    [since, accountId ?? null],
  );
}
