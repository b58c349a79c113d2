// Itaú. Two check digits («DAC») by modulo 10 stand in the free field: one for the our number, one for the account.
// The rules are in an annex of the bank's manual «Cobrança bancária: intercâmbio eletrônico de arquivos».
import type { AccountProblem } from './account.ts';
import { defineBank, type FilledAccount } from './bank.ts';
import { modulo10 } from './digits.ts';

/** The check digit of their our number covers the carteira only, without agency and account. */
const CHECKED_WITH_CARTEIRA_ALONE: readonly string[] = ['112', '126', '131', '146', '150', '168'];
/** Their barcodes have another layout: a document number and a client code instead of the account. */
const OTHER_LAYOUT: readonly string[] = ['106', '107', '122', '142', '143', '195', '196', '198'];

export const itau = defineBank({
  code: '341',
  name: 'Itaú',
  widths: () => ({ agency: 4, accountNumber: 5, carteira: 3 }),
  check: account => [...checkCarteira(account), ...checkAccountDigit(account)],
  ourNumberDigits: () => 8,
  numberedBy: ['agency', 'accountNumber', 'carteira'],
  freeField: (account, ourNumber) => {
    const { agency, accountNumber, carteira } = account;
    return `${carteira}${ourNumber}${checkDigit(account, ourNumber)}${agency}${accountNumber}${accountDigit(account)}000`;
  },
  formatOurNumber: (account, ourNumber) => `${account.carteira}/${ourNumber}-${checkDigit(account, ourNumber)}`,
});

function checkDigit({ agency, accountNumber, carteira }: FilledAccount, ourNumber: string): number {
  const account = CHECKED_WITH_CARTEIRA_ALONE.includes(carteira) ? '' : agency + accountNumber;
  return modulo10(account + carteira + ourNumber);
}

function accountDigit({ agency, accountNumber }: FilledAccount): number {
  return modulo10(agency + accountNumber);
}

function checkCarteira({ carteira }: FilledAccount): AccountProblem[] {
  if (OTHER_LAYOUT.includes(carteira)) {
    return [{ field: 'carteira', message: 'is one whose barcode holds a document number, which is not supported' }];
  }
  return [];
}

/** If the account digit is given, it detects a mistyped agency or account before a boleto is issued. */
function checkAccountDigit(account: FilledAccount): AccountProblem[] {
  const given = account.accountDigit;
  return given === '' || given === String(accountDigit(account))
    ? []
    : [{ field: 'accountDigit', message: 'does not belong to this agency and account number' }];
}
