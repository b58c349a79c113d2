// The faults in the settings of an agreement, each with its field.
import type { Agreement } from './agreement.ts';
import type { AgreementField, CnabBank, SentTables } from './bank.ts';
import { CNAB_BANKS } from './banks.ts';
import { rowsOf, type Table } from './record.ts';

/** `message` follows the name of the field in a sentence. */
export type AgreementFault = { readonly field: string; readonly message: string };

export function checkAgreement(agreement: Agreement): readonly AgreementFault[] {
  const bank = CNAB_BANKS.get(agreement.bank);
  if (!bank) return [{ field: 'bank', message: `must be one of ${[...CNAB_BANKS.keys()].join(', ')}` }];
  return [
    ...bank.boleto.checkAccount(agreement.account),
    ...bank.needs.flatMap(field => missing(agreement, field)),
    ...(agreement.pix && !bank.sent.Y03 ? [{ field: 'pix', message: 'is not for files of this bank' }] : []),
    ...Object.entries(agreement.quirks ?? {}).flatMap(([name, text]) => checkQuirk(bank, name, text)),
  ];
}

function missing({ account, transmissionCode }: Agreement, field: AgreementField): AgreementFault[] {
  const value = field === 'transmissionCode' ? transmissionCode : account[field];
  if (value) return [];
  return [{ field, message: 'is required for files of this bank' }];
}

/** A quirk replaces all characters of one field. */
function checkQuirk({ sent }: CnabBank, name: string, text: string): AgreementFault[] {
  const [record = '', key = ''] = name.split('.');
  const fault = (message: string) => [{ field: `quirks.${name}`, message }];
  if (!isRecord(sent, record)) return fault(`must begin with one of ${Object.keys(sent).join(', ')} and a dot`);
  const tables: { readonly [record: string]: Table | undefined } = sent;
  const row = rowsOf(tables[record] ?? {}).find(([known]) => known === key)?.[1];
  if (!row) return fault(`names no field of ${record}`);
  const width = row.to - row.from + 1;
  return text.length === width && /^[ -~]*$/.test(text) ? [] : fault(`must be ${width} plain characters`);
}

function isRecord(sent: SentTables, name: string): name is keyof SentTables {
  return Object.hasOwn(sent, name);
}
