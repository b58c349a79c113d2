// Makes the rail of an agreement from an entry of `boletos`, or returns every fault with its field.
import { type Agreement, CNAB_BANKS, CnabError, checkAgreement, fileWriter, type Title } from '@trilho/cnab';
import type { Rail } from '../rail.ts';
import { type CnabSettings, cnabRail } from './rail.ts';
import { checkSftp } from './sftp.ts';

/** One entry of `boletos` in the configuration file, already checked against its schema. */
type CnabEntry = Agreement['account'] &
  Omit<CnabSettings, 'account' | 'holder'> & {
    readonly holderName: string;
    readonly holderDocument: string;
    /** With the simulated bank of a sandbox. */
    readonly test?: true;
  };

type EntryFault = { readonly path: string; readonly message: string };

export function loadCnabRail(
  entry: CnabEntry,
): { readonly rail: Rail<'boleto'> } | { readonly faults: readonly EntryFault[] } {
  if (entry.test) return { faults: [{ path: 'test', message: 'is for a sandbox' }] };
  const settings = settingsOf(entry);
  const faults = checkAgreement(settings).map(({ field, message }) => ({ path: field, message }));
  const ofServer = settings.sftp ? checkSftp(settings.sftp) : [];
  const wrong = faults.length > 0 ? faults : [...checkRange(settings), ...tryHeaders(settings), ...ofServer];
  return wrong.length > 0 ? { faults: wrong } : { rail: cnabRail(settings) };
}

function settingsOf(entry: CnabEntry): CnabSettings {
  const { agency, agencyDigit, accountNumber, accountDigit, carteira, beneficiaryCode, modality, ...rest } = entry;
  const { holderName, holderDocument, ...settings } = rest;
  const account = { agency, agencyDigit, accountNumber, accountDigit, carteira, beneficiaryCode, modality };
  return { ...settings, account: given(account), holder: { name: holderName, document: holderDocument } };
}

function given(account: { readonly [field: string]: string | undefined }): Agreement['account'] {
  return Object.fromEntries(Object.entries(account).filter(([, value]) => value !== undefined));
}

/** The account was checked before: the bank says how many digits its numbers have. */
function checkRange({ bank, account, firstNumber = '1', lastNumber }: CnabSettings): EntryFault[] {
  const width = CNAB_BANKS.get(bank)?.boleto.ourNumberDigits(account) ?? 0;
  const largest = 10n ** BigInt(width) - 1n;
  const [first, last] = [BigInt(firstNumber), lastNumber === undefined ? largest : BigInt(lastNumber)];
  const tooLong = `must have at most ${width} digits at this bank`;
  if (first < 1n) return [{ path: 'firstNumber', message: 'must be at least 1' }];
  if (first > largest) return [{ path: 'firstNumber', message: tooLong }];
  if (last > largest) return [{ path: 'lastNumber', message: tooLong }];
  return first <= last ? [] : [{ path: 'lastNumber', message: 'must not be below firstNumber' }];
}

/** A fault in the headers of a file would otherwise only appear with the first charge, and look like a fault of that charge. */
function tryHeaders(settings: CnabSettings): EntryFault[] {
  const writer = fileWriter(settings, { sequence: 1, day: SAMPLE.issueDay, time: '000000' });
  try {
    writer.add({ movement: 'register', title: SAMPLE });
    writer.end();
    return [];
  } catch (error) {
    if (!(error instanceof CnabError)) throw error;
    return [{ path: 'bank', message: `cannot take this agreement: ${error.message.replace(/\.$/, '')}` }];
  }
}

const SAMPLE: Title = {
  ...{ ourNumber: '1', documentNumber: '1', issueDay: '2026-01-01', dueDay: '2026-01-01', amountCents: 1n },
  payer: { name: 'X', document: '00000000000' },
};
