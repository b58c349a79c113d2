// The records of a file to a bank («remessa») by the norm, FEBRABAN CNAB 240, service «cobrança». A bank's own table takes these
// rows and replaces those that differ.

import { documentType, MOVEMENTS } from './agreement.ts';
import { addDays } from './days.ts';
import { blanks, cents, code, day, digits, document, literal, percent, text, time, zeros } from './kinds.ts';
import { fieldsFrom } from './record.ts';
import type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from './sources.ts';

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofLotEnd = fieldsFrom<LotEnd>();
const ofFileEnd = fieldsFrom<FileEnd>();

export const FILE_HEADER = {
  bank: ofFile('código do banco', 1, 3, digits, ({ agreement }) => agreement.bank),
  lot: ofFile('lote', 4, 7, literal('0000')),
  recordType: ofFile('tipo de registro', 8, 8, literal('0')),
  reserved9: ofFile('uso FEBRABAN', 9, 17, blanks),
  holderType: ofFile('tipo de inscrição', 18, 18, digits, ({ agreement }) => documentType(agreement.holder.document)),
  holderDocument: ofFile('inscrição da empresa', 19, 32, document, ({ agreement }) => agreement.holder.document),
  agreement: ofFile('convênio', 33, 52, code),
  agency: ofFile('agência', 53, 57, digits, ({ agreement }) => agreement.account.agency),
  agencyDigit: ofFile('DV da agência', 58, 58, code, ({ agreement }) => agreement.account.agencyDigit),
  account: ofFile('conta', 59, 70, digits, ({ agreement }) => agreement.account.accountNumber),
  accountDigit: ofFile('DV da conta', 71, 71, code, ({ agreement }) => agreement.account.accountDigit),
  checkDigit: ofFile('DV agência/conta', 72, 72, code),
  holderName: ofFile('nome da empresa', 73, 102, text, ({ agreement }) => agreement.holder.name),
  bankName: ofFile('nome do banco', 103, 132, text),
  reserved133: ofFile('uso FEBRABAN', 133, 142, blanks),
  direction: ofFile('remessa (1) ou retorno (2)', 143, 143, digits, '1'),
  day: ofFile('data de geração', 144, 151, day, file => file.day),
  time: ofFile('hora de geração', 152, 157, time, file => file.time),
  sequence: ofFile('número sequencial do arquivo', 158, 163, digits, ({ sequence }) => sequence),
  version: ofFile('versão do leiaute do arquivo', 164, 166, digits, ({ fileVersion }) => fileVersion),
  density: ofFile('densidade', 167, 171, digits),
  reservedBank: ofFile('reservado ao banco', 172, 191, code),
  reservedHolder: ofFile('reservado à empresa', 192, 211, code),
  reserved212: ofFile('uso FEBRABAN', 212, 240, code),
};

export const LOT_HEADER = {
  bank: ofLot('código do banco', 1, 3, digits, ({ agreement }) => agreement.bank),
  lot: ofLot('lote', 4, 7, digits, ({ lot }) => lot),
  recordType: ofLot('tipo de registro', 8, 8, literal('1')),
  operation: ofLot('operação', 9, 9, code, 'R'),
  service: ofLot('serviço (01 = cobrança)', 10, 11, digits, '01'),
  reserved12: ofLot('uso FEBRABAN', 12, 13, code),
  version: ofLot('versão do leiaute do lote', 14, 16, digits, ({ lotVersion }) => lotVersion),
  reserved17: ofLot('uso FEBRABAN', 17, 17, blanks),
  holderType: ofLot('tipo de inscrição', 18, 18, digits, ({ agreement }) => documentType(agreement.holder.document)),
  holderDocument: ofLot('inscrição da empresa', 19, 33, document, ({ agreement }) => agreement.holder.document),
  agreement: ofLot('convênio', 34, 53, code),
  agency: ofLot('agência', 54, 58, digits, ({ agreement }) => agreement.account.agency),
  agencyDigit: ofLot('DV da agência', 59, 59, code, ({ agreement }) => agreement.account.agencyDigit),
  account: ofLot('conta', 60, 71, digits, ({ agreement }) => agreement.account.accountNumber),
  accountDigit: ofLot('DV da conta', 72, 72, code, ({ agreement }) => agreement.account.accountDigit),
  checkDigit: ofLot('DV agência/conta', 73, 73, code),
  holderName: ofLot('nome da empresa', 74, 103, text, ({ agreement }) => agreement.holder.name),
  message1: ofLot('mensagem 1', 104, 143, text),
  message2: ofLot('mensagem 2', 144, 183, text),
  sequence: ofLot('número da remessa/retorno', 184, 191, digits, ({ sequence }) => sequence),
  day: ofLot('data de gravação', 192, 199, day, lot => lot.day),
  creditDay: ofLot('data do crédito', 200, 207, day),
  reserved208: ofLot('uso FEBRABAN', 208, 240, code),
};

