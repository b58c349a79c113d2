// The settings of boletos that a bank registers, from files or by its API: one entry for each agreement with a bank. The rail checks
// whether its bank can use the fields of an entry.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { type Static, Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf, type Kind, normalised } from '../lib/settings/kinds.ts';
import { CLOSED, check, Digits } from './bank-client/entry-fields.ts';
import { ApiEntry } from './boleto-apis/entry.ts';
import { FILE_FIELDS } from './cnab-boleto/entry.ts';
import { hasDistinctNames, NAME_FIELD, SHARE_FIELDS } from './entry-fields.ts';

const MAX_AGREEMENTS = 100;
const MAX_ANSWER_DAYS = 60;

/** Some check digits are letters. */
const CheckDigit = () => Type.String(check(text => /^[0-9A-Z]$/.test(text), 'must be a digit or a capital letter'));
const Document = () =>
  Type.String(
    check(
      text => isValidCpf(text) || isValidCnpj(text, { version: 2 }),
      'must be a CPF or a CNPJ with right check digits',
    ),
  );

export const AgreementEntry = Type.Object(
  {
    ...NAME_FIELD,
    bank: Type.String(check(text => /^\d{3}$/.test(text), 'must be three digits')),
    holderName: Type.String({ minLength: 1, maxLength: 100 }),
    holderDocument: Document(),
    agency: Type.Optional(Digits(5)),
    agencyDigit: Type.Optional(CheckDigit()),
    accountNumber: Type.Optional(Digits(12)),
    accountDigit: Type.Optional(CheckDigit()),
    carteira: Type.Optional(Digits(3)),
    beneficiaryCode: Type.Optional(Digits(20)),
    modality: Type.Optional(Digits(2)),
    firstNumber: Type.Optional(Digits(17)),
    lastNumber: Type.Optional(Digits(17)),
    answerDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ANSWER_DAYS })),
    pix: Type.Optional(
      Type.Object(
        {
          key: Type.String(check(text => /^[!-~]{1,77}$/.test(text), 'must be a pix key')),
          keyType: Type.String(check(text => /^\d$/.test(text), 'must be a digit')),
          city: Type.String({ minLength: 1, maxLength: 40 }),
        },
        CLOSED,
      ),
    ),
    ...SHARE_FIELDS,
    ...FILE_FIELDS,
    api: Type.Optional(ApiEntry),
  },
  {
    ...CLOSED,
    'x-check': {
      holds: isByApiOrByFiles,
      message: `must not have ${Object.keys(FILE_FIELDS).join(', ')} beside api`,
    } satisfies Check,
  },
);

export type AgreementEntry = Readonly<Static<typeof AgreementEntry>>;

const AgreementEntries = Type.Array(AgreementEntry, {
  maxItems: MAX_AGREEMENTS,
  'x-check': { holds: hasDistinctNames, message: 'must name each agreement differently' } satisfies Check,
});

const entries = jsonOf(AgreementEntries, 'a JSON list of objects { name, bank, holderName, holderDocument, … }');

/** The agreements as JSON text. Documents are returned without punctuation. */
export const agreementSettings: Kind<readonly AgreementEntry[]> = normalised<readonly AgreementEntry[]>(
  entries,
  agreements => agreements.map(entry => ({ ...entry, holderDocument: plain(entry.holderDocument) })),
);

function plain(document: string): string {
  return document.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
}

function isByApiOrByFiles(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || Reflect.get(entry, 'api') === undefined) return true;
  return Object.keys(FILE_FIELDS).every(field => Reflect.get(entry, field) === undefined);
}
