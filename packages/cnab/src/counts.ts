// Counts the records of a file as it is read.
import { CNAB_BANKS } from './banks.ts';
import type { Line } from './lines.ts';
import { FILE_TRAILER, LOT_TRAILER } from './norm-sent.ts';
import { fieldValue } from './record.ts';
import type { Warnings } from './warnings.ts';

const HEADER_AND_TRAILER = 2;

/** Compares the counts of the trailers with the records; banks often write wrong ones. */
export function countRecords(warnings: Warnings) {
  let inFile = 0;
  let inLot = 0;
  let lots = 0;
  const compare = (what: string, said: string | number | undefined, found: number, line: number) => {
    if (said !== undefined && Number(said) !== found)
      warnings.add(`the trailer counts other ${what} than there are`, line);
  };
  return {
    take({ text, number }: Line) {
      inFile++;
      inLot = text[7] === '1' ? 1 : inLot + 1;
      if (text[7] === '1') lots++;
      if (text[7] === '5') {
        const said = fieldValue(LOT_TRAILER.records, text);
        const { countsTitleRecordsAlone } = CNAB_BANKS.get(text.slice(0, 3)) ?? {};
        const isOfTitles = countsTitleRecordsAlone && Number(said) === inLot - HEADER_AND_TRAILER;
        if (!isOfTitles) compare('records of its lot', said, inLot, number);
      }
      if (text[7] !== '9') return;
      compare('records of the file', fieldValue(FILE_TRAILER.records, text), inFile, number);
      compare('lots', fieldValue(FILE_TRAILER.lots, text), lots, number);
    },
  };
}
