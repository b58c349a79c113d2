// What can be set about boletos that a bank registers, from files or by its API: one entry for each agreement with a bank. Whether the bank can
// use the fields of an entry is for the rail to say.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { type Static, Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf, type Kind, normalised } from '../lib/settings/kinds.ts';
import { API_OR_FILES_WORDS, BoletoApi, isByApiOrByFiles } from './boleto-api-settings.ts';
import { hasDistinctNames, isRailName, RAIL_NAME_WORDS } from './rail-settings.ts';

const MAX_AGREEMENTS = 100;
const MAX_ACCOUNTS = 1_000;
/** One lot holds as many; a larger file would need several, which some banks refuse. */
const MAX_TITLES = 24_000;
const MAX_SEQUENCE = 999_999;
const MAX_ANSWER_DAYS = 60;
const CLOSED = { additionalProperties: false } as const;

const check = (holds: (text: string) => boolean, message: string) => ({
  'x-check': { holds: value => typeof value !== 'string' || holds(value), message } satisfies Check,
});
const Digits = (most: number) =>
  Type.String(
    check(
      text => new RegExp(`^\\d{1,${most}}$`).test(text),
      most === 1 ? 'must be a digit' : `must be 1 to ${most} digits`,
    ),
  );
/** Some check digits are letters. */
const CheckDigit = () => Type.String(check(text => /^[0-9A-Z]$/.test(text), 'must be a digit or a capital letter'));
const Document = () =>
  Type.String(
    check(
      text => isValidCpf(text) || isValidCnpj(text, { version: 2 }),
      'must be a CPF or a CNPJ with right check digits',
    ),
  );

const Path = () => Type.String({ minLength: 1, maxLength: 4_096 });
const MAX_MINUTES = 24 * 60;
const MAX_TIMES = 48;

const SftpEntry = Type.Object(
  {
    host: Type.String(check(text => /^[A-Za-z0-9.:-]{1,253}$/.test(text), 'must be a name or an address of a machine')),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    user: Type.String({ minLength: 1, maxLength: 100 }),
    keyFile: Type.Optional(Path()),
    passphraseFile: Type.Optional(Path()),
    passwordFile: Type.Optional(Path()),
    hostKey: Type.String(
      check(
        text => /^SHA256:[A-Za-z0-9+/]{43}$/.test(text),
        'must be the fingerprint of the server, SHA256: and 43 characters',
      ),
    ),
    sendFolder: Path(),
    fetchFolder: Path(),
    everyMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MINUTES })),
    sendAt: Type.Optional(
      Type.Array(Type.String(check(text => /^([01]\d|2[0-3]):[0-5]\d$/.test(text), 'must be a time such as 09:30')), {
        minItems: 1,
        maxItems: MAX_TIMES,
      }),
    ),
  },
  CLOSED,
);

export const BoletoEntry = Type.Object(
  {
    name: Type.String(check(isRailName, RAIL_NAME_WORDS)),
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
    variation: Type.Optional(Digits(3)),
    transmissionCode: Type.Optional(Digits(15)),
    firstNumber: Type.Optional(Digits(17)),
    lastNumber: Type.Optional(Digits(17)),
    firstFile: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SEQUENCE })),
    maxTitles: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TITLES })),
    answerDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ANSWER_DAYS })),
    fileVersion: Type.Optional(Type.String(check(text => /^\d{3}$/.test(text), 'must be three digits'))),
    lotVersion: Type.Optional(Type.String(check(text => /^\d{3}$/.test(text), 'must be three digits'))),
    species: Type.Optional(Type.String(check(text => /^\d{2}$/.test(text), 'must be two digits'))),
    acceptance: Type.Optional(Type.Enum(['A', 'N'], { type: 'string' })),
    emptySegmentR: Type.Optional(Type.Boolean()),
    quirks: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9]{1,40}[.][A-Za-z0-9]{1,40}$' }), Type.String(), CLOSED),
    ),
    sendFolder: Type.Optional(Type.String({ minLength: 1 })),
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
    sftp: Type.Optional(SftpEntry),
    accounts: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_ACCOUNTS })),
    former: Type.Optional(Type.Literal(true)),
    test: Type.Optional(Type.Literal(true)),
    api: Type.Optional(BoletoApi),
  },
  { ...CLOSED, 'x-check': { holds: isByApiOrByFiles, message: API_OR_FILES_WORDS } satisfies Check },
);

export type BoletoSettings = Readonly<Static<typeof BoletoEntry>>;

export const BoletoEntries = Type.Array(BoletoEntry, {
  maxItems: MAX_AGREEMENTS,
  'x-check': { holds: hasDistinctNames, message: 'must name each agreement differently' } satisfies Check,
});

const entries = jsonOf(BoletoEntries, 'a JSON list of objects { name, bank, holderName, holderDocument, … }');

/** The agreements as JSON text. A document is given back without punctuation. */
export const boletoSettings: Kind<readonly BoletoSettings[]> = normalised<readonly BoletoSettings[]>(
  entries,
  agreements => agreements.map(entry => ({ ...entry, holderDocument: plain(entry.holderDocument) })),
);

function plain(document: string): string {
  return document.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
}