/** The columns that all records of a title begin with. */
function titleStart(segment: string) {
  return {
    bank: ofTitle('código do banco', 1, 3, digits, ({ agreement }) => agreement.bank),
    lot: ofTitle('lote', 4, 7, digits, ({ lot }) => lot),
    recordType: ofTitle('tipo de registro', 8, 8, literal('3')),
    line: ofTitle('sequência no lote', 9, 13, digits, ({ line }) => line),
    segment: ofTitle('segmento', 14, 14, literal(segment)),
    reserved15: ofTitle('uso FEBRABAN', 15, 15, blanks),
    movement: ofTitle('código de movimento', 16, 17, digits, ({ movement }) => MOVEMENTS[movement]),
  };
}

/** Fine and interest count from the day after the due day. */
const lateDay = ({ title }: TitleSource) => addDays(title.dueDay, 1);

/** The first is in P, the others in R. */
const discountOf = ({ title }: TitleSource, index: number) => title.discounts?.[index];

export const SEGMENT_P = {
  ...titleStart('P'),
  agency: ofTitle('agência', 18, 22, digits, ({ agreement }) => agreement.account.agency),
  agencyDigit: ofTitle('DV da agência', 23, 23, code, ({ agreement }) => agreement.account.agencyDigit),
  account: ofTitle('conta', 24, 35, digits, ({ agreement }) => agreement.account.accountNumber),
  accountDigit: ofTitle('DV da conta', 36, 36, code, ({ agreement }) => agreement.account.accountDigit),
  checkDigit: ofTitle('DV agência/conta', 37, 37, code),
  ourNumber: ofTitle('nosso número', 38, 57, code, ({ title }) => title.ourNumber),
  collection: ofTitle('carteira', 58, 58, digits, '1'),
  registration: ofTitle('forma de cadastramento', 59, 59, digits, '1'),
  documentKind: ofTitle('tipo de documento', 60, 60, code, '2'),
  issuedBy: ofTitle('emissão do boleto', 61, 61, code, '2'),
  deliveredBy: ofTitle('distribuição do boleto', 62, 62, code, '2'),
  documentNumber: ofTitle('número do documento', 63, 77, code, ({ title }) => title.documentNumber),
  dueDay: ofTitle('vencimento', 78, 85, day, ({ title }) => title.dueDay),
  amount: ofTitle('valor', 86, 100, cents, ({ title }) => title.amountCents),
  collectingAgency: ofTitle('agência cobradora', 101, 105, digits),
  collectingAgencyDigit: ofTitle('DV da agência cobradora', 106, 106, code),
  species: ofTitle('espécie', 107, 108, digits, ({ agreement }) => agreement.species ?? '02'),
  acceptance: ofTitle('aceite', 109, 109, code, ({ agreement }) => agreement.acceptance ?? 'N'),
  issueDay: ofTitle('data de emissão', 110, 117, day, ({ title }) => title.issueDay),
  interestCode: ofTitle('código dos juros', 118, 118, digits, ({ title }) => (title.interestPercent ? '2' : '3')),
  interestDay: ofTitle('data dos juros', 119, 126, day, from => from.title.interestPercent && lateDay(from)),
  interest: ofTitle('juros ao mês', 127, 141, percent, ({ title }) => title.interestPercent),
  discountCode: ofTitle('código do desconto 1', 142, 142, digits, from => discountOf(from, 0)?.code),
  discountDay: ofTitle('data do desconto 1', 143, 150, day, from => discountOf(from, 0)?.day),
  discount: ofTitle('desconto 1', 151, 165, cents, from => discountOf(from, 0)?.hundredths),
  iof: ofTitle('IOF', 166, 180, cents),
  rebate: ofTitle('abatimento', 181, 195, cents, ({ title }) => title.abatementCents),
  ownId: ofTitle('uso da empresa', 196, 220, code, ({ title }) => title.ownId),
  protestCode: ofTitle('código de protesto', 221, 221, digits, '3'),
  protestDays: ofTitle('dias para protesto', 222, 223, digits),
  writeOffCode: ofTitle('código de baixa', 224, 224, digits, ({ title }) =>
    title.writeOffDays === undefined ? '0' : '1',
  ),
  writeOffDays: ofTitle('dias para baixa', 225, 227, digits, ({ title }) => title.writeOffDays),
  currency: ofTitle('moeda', 228, 229, digits, '09'),
  contract: ofTitle('contrato', 230, 239, digits),
  reserved240: ofTitle('uso livre', 240, 240, code),
};

