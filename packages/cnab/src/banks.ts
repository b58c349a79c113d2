// The banks whose files are written and read, by code.
import type { CnabBank } from './bank.ts';
import { bancoDoBrasil } from './banks/banco-do-brasil.ts';
import { bradesco } from './banks/bradesco.ts';
import { caixa } from './banks/caixa.ts';
import { itau } from './banks/itau.ts';
import { santander } from './banks/santander.ts';
import { sicoob } from './banks/sicoob.ts';

const BANKS = new Map([bancoDoBrasil, santander, caixa, bradesco, itau, sicoob].map(bank => [bank.boleto.code, bank]));

export const CNAB_BANKS: ReadonlyMap<string, CnabBank> = BANKS;

/**
 * Adds a bank to those that this process writes to and reads from, and returns a function that removes it. Refuses a known code.
 *
 * @example
 * addBank(defineMyBank());
 */
export function addBank(bank: CnabBank): () => void {
  const { code } = bank.boleto;
  if (BANKS.has(code)) throw new RangeError(`there is a bank ${code} already`);
  BANKS.set(code, bank);
  return () => BANKS.delete(code);
}
