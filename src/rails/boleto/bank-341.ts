// Itaú. Two check digits («DAC») by modulo 10 stand in the free field: one for the our number, one for the account.
// The rules are in an annex of the bank's manual «Cobrança bancária: intercâmbio eletrônico de arquivos».
import type { AccountProblem } from './account.ts';
import { defineBank, type FilledAccount } from './bank.ts';
import { modulo10 } from './digits.ts';

/** Their our numbers are checked with the wallet alone, without agency and account. */
const CHECKED_WITH_WALLET_ALONE: readonly string[] = ['126', '131', '146', '150', '168'];
/** Their barcodes are laid out otherwise: the payer's document number and a client code take the account's place. */
const OTHER_LAYOUT: readonly string[] = ['106', '107', '122', '142', '143', '195', '196', '198'];
/** Public implementations work its check digit out in three ways. A slip of ours must not be a guess. */
const DISPUTED = '112';

export const itau = defineBank({
  code: '341',
  name: 'Itaú',
  widths: () => ({ agency: 4, accountNumber: 5, wallet: 3 }),
  check: account => [...checkWallet(account), ...checkAccountDigit(account)],
  ourNumberDigits: () => 8,
  freeField: (account, ourNumber) => {
    const { agency, accountNumber, wallet } = account;
    return `${wallet}${ourNumber}${checkDigit(account, ourNumber)}${agency}${accountNumber}${accountDigit(account)}000`;
  },
  formatOurNumber: (account, ourNumber) => `${account.wallet}/${ourNumber}-${checkDigit(account, ourNumber)}`,
});

function checkDigit({ agency, accountNumber, wallet }: FilledAccount, ourNumber: string): number {
  const account = CHECKED_WITH_WALLET_ALONE.includes(wallet) ? '' : agency + accountNumber;
  return modulo10(account + wallet + ourNumber);
}

function accountDigit({ agency, accountNumber }: FilledAccount): number {
  return modulo10(agency + accountNumber);
}

function checkWallet({ wallet }: FilledAccount): AccountProblem[] {
  if (OTHER_LAYOUT.includes(wallet)) {
    return [{ field: 'wallet', message: 'is one whose barcode holds a document number, which is not supported' }];
  }
  if (wallet === DISPUTED) {
    return [{ field: 'wallet', message: 'is one whose check digit is not known for certain, and not supported' }];
  }
  return [];
}

/** A digit that was given catches a mistyped agency or account before a payer meets it. */
function checkAccountDigit(account: FilledAccount): AccountProblem[] {
  const given = account.accountDigit;
  return given === '' || given === String(accountDigit(account))
    ? []
    : [{ field: 'accountDigit', message: 'does not belong to this agency and account number' }];
}
