// The settings of a bank that registers boletos by its API: the field `api` of an entry of `boletos`.
import { Type } from 'typebox';
import {
  CLIENT_FIELDS,
  CLOSED,
  check,
  OneOf,
  WEBHOOK_CHECK,
  WEBHOOK_FIELDS,
  Word,
} from '../bank-client/entry-fields.ts';
import { BOLETO_API_PROFILES } from './apis.ts';

const MAX_SCOPES = 50;

export const ApiEntry = Type.Object(
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
