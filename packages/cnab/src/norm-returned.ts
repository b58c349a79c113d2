// The records of a file from a bank («retorno») by the norm: the title (T), what happened to it (U), its pix (Y-03).
import { blanks, cents, code, day, digits, document, literal, text } from './kinds.ts';
import { readField } from './record.ts';

/** The first columns of all records of a title. */
function titleStart(segment: string) {
  return {
    bank: readField('código do banco', 1, 3, digits),
    lot: readField('lote', 4, 7, digits),
    recordType: readField('tipo de registro', 8, 8, literal('3')),
    line: readField('sequência no lote', 9, 13, digits),
    segment: readField('segmento', 14, 14, literal(segment)),
    reserved15: readField('uso FEBRABAN', 15, 15, blanks),
    movement: readField('código de movimento', 16, 17, code),
  };
}

export const SEGMENT_T = {
  ...titleStart('T'),
  agency: readField('agência', 18, 22, digits),
  agencyDigit: readField('DV da agência', 23, 23, code),
  account: readField('conta', 24, 35, digits),
  accountDigit: readField('DV da conta', 36, 36, code),
  checkDigit: readField('DV agência/conta', 37, 37, code),
  ourNumber: readField('nosso número', 38, 57, code),
  collection: readField('carteira', 58, 58, code),
  documentNumber: readField('número do documento', 59, 73, code),
  dueDay: readField('vencimento', 74, 81, day),
  amount: readField('valor', 82, 96, cents),
  receivingBank: readField('banco recebedor', 97, 99, digits),
  receivingAgency: readField('agência recebedora', 100, 104, digits),
  receivingAgencyDigit: readField('DV da agência recebedora', 105, 105, code),
  ownId: readField('uso da empresa', 106, 130, code),
  currency: readField('moeda', 131, 132, digits),
  payerType: readField('tipo de inscrição do pagador', 133, 133, code),
  payerDocument: readField('inscrição do pagador', 134, 148, document),
  payerName: readField('nome do pagador', 149, 188, text),
  contract: readField('contrato', 189, 198, code),
  fee: readField('tarifa', 199, 213, cents),
  reasons: readField('motivos da ocorrência', 214, 223, code),
  reserved224: readField('uso FEBRABAN', 224, 240, blanks),
};

export const SEGMENT_U = {
  ...titleStart('U'),
  surcharge: readField('juros, multa e encargos', 18, 32, cents),
  discount: readField('desconto', 33, 47, cents),
  rebate: readField('abatimento', 48, 62, cents),
  iof: readField('IOF', 63, 77, cents),
  paid: readField('valor pago', 78, 92, cents),
  credited: readField('valor líquido creditado', 93, 107, cents),
  otherExpenses: readField('outras despesas', 108, 122, cents),
  otherCredits: readField('outros créditos', 123, 137, cents),
  occurrenceDay: readField('data da ocorrência', 138, 145, day),
  creditDay: readField('data do crédito', 146, 153, day),
  payerOccurrence: readField('ocorrência do pagador', 154, 157, code),
  payerDay: readField('data da ocorrência do pagador', 158, 165, day),
  payerAmount: readField('valor da ocorrência do pagador', 166, 180, cents),
  payerNote: readField('complemento da ocorrência do pagador', 181, 210, text),
  otherBank: readField('banco correspondente', 211, 213, code),
  otherNumber: readField('nosso número no correspondente', 214, 233, code),
  reserved234: readField('uso FEBRABAN', 234, 240, blanks),
};

export const SEGMENT_Y03 = {
  ...titleStart('Y'),
  record: readField('identificação do registro opcional', 18, 19, literal('03')),
  reserved20: readField('uso FEBRABAN', 20, 80, blanks),
  pixKeyType: readField('tipo da chave pix', 81, 81, code),
  location: readField('URL do QR code pix', 82, 158, code),
  txid: readField('txid', 159, 193, code),
  reserved194: readField('uso FEBRABAN', 194, 240, blanks),
};

type SegmentT = typeof SEGMENT_T;
/** The rows of T that are read; a bank may have them in other columns. */
export type TitleRows = Pick<
  SegmentT,
  | 'bank'
  | 'lot'
  | 'movement'
  | 'ourNumber'
  | 'documentNumber'
  | 'dueDay'
  | 'amount'
  | 'receivingBank'
  | 'receivingAgency'
  | 'ownId'
  | 'payerDocument'
  | 'payerName'
  | 'fee'
  | 'reasons'
>;
