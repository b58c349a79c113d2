// The supported banks by code.

import type { BoletoBank } from './bank.ts';
import { bancoDoBrasil } from './bank-001.ts';
import { santander } from './bank-033.ts';
import { caixa } from './bank-104.ts';
import { bradesco } from './bank-237.ts';
import { itau } from './bank-341.ts';
import { sicoob } from './bank-756.ts';

const BANKS = [bancoDoBrasil, santander, caixa, bradesco, itau, sicoob];

/** Every supported bank by its three digits. */
export const BOLETO_BANKS: ReadonlyMap<string, BoletoBank> = new Map(BANKS.map(bank => [bank.code, bank]));
