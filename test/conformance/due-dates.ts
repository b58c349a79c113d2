// The Central Bank's examples of the last day on which a pix with a due date can be paid.
import assert from 'node:assert/strict';
import { nextBankingDay } from '../../src/lib/banking-days.ts';
import { addDays } from '../../src/lib/civil-days.ts';
import { type Row, startTally } from './report.ts';

type DueDates = {
  readonly examples: readonly {
    readonly id: string;
    readonly dataDeVencimento: string;
    readonly validadeAposVencimento: number;
    readonly lastDayAccepted: string;
  }[];
};

export function checkDueDates(file: string, { examples }: DueDates): Row[] {
  const tally = startTally(file, 'last payable day');
  for (const { id, dataDeVencimento, validadeAposVencimento, lastDayAccepted } of examples) {
    tally.check(`example ${id}`, () => {
      const due = nextBankingDay(dataDeVencimento);
      assert.equal(nextBankingDay(addDays(due, validadeAposVencimento)), lastDayAccepted);
    });
  }
  return [tally.row()];
}