export const SEGMENT_Q = {
  ...titleStart('Q'),
  payerType: ofTitle('tipo de inscrição do pagador', 18, 18, digits, ({ title }) => documentType(title.payer.document)),
  payerDocument: ofTitle('inscrição do pagador', 19, 33, document, ({ title }) => title.payer.document),
  payerName: ofTitle('nome do pagador', 34, 73, text, ({ title }) => title.payer.name),
  street: ofTitle('endereço', 74, 113, text, ({ title }) => title.payer.street),
  neighborhood: ofTitle('bairro', 114, 128, text, ({ title }) => title.payer.neighborhood),
  postalCode: ofTitle('CEP', 129, 136, digits, ({ title }) => title.payer.postalCode),
  city: ofTitle('cidade', 137, 151, text, ({ title }) => title.payer.city),
  state: ofTitle('UF', 152, 153, text, ({ title }) => title.payer.state),
  guarantorType: ofTitle('tipo de inscrição do avalista', 154, 154, zeros),
  guarantorDocument: ofTitle('inscrição do avalista', 155, 169, zeros),
  guarantorName: ofTitle('nome do avalista', 170, 209, blanks),
  otherBank: ofTitle('banco correspondente', 210, 212, zeros),
  otherNumber: ofTitle('nosso número no correspondente', 213, 232, blanks),
  reserved233: ofTitle('uso FEBRABAN', 233, 240, blanks),
};

export const SEGMENT_R = {
  ...titleStart('R'),
  discount2Code: ofTitle('código do desconto 2', 18, 18, digits, from => discountOf(from, 1)?.code),
  discount2Day: ofTitle('data do desconto 2', 19, 26, day, from => discountOf(from, 1)?.day),
  discount2: ofTitle('desconto 2', 27, 41, cents, from => discountOf(from, 1)?.hundredths),
  discount3Code: ofTitle('código do desconto 3', 42, 42, digits, from => discountOf(from, 2)?.code),
  discount3Day: ofTitle('data do desconto 3', 43, 50, day, from => discountOf(from, 2)?.day),
  discount3: ofTitle('desconto 3', 51, 65, cents, from => discountOf(from, 2)?.hundredths),
  fineCode: ofTitle('código da multa', 66, 66, digits, ({ title }) => (title.finePercent ? '2' : '0')),
  fineDay: ofTitle('data da multa', 67, 74, day, from => from.title.finePercent && lateDay(from)),
  fine: ofTitle('multa', 75, 89, percent, ({ title }) => title.finePercent),
  payerNote: ofTitle('informação ao pagador', 90, 99, blanks),
  message3: ofTitle('mensagem 3', 100, 139, text),
  message4: ofTitle('mensagem 4', 140, 179, text),
  reserved180: ofTitle('uso FEBRABAN', 180, 199, blanks),
  payerOccurrence: ofTitle('ocorrência do pagador', 200, 207, zeros),
  debitBank: ofTitle('banco do débito', 208, 210, zeros),
  debitAgency: ofTitle('agência do débito', 211, 215, zeros),
  debitAgencyDigit: ofTitle('DV da agência do débito', 216, 216, blanks),
  debitAccount: ofTitle('conta do débito', 217, 228, zeros),
  debitAccountDigits: ofTitle('DV da conta do débito', 229, 230, blanks),
  debitNotice: ofTitle('aviso de débito', 231, 231, digits),
  reserved232: ofTitle('uso FEBRABAN', 232, 240, blanks),
};

