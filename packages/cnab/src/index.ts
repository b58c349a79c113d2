// The public API of the package. Everything else in this folder is internal.
export type { Agreement, DiscountCode, Instruction, Movement, Title, TitleDiscount } from './agreement.ts';
export type { CnabBank, DiscountLimits } from './bank.ts';
export { sicoob } from './banks/sicoob.ts';
export { addBank, CNAB_BANKS } from './banks.ts';
export type { AccountProblem, BoletoAccount } from './boleto/account.ts';
export { type BoletoBank, defineBank } from './boleto/bank.ts';
export {
  barcodeOfLine,
  boletoBarcode,
  digitableLine,
  dueDateFactor,
  MAX_BOLETO_CENTS,
  withDueDay,
} from './boleto/barcode.ts';
export { modulo11OrZero, zeroFilled } from './boleto/digits.ts';
export { type AgreementFault, checkAgreement } from './check-agreement.ts';
export { CnabError } from './cnab-error.ts';
export type { CivilDay } from './days.ts';
export { type ExplainedEnd, type ExplainedField, type ExplainedRecord, explainFile } from './explain.ts';
export { MAX_FILE_BYTES } from './lines.ts';
export type { Meaning, Occurrence, Occurrences } from './occurrence.ts';
export { occurrenceOf, occurrencesOf } from './occurrences.ts';
export { isOwnHeader } from './own-header.ts';
export { isFromBank, type ReturnEnd, type ReturnEntry, type ReturnHead, readEntries, readHead } from './read.ts';
export { channelText, type Reason, reasonsOf } from './reasons.ts';
export type { Warning } from './warnings.ts';
export { type FileHead, type FileWriter, fileWriter } from './write.ts';
