// The building blocks of another bank's layout. The files of banks/ are examples.
export { documentType } from './agreement.ts';
export { digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from './bank.ts';
export { defineBank, type FilledAccount } from './boleto/bank.ts';
export { modulo10, modulo11, modulo11OrZero } from './boleto/digits.ts';
export { interestADay } from './decimals.ts';
export {
  blanks,
  cents,
  code,
  day,
  digits,
  document,
  type Kind,
  literal,
  percent,
  text,
  time,
  zeros,
} from './kinds.ts';
export { SEGMENT_T } from './norm-returned.ts';
export {
  FILE_HEADER,
  FILE_TRAILER,
  LOT_HEADER,
  LOT_TRAILER,
  SEGMENT_P,
  SEGMENT_Q,
  SEGMENT_R,
  SEGMENT_Y03,
} from './norm-sent.ts';
export { occurrence } from './occurrence.ts';
export { fieldsFrom, readField, type Table, without } from './record.ts';
export type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from './sources.ts';
