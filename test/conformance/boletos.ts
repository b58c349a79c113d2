// Published boletos: every barcode and line from its parts, and the free fields and nosso números of the banks we write.
import assert from 'node:assert/strict';
import { boletoBarcode, CNAB_BANKS, digitableLine } from '@trilho/cnab';
import {
  accountOf,
  type BoletoVector,
  hasInventedAccountDigit,
  otherLayoutOf,
  ourNumberOf,
  slipOf,
} from './boleto-vectors.ts';
import { type Row, startTally } from './report.ts';

export function checkBoletos(file: string, { vectors }: { readonly vectors: readonly BoletoVector[] }): Row[] {
  return [checkBarcodes(file, vectors), checkFreeFields(file, vectors), checkPrintedNumbers(file, vectors)];
}

function checkBarcodes(file: string, vectors: readonly BoletoVector[]): Row {
  const tally = startTally(file, 'barcode and line');
  for (const vector of vectors) {
    const { bank, campoLivre: freeField, barcode, linhaDigitavel } = vector;
    tally.check(barcode, () => {
      assert.equal(boletoBarcode({ bank, freeField, ...slipOf(vector) }), barcode);
      assert.equal(digitableLine(barcode), linhaDigitavel.replace(/\D/g, ''));
    });
  }
  return tally.row();
}

/** The place of Itaú's account digit in a free field. */
const ACCOUNT_DIGIT_AT = 21;

function checkFreeFields(file: string, vectors: readonly BoletoVector[]): Row {
  const tally = startTally(file, 'free field');
  for (const vector of vectors) {
    const otherLayout = otherLayoutOf(vector);
    if (otherLayout !== undefined) {
      tally.skip(otherLayout);
      continue;
    }
    const invented = hasInventedAccountDigit(vector);
    if (invented) tally.skip('341: of these, the account digit alone, which the source invented');
    const compared = (freeField: string) =>
      invented ? freeField.slice(0, ACCOUNT_DIGIT_AT) + freeField.slice(ACCOUNT_DIGIT_AT + 1) : freeField;
    tally.check(vector.barcode, () => {
      const account = accountOf(vector);
      const bank = CNAB_BANKS.get(vector.bank)!.boleto;
      assert.deepEqual(bank.checkAccount(account), []);
      assert.equal(compared(bank.freeField(account, ourNumberOf(vector))), compared(vector.campoLivre));
    });
  }
  return tally.row();
}

function checkPrintedNumbers(file: string, vectors: readonly BoletoVector[]): Row {
  const tally = startTally(file, 'nosso número as printed');
  for (const vector of vectors) {
    const { bank, nossoNumeroFormatted } = vector;
    if (nossoNumeroFormatted === undefined) tally.skip('not published');
    else if (otherLayoutOf(vector) !== undefined) tally.skip('of another layout or bank, as above');
    else {
      tally.check(vector.barcode, () => {
        // BoletoNetCore prints Bradesco's wallets with three digits; in the barcode and to the bank they have two.
        const published = bank === '237' ? nossoNumeroFormatted.replace(/^0/, '') : nossoNumeroFormatted;
        assert.equal(CNAB_BANKS.get(bank)!.boleto.formatOurNumber(accountOf(vector), ourNumberOf(vector)), published);
      });
    }
  }
  return tally.row();
}
