// Maps the columns of a CSV statement to their meaning, by the names that banks use in Portuguese and English.

/** Names are compared without accents, case, punctuation and the currency. */
const NAMES = {
  date: [
    'data',
    'date',
    'datalancamento',
    'datadolancamento',
    'datamov',
    'datamovimento',
    'datamovimentacao',
    'datadamovimentacao',
    'datatransacao',
    'datadatransacao',
    'datahora',
    'dataehora',
    'dataoperacao',
    'datadaoperacao',
    'dtlancamento',
    'dtmov',
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
    'tp',
    'tipolancamento',
    'tipodelancamento',
    'tipodolancamento',
    'tipomovimento',
    'tipodemovimento',
    'tipomovimentacao',
    'tipodemovimentacao',
    'tipotransacao',
    'tipodetransacao',
    'tipodatransacao',
    'tipooperacao',
    'tipodeoperacao',
    'tipodaoperacao',
    'tipodc',
    'tipocd',
    'operacao',
    'movimento',
    'movimentacao',
    'natureza',
    'naturezalancamento',
    'naturezadolancamento',
    'naturezaoperacao',
    'naturezadaoperacao',
    'sinal',
    'sentido',
    'direcao',
    'fluxo',
    'indicador',
    'indicadordc',
    'indicadorcd',
    'inddc',
    'indcd',
    'dc',
    'cd',
    'debcred',
    'creddeb',
    'debitocredito',
    'debitooucredito',
    'creditodebito',
    'creditooudebito',
    'type',
    'direction',
    'sign',
    'debitcredit',
    'creditdebit',
    'debitorcredit',
    'creditdebitindicator',
    'inout',
  ],
  // Directions as well, and with the letters E and S, which mean something else elsewhere.
  entryOrExit: ['entradasaida', 'entradaousaida', 'entradasaidas', 'entradassaidas', 'entradasesaidas', 'es'],
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
    'transacao',
    'identificacao',
    'cpfcnpj',
    'cnpjcpf',
    'cpfcnpjdopagador',
    'documentodopagador',
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
    'protocolo',
  ],
  txid: ['txid', 'idtx', 'txidpix', 'pixtxid'],
  endToEndId: ['endtoendid', 'endtoend', 'e2e', 'e2eid', 'ide2e', 'idendtoend', 'idfimafim', 'identificadorendtoend'],
} as const;

type Meaning = keyof typeof NAMES;

/** Columns that only a credit card statement has. */
const CARD_NAMES = ['portador', 'nomedoportador', 'nomenocartao', 'numerodocartao', 'finaldocartao', 'titulardocartao'];

/** The indexes of the columns of each meaning, in order; a meaning may have no column or several. */
export type Columns = {
  readonly count: number;
  readonly at: Readonly<Record<Meaning, readonly number[]>>;
  /** The columns with unknown names. */
  readonly unknown: readonly number[];
};

const MEANING_OF = new Map<string, Meaning>(
  Object.entries(NAMES).flatMap(([meaning, names]) => names.map(name => [name, meaning as Meaning] as const)),
);

/** The columns of a header row; undefined unless the row names a date and an amount. */
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
    entryOrExit: places('entryOrExit'),
    text: places('text'),
    id: places('id'),
    document: places('document'),
    txid: places('txid'),
    endToEndId: places('endToEndId'),
  } satisfies Record<Meaning, number[]>;
  const hasAmount = at.amount.length > 0 || (at.credit.length > 0 && at.debit.length > 0);
  if (at.date.length === 0 || !hasAmount) return undefined;
  // Trailing separators make empty columns, which the rows may omit.
  const last = row.findLastIndex(name => name.trim() !== '');
  const unknown = meanings.flatMap((meaning, place) => (meaning === undefined ? [place] : []));
  return { count: last + 1, at, unknown };
}

/** The name of the column that shows that the statement is of a credit card. */
export function cardColumnOf(row: readonly string[]): string | undefined {
  return row.find(name => CARD_NAMES.includes(plainName(name)))?.trim();
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/r\$|\bbrl\b/g, '')
    .normalize('NFKD')
    .replace(/[^a-z0-9]/g, '');
}
