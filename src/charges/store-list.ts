// The SQL of the list of charges. PostgreSQL writes each charge as `chargeView` shows it, all but its warnings.
import type { PageQuery } from '../lib/paging.ts';
import { FOUND, foundValues } from '../storage/counted-list.ts';
import type { Row, Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { ChargeState } from './charge.ts';

export type ChargeQuery = PageQuery & {
  readonly accountId?: string;
  readonly state?: ChargeState;
  readonly externalId?: string;
  readonly sourceKey?: string;
};

/** One charge as JSON text, and what its warnings depend on. */
export type ListedCharge = {
  readonly json: string;
  readonly payableCents: bigint;
  readonly finePercent?: string;
  readonly interestPercent?: string;
};

const CHARGE_JSON = `
  json_strip_nulls(json_build_object(
    'id', c.id, 'accountId', c.account_id, 'externalId', c.external_id, 'sourceKey', c.source_key, 'state', c.state,
    'timing', c.timing, 'paidAmount', c.paid_amount, 'amountCents', c.amount_cents, 'currency', c.currency,
    'payable', json_build_object('amountCents', c.payable_cents, 'currency', 'BRL', 'rate', trim_scale(c.rate)::text,
                                 'rateSource', c.rate_source, 'rateAt', iso_utc(c.rate_at)),
    'customer', json_build_object('name', c.customer -> 'name', 'document', c.customer -> 'document',
                                  'type', c.customer -> 'type', 'address', c.customer -> 'address'),
    'taxes', case when c.fine_percent is not null or c.interest_percent is not null then
               json_build_object('fine', trim_scale(c.fine_percent), 'interest', trim_scale(c.interest_percent)) end,
    'boleto', (select json_build_object('success', m.status <> 'FAILED', 'status', m.status, 'reason', m.reason,
                                        'digitableLine', m.instrument -> 'digitableLine', 'barcode', m.instrument -> 'barcode',
                                        'pdfUrl', case when m.instrument is not null then '/charges/' || c.id || '/boleto.pdf' end)
                 from charge_methods m
                where m.charge_id = c.id and m.account_id = c.account_id and m.method = 'boleto'),
    'pix', (select json_build_object('success', m.status <> 'FAILED', 'emv', coalesce(m.instrument ->> 'emv', ''),
                                     'status', m.status, 'reason', m.reason, 'txid', m.instrument -> 'txid',
                                     'qrCodeUrl', case when m.instrument is not null then '/charges/' || c.id || '/pix.png' end)
              from charge_methods m
             where m.charge_id = c.id and m.account_id = c.account_id and m.method = 'pix'),
    'payments', coalesce((select json_agg(json_build_object('id', p.id, 'method', p.method, 'amountCents', p.amount_cents,
                                                            'paidAt', iso_utc(p.paid_at), 'timing', p.timing,
                                                            'isRepeat', p.is_repeat, 'cameAfter', p.came_after,
                                                            'source', p.source, 'reference', p.reference)
                                          order by p.recorded_at, p.is_repeat, p.id)
                            from payments p
                           where p.charge_id = c.id and p.account_id = c.account_id), '[]'),
    'refunds', coalesce((select json_agg(json_build_object('id', r.id, 'paymentId', r.payment_id,
                                                           'amountCents', r.amount_cents, 'status', r.status,
                                                           'reason', r.reason, 'createdAt', iso_utc(r.created_at))
                                         order by r.id)
                           from refunds r
                          where r.charge_id = c.id and r.account_id = c.account_id), '[]'),
    'transactionId', c.transaction_id, 'dueAt', iso_utc(c.due_at), 'expireAt', iso_utc(c.expire_at),
    'createdAt', iso_utc(c.created_at)))`;

/** A page of charges, newest first, and how many there are; both of one snapshot. */
export async function readChargePage(
  sql: Sql,
  query: ChargeQuery,
): Promise<{ charges: ListedCharge[]; total: number }> {
  const { found, values, ...options } = foundBy(query);
  const rows = await sql.query<ListRow>(
    `with ${found}
     select found.total, ${CHARGE_JSON}::text as charge, c.payable_cents, trim_scale(c.fine_percent) as fine_percent,
            trim_scale(c.interest_percent) as interest_percent
       from found left join charges c on c.id = any (found.ids)
      order by c.created_at desc, c.id desc`,
    values,
    options,
  );
  return { charges: rows.filter(row => row.payable_cents !== null).map(toListed), total: Number(rows[0]!.total) };
}

/** Few charges share an externalId, at most one per account: they are counted as they are. */
function foundBy(query: ChargeQuery): { found: string; values: unknown[]; name?: string } {
  const { accountId, sourceKey, state, externalId } = query;
  if (externalId === undefined) {
    const values = foundValues('charges', { a: accountId, b: sourceKey, c: state }, query);
    return { found: FOUND, values, name: 'charges_page' };
  }
  const equals = { external_id: externalId, account_id: accountId, source_key: sourceKey, state };
  const { where, limit, offset, values } = pageSql(query, equals);
  const found = `found as materialized (
    select (select count(*) from charges ${where}) as total,
           array(select id from charges ${where} order by created_at desc, id desc limit ${limit} offset ${offset}) as ids)`;
  // The number of the page is not asked for.
  return { found, values: values.slice(0, -1) };
}

type ListRow = Row & {
  total: string;
  charge: string;
  payable_cents: string | null;
  fine_percent: string | null;
  interest_percent: string | null;
};

function toListed(row: ListRow): ListedCharge {
  return {
    json: row.charge,
    payableCents: BigInt(row.payable_cents!),
    ...(row.fine_percent !== null && { finePercent: row.fine_percent }),
    ...(row.interest_percent !== null && { interestPercent: row.interest_percent }),
  };
}
