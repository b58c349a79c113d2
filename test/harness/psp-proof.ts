// What must hold when all is quiet: the service has exactly the payments that the PSP has, each once.
import type { Psp } from '@trilho/psp';

type Query = <R extends Record<string, unknown>>(text: string) => Promise<R[]>;

type MoneyProof = {
  /** Payments at the PSP, with and without a charge. */
  readonly payments: number;
  readonly credited: number;
  readonly refunds: number;
  readonly returns: number;
  /** At the PSP and not in the service, or there with another amount or charge. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** In the service and not at the PSP. */
  readonly invented: readonly string[];
  /** Anything else that differs. */
  readonly differing: readonly string[];
};

type ShownPix = {
  readonly endToEndId: string;
  readonly txid?: string;
  readonly valor: string;
  readonly devolucoes?: readonly {
    readonly id: string;
    readonly valor: string;
    readonly natureza?: string;
    readonly status: string;
  }[];
};

const MONEY = `
  select p.reference, p.amount_cents::text as cents, replace(p.charge_id::text, '-', '') as txid from payments p
   union all
  select u.reference, u.amount_cents::text, '' from unmatched_receipts u where u.decided_at is null`;

const REFUNDS = `
  select p.reference, r.kind, r.status, r.amount_cents::text as cents, coalesce(r.reference, replace(r.id::text, '-', '')) as id
    from refunds r join payments p on p.id = r.payment_id and p.account_id = r.account_id`;

const CHARGES = `
  select c.external_id, m.reference, count(*) filter (where e.type = 'charge.paid')::int as paid,
         count(*) filter (where e.type = 'charge.active')::int as active
    from charges c
    join charge_methods m on m.charge_id = c.id and m.account_id = c.account_id
    left join events e on e.object_id = c.id
   group by c.external_id, m.reference`;

const cents = (valor: string) => valor.replace('.', '').replace(/^0+(?=\d)/, '');

export async function proveMoney(query: Query, psp: Psp): Promise<MoneyProof> {
  const { pix, charges } = psp.state() as { pix: readonly ShownPix[]; charges: readonly { txid: string }[] };
  const money = await query<{ reference: string; cents: string; txid: string }>(MONEY);
  const had = Map.groupBy(money, ({ reference }) => reference.toLowerCase());
  const known = new Set(pix.map(({ endToEndId }) => endToEndId.toLowerCase()));
  const isCredited = ({ endToEndId, valor, txid = '' }: ShownPix) =>
    had.get(endToEndId.toLowerCase())?.some(row => row.cents === cents(valor) && row.txid === txid) ?? false;

  const backAtPsp = pix.flatMap(({ endToEndId, devolucoes = [] }) =>
    devolucoes.map(({ id, valor, natureza = 'ORIGINAL', status }) =>
      [endToEndId, natureza === 'ORIGINAL' ? 'refund' : 'return', STATUSES[status], cents(valor), id].join(' '),
    ),
  );
  const refunds = await query<Record<string, string>>(REFUNDS);
  const backHere = refunds.map(row =>
    [row['reference'], row['kind'], row['status'], row['cents'], row['id']].join(' '),
  );

  const made = await query<{ external_id: string; reference: string; paid: number; active: number }>(CHARGES);
  const requested = new Set(made.map(({ reference }) => reference));
  const registered = new Set(charges.map(({ txid }) => txid));
  return {
    payments: pix.length,
    credited: pix.filter(isCredited).length,
    refunds: refunds.filter(row => row['kind'] === 'refund').length,
    returns: refunds.filter(row => row['kind'] === 'return').length,
    lost: pix.filter(one => !isCredited(one)).map(({ endToEndId }) => endToEndId),
    doubled: [...had].filter(([, rows]) => rows.length > 1).map(([reference]) => reference),
    invented: money.map(({ reference }) => reference).filter(reference => !known.has(reference.toLowerCase())),
    differing: [
      ...unlike('went back at the PSP alone', backAtPsp, backHere),
      ...unlike('went back here alone', backHere, backAtPsp),
      ...unlike('registered at the PSP alone', [...registered], [...requested]),
      ...unlike('never registered', [...requested], [...registered]),
      ...made
        .filter(({ paid, active }) => paid !== 1 || active !== 1)
        .map(row => `has wrong events ${row.external_id}`),
    ],
  };
}

const STATUSES: Readonly<Record<string, string>> = {
  EM_PROCESSAMENTO: 'PENDING',
  DEVOLVIDO: 'DONE',
  NAO_REALIZADO: 'FAILED',
};

function unlike(what: string, ours: readonly string[], theirs: readonly string[]): string[] {
  const others = new Set(theirs);
  const repeated = ours.length - new Set(ours).size;
  return [
    ...ours.filter(one => !others.has(one)).map(one => `${what}: ${one}`),
    ...(repeated > 0 ? [`${what}: ${repeated} repeated`] : []),
  ];
}
