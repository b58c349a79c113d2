// The data from which each kind of record is written.

import type { Agreement, Instruction } from './agreement.ts';
import type { CivilDay } from './days.ts';

export type FileSource = {
  readonly agreement: Agreement;
  /** «Número sequencial do arquivo» (NSA): never used twice. */
  readonly sequence: number;
  readonly day: CivilDay;
  /** HHMMSS in São Paulo. */
  readonly time: string;
  readonly fileVersion: string;
  readonly lotVersion: string;
};

export type LotSource = FileSource & { readonly lot: number };

export type TitleSource = LotSource &
  Instruction & {
    /** Of the record within its lot. */
    readonly line: number;
  };

export type LotEnd = LotSource & {
  /** With the header and the trailer of the lot. */
  readonly records: number;
  readonly titles: number;
  readonly totalCents: bigint;
};

export type FileEnd = FileSource & { readonly lots: number; readonly records: number };
