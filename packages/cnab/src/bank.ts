// The specifics of a bank: the barcode and nosso número of its boletos, and in its CNAB 240 files the tables of its records, its codes and
// its limits.

import type { Agreement, DiscountCode, Movement } from './agreement.ts';
import type { BoletoAccount } from './boleto/account.ts';
import type { BoletoBank } from './boleto/bank.ts';
import type { TitleRows } from './norm-returned.ts';
import { SEGMENT_U as RETURNED_U, SEGMENT_Y03 as RETURNED_Y03 } from './norm-returned.ts';
import type { Occurrences } from './occurrence.ts';
import type { Table } from './record.ts';
import type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from './sources.ts';

export type CnabBank = {
  readonly boleto: BoletoBank;
  readonly sent: SentTables;
  readonly returned: ReturnedTables;
  /** The usual versions of the layout. */
  versionsOf(agreement: Agreement): { readonly file: string; readonly lot: string };
  /** The settings that a file needs beyond those of a barcode. */
  readonly needs: readonly AgreementField[];
  /** The segments of an instruction; R only if it is not empty. */
  segmentsOf(movement: Movement): readonly SegmentName[];
  /** The largest number of days until a write-off; absent if the bank does not read them. */
  readonly maxWriteOffDays?: number;
  /** Absent: all codes of the norm, and three discounts at most. */
  readonly discounts?: DiscountLimits;
  /** The sequential part of a nosso número as a return has it; undefined when it is not of this account. */
  ourNumberIn(text: string, account: BoletoAccount): string | undefined;
  /** Codes of C044 with another meaning than in the norm, or missing there. `isComplete`: codes of the norm that are not listed are unknown. */
  readonly occurrences?: { readonly isComplete?: true; readonly codes: Occurrences };
  /** The trailer of a lot counts neither its own record nor the header's. */
  readonly countsTitleRecordsAlone?: true;
};

/** Which discounts the bank accepts, and how many for a title. */
export type DiscountLimits = { readonly codes: readonly DiscountCode[]; readonly most: number };

export type AgreementField =
  | 'agency'
  | 'agencyDigit'
  | 'accountNumber'
  | 'accountDigit'
  | 'beneficiaryCode'
  | 'transmissionCode';

export type SegmentName = 'P' | 'Q' | 'R' | 'Y03';

export type SentTables = {
  readonly fileHeader: Table<FileSource>;
  readonly lotHeader: Table<LotSource>;
  readonly P: Table<TitleSource>;
  readonly Q: Table<TitleSource>;
  readonly R: Table<TitleSource>;
  readonly Y03?: Table<TitleSource>;
  readonly lotTrailer: Table<LotEnd>;
  readonly fileTrailer: Table<FileEnd>;
};

export type ReturnedTables = {
  readonly T: Table & TitleRows;
  readonly U: typeof RETURNED_U;
  readonly Y03: typeof RETURNED_Y03;
};

/** U and Y-03 are the same at every bank. */
export function returned(T: Table & TitleRows): ReturnedTables {
  return { T, U: RETURNED_U, Y03: RETURNED_Y03 };
}

/** The printed nosso número without punctuation: with carteira, agreement and check digit as far as the bank has them. */
export function plainNumber(boleto: BoletoBank, account: BoletoAccount, ourNumber: string): string {
  return boleto.formatOurNumber(account, ourNumber).replace(/[^0-9A-Z]/g, '');
}

/** The digits at a place of a text; undefined when there are others. */
export function digitsAt(text: string, from: number, to: number): string | undefined {
  const part = text.slice(from, to);
  return part.length === to - from && /^\d+$/.test(part) ? part : undefined;
}

export const REGISTERING: readonly SegmentName[] = ['P', 'Q', 'R', 'Y03'];
export const INSTRUCTING: readonly SegmentName[] = ['P', 'Q'];
