// The banks whose CNAB 240 files are written and read, by code.
import type { CnabBank } from './bank.ts';
import { cnab001 } from './bank-001.ts';
import { cnab033 } from './bank-033.ts';
import { cnab104 } from './bank-104.ts';
import { cnab237 } from './bank-237.ts';
import { cnab341 } from './bank-341.ts';
import { cnab756 } from './bank-756.ts';

const BANKS = [cnab001, cnab033, cnab104, cnab237, cnab341, cnab756];

export const CNAB_BANKS: ReadonlyMap<string, CnabBank> = new Map(BANKS.map(bank => [bank.boleto.code, bank]));
