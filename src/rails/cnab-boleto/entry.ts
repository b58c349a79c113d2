// The settings of the files of an agreement with a bank. The rail checks whether its bank can use a field.
import { Type } from 'typebox';
import { CLOSED, check, Digits } from '../bank-client/entry-fields.ts';

/** The capacity of one lot; a larger file would need several, which some banks refuse. */
const MAX_TITLES = 24_000;
const MAX_SEQUENCE = 999_999;
const MAX_MINUTES = 24 * 60;
const MAX_TIMES = 48;

const Path = () => Type.String({ minLength: 1, maxLength: 4_096 });
const ThreeDigits = () => Type.String(check(text => /^\d{3}$/.test(text), 'must be three digits'));

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

/** They say how files are written, so with `api` they would have no effect. */
export const FILE_FIELDS = {
  variation: Type.Optional(Digits(3)),
  transmissionCode: Type.Optional(Digits(15)),
  firstFile: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SEQUENCE })),
  maxTitles: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TITLES })),
  fileVersion: Type.Optional(ThreeDigits()),
  lotVersion: Type.Optional(ThreeDigits()),
  species: Type.Optional(Type.String(check(text => /^\d{2}$/.test(text), 'must be two digits'))),
  acceptance: Type.Optional(Type.Enum(['A', 'N'], { type: 'string' })),
  emptySegmentR: Type.Optional(Type.Boolean()),
  quirks: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z0-9]{1,40}[.][A-Za-z0-9]{1,40}$' }), Type.String(), CLOSED),
  ),
  sendFolder: Type.Optional(Type.String({ minLength: 1 })),
  sftp: Type.Optional(SftpEntry),
  test: Type.Optional(Type.Literal(true)),
};
