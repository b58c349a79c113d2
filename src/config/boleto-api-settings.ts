// What can be set about a bank that registers boletos by its API: the field `api` of an entry of `boletos`.
import { Type } from 'typebox';
import { CLIENT_FIELDS, CLOSED, check, OneOf, WEBHOOK_CHECK, WEBHOOK_FIELDS, Word } from './bank-api-fields.ts';

/** The profiles of src/rails/boleto-apis/profile.ts; a test holds both lists together. */
export const BOLETO_API_PROFILES = ['sicoob', 'inter'] as const;

const MAX_SCOPES = 50;

export const BoletoApi = Type.Object(
  {
    profile: OneOf(BOLETO_API_PROFILES),
    ...CLIENT_FIELDS,
    scopes: Type.Optional(Type.Array(Word(), { minItems: 1, maxItems: MAX_SCOPES })),
    pixCode: Type.Optional(Type.Boolean()),
    species: Type.Optional(
      Type.String(check(text => /^[A-Z]{2,3}$/.test(text), 'must be two or three capital letters')),
    ),
    contractNumber: Type.Optional(Type.String(check(text => /^[1-9]\d{0,8}$/.test(text), 'must be 1 to 9 digits'))),
    webhook: Type.Optional(Type.Object(WEBHOOK_FIELDS, { ...CLOSED, ...WEBHOOK_CHECK })),
  },
  CLOSED,
);

/** They say how files are written, so beside `api` they would be without effect. */
const OF_FILES = [
  'variation',
  'transmissionCode',
  'firstFile',
  'maxTitles',
  'fileVersion',
  'lotVersion',
  'species',
  'acceptance',
  'emptySegmentR',
  'quirks',
  'sendFolder',
  'sftp',
  'test',
];

export const API_OR_FILES_WORDS = `must not have ${OF_FILES.join(', ')} beside api`;

export function isByApiOrByFiles(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || Reflect.get(entry, 'api') === undefined) return true;
  return OF_FILES.every(field => Reflect.get(entry, field) === undefined);
}
