// The banks whose boletos we can write, by their codes.
import type { BoletoBank } from './bank.ts';
import { bancoDoBrasil } from './bank-001.ts';
import { santander } from './bank-033.ts';
import { caixa } from './bank-104.ts';
import { bradesco } from './bank-237.ts';
import { itau } from './bank-341.ts';
import { sicoob } from './bank-756.ts';
import { sandboxBank } from './bank-999.ts';

const BANKS = [bancoDoBrasil, santander, caixa, bradesco, itau, sicoob, sandboxBank];

/** Every bank by its three digits; a code that is not here has no boletos of ours. */
export const BOLETO_BANKS: ReadonlyMap<string, BoletoBank> = new Map(BANKS.map(bank => [bank.code, bank]));