/** The pix of a boleto, Y-03. */
export const SEGMENT_Y03 = {
  ...titleStart('Y'),
  record: ofTitle('identificação do registro opcional', 18, 19, literal('03')),
  reserved20: ofTitle('uso FEBRABAN', 20, 80, blanks),
  pixKeyType: ofTitle('tipo da chave pix', 81, 81, code, ({ title }) => title.pix?.keyType),
  pixKey: ofTitle('chave pix', 82, 158, code, ({ title }) => title.pix?.key),
  txid: ofTitle('txid', 159, 193, code, ({ title }) => title.pix?.txid),
  reserved194: ofTitle('uso FEBRABAN', 194, 240, blanks),
};

export const LOT_TRAILER = {
  bank: ofLotEnd('código do banco', 1, 3, digits, ({ agreement }) => agreement.bank),
  lot: ofLotEnd('lote', 4, 7, digits, ({ lot }) => lot),
  recordType: ofLotEnd('tipo de registro', 8, 8, literal('5')),
  reserved9: ofLotEnd('uso FEBRABAN', 9, 17, blanks),
  records: ofLotEnd('registros do lote', 18, 23, digits, ({ records }) => records),
  titles: ofLotEnd('títulos em cobrança simples', 24, 29, digits, ({ titles }) => titles),
  total: ofLotEnd('valor em cobrança simples', 30, 46, cents, ({ totalCents }) => totalCents),
  linkedTitles: ofLotEnd('títulos em cobrança vinculada', 47, 52, zeros),
  linkedTotal: ofLotEnd('valor em cobrança vinculada', 53, 69, zeros),
  pledgedTitles: ofLotEnd('títulos em cobrança caucionada', 70, 75, zeros),
  pledgedTotal: ofLotEnd('valor em cobrança caucionada', 76, 92, zeros),
  discountedTitles: ofLotEnd('títulos em cobrança descontada', 93, 98, zeros),
  discountedTotal: ofLotEnd('valor em cobrança descontada', 99, 115, zeros),
  notice: ofLotEnd('aviso de lançamento', 116, 123, code),
  reserved124: ofLotEnd('uso FEBRABAN', 124, 240, code),
};

export const FILE_TRAILER = {
  bank: ofFileEnd('código do banco', 1, 3, digits, ({ agreement }) => agreement.bank),
  lot: ofFileEnd('lote', 4, 7, literal('9999')),
  recordType: ofFileEnd('tipo de registro', 8, 8, literal('9')),
  reserved9: ofFileEnd('uso FEBRABAN', 9, 17, blanks),
  lots: ofFileEnd('lotes do arquivo', 18, 23, digits, ({ lots }) => lots),
  records: ofFileEnd('registros do arquivo', 24, 29, digits, ({ records }) => records),
  accounts: ofFileEnd('contas para conciliação', 30, 35, zeros),
  reserved36: ofFileEnd('uso FEBRABAN', 36, 240, blanks),
};
