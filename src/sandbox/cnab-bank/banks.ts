// The banks that are simulated, by their three digits.
import { bancoDoBrasil } from './banks/banco-do-brasil.ts';
import { bradesco } from './banks/bradesco.ts';
import { caixa } from './banks/caixa.ts';
import { itau } from './banks/itau.ts';
import { santander } from './banks/santander.ts';
import { sicoob } from './banks/sicoob.ts';
import type { BankRules } from './rules.ts';

export const RULES: Readonly<Record<string, BankRules>> = {
  '001': bancoDoBrasil,
  '033': santander,
  '104': caixa,
  '237': bradesco,
  '341': itau,
  '756': sicoob,
};
