// Which column of a CSV statement means what, by the names that banks give them in Portuguese and in English.

/** Names are compared without accents, case, punctuation and the currency. */
const NAMES = {
  date: [
    'data',
    'date',
    'datalancamento',
    'datadolancamento',
    'datamovimento',
    'datamovimentacao',
    'datadamovimentacao',
    'datatransacao',
    'datadatransacao',
    'datahora',
    'dataehora',
    'dtlancamento',
    'dtmovimento',
    'posteddate',
    'transactiondate',
    'datetime',
    'releasedate',
  ],
  time: ['hora', 'horario', 'time'],
  amount: [
    'valor',
    'amount',
    'value',
    'montante',
    'valordolancamento',
    'valordatransacao',
    'transactionamount',
    'transactionnetamount',
  ],
  credit: ['credito', 'creditos', 'credit', 'entrada', 'entradas', 'valorcredito'],
  debit: ['debito', 'debitos', 'debit', 'saida', 'saidas', 'valordebito'],
  direction: [
    'tipo',
    'tipolancamento',
    'tipodelancamento',
    'natureza',
    'dc',
    'cd',
    'debitocredito',
    'creditodebito',
    'type',
  ],
  text: [
    'descricao',
    'descricaolancamento',
    'historico',
    'memo',
    'description',
    'detalhe',
    'detalhes',
    'details',
    'lancamento',
    'titulo',
    'title',
    'nome',
    'name',
    'favorecido',
    'pagador',
    'payer',
    'complemento',
    'mensagem',
    'transactiontype',
  ],
  id: [
    'id',
    'identificador',
    'fitid',
    'transactionid',
    'idtransacao',
    'idtransaction',
    'iddatransacao',
    'codigodatransacao',
    'referenceid',
  ],
  document: [
    'documento',
    'document',
    'docto',
    'doc',
    'numdoc',
    'ndoc',
    'nrdoc',
    'nodoc',
    'ndocumento',
    'nodocumento',
    'nrdocumento',
    'numdocumento',
    'numerodocumento',
    'numerododocumento',
  ],
  txid: ['txid', 'idtx', 'txidpix', 'pixtxid'],
  endToEndId: ['endtoendid', 'endtoend', 'e2e', 'e2eid', 'ide2e', 'idendtoend', 'idfimafim', 'identificadorendtoend'],
} as const;

type Meaning = keyof typeof NAMES;

/** The places of the columns with a meaning, in their order; a meaning may have none or several. */
export type Columns = { readonly count: number; readonly at: Readonly<Record<Meaning, readonly number[]>> };

const MEANING_OF = new Map<string, Meaning>(
  Object.entries(NAMES).flatMap(([meaning, names]) => names.map(name => [name, meaning as Meaning] as const)),
);

/** The columns that a row names; undefined unless it names a date and an amount, which makes it the header. */
export function columnsOf(row: readonly string[]): Columns | undefined {
  const meanings = row.map(name => MEANING_OF.get(plainName(name)));
  const places = (meaning: Meaning) => meanings.flatMap((found, place) => (found === meaning ? [place] : []));
  const at = {
    date: places('date'),
    time: places('time'),
    amount: places('amount'),
    credit: places('credit'),
    debit: places('debit'),
    direction: places('direction'),
    text: places('text'),
    id: places('id'),
    document: places('document'),
    txid: places('txid'),
    endToEndId: places('endToEndId'),
  } satisfies Record<Meaning, number[]>;
  const hasAmount = at.amount.length > 0 || (at.credit.length > 0 && at.debit.length > 0);
  if (at.date.length === 0 || !hasAmount) return undefined;
  // Closing separators make empty columns that rows may leave out.
  const last = row.findLastIndex(name => name.trim() !== '');
  return { count: last + 1, at };
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/r\$|\bbrl\b/g, '')
    .normalize('NFKD')
    .replace(/[^a-z0-9]/g, '');
}
