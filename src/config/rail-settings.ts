// What can be set about rails: one entry for each PSP and account of it. Files that an entry names are read by the rail.
import { type Static, Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { brCodeText, jsonOf, type Kind, normalised, pixKey } from '../lib/settings/kinds.ts';
import {
  CLIENT_FIELDS,
  CLOSED,
  check,
  OneOf,
  Path,
  textAt,
  WEBHOOK_CHECK,
  WEBHOOK_FIELDS,
  Word,
} from './bank-api-fields.ts';

/** The profiles of src/rails/bacen/profiles.ts; a test holds both lists together. */
export const RAIL_PROFILES = [
  'efi',
  'itau',
  'bb',
  'santander',
  'bradesco',
  'sicoob',
  'sicredi',
  'inter',
  'banrisul',
  'c6',
  'custom',
] as const;

/** Names of rails that have no entry here. */
const TAKEN_NAMES = ['sandbox', 'pix-key', 'absent'];
export const RAIL_NAME_WORDS = `must be a name such as efi or efi:main, and none of ${TAKEN_NAMES.join(', ')}`;
const MAX_RAILS = 100;
const MAX_ACCOUNTS = 1_000;

const byKind = (kind: Kind<unknown>) =>
  Type.String(check(text => 'value' in kind.parse(text), `must be ${kind.words}`));
const Place = () => Type.String(check(text => /^[\w./-]{1,200}$/.test(text), 'must be a path such as v2/cob'));
const Templates = () =>
  Type.Record(
    Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$' }),
    Type.String(check(isTemplate, 'must be printable ASCII')),
    CLOSED,
  );

const Quirks = Type.Object(
  {
    credentials: Type.Optional(OneOf(['basic', 'body', 'id-only'])),
    tokenBody: Type.Optional(OneOf(['form', 'json'])),
    tokenQuery: Type.Optional(Templates()),
    sendsScopes: Type.Optional(Type.Boolean()),
    headers: Type.Optional(Templates()),
    query: Type.Optional(Templates()),
    pixDates: Type.Optional(OneOf(['milliseconds', 'seconds'])),
    maxWindowDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    emptyListIs404: Type.Optional(Type.Boolean()),
    hasLocations: Type.Optional(Type.Boolean()),
    sendsLocationKind: Type.Optional(Type.Boolean()),
    maxTlsVersion: Type.Optional(OneOf(['TLSv1.2'])),
    paths: Type.Optional(
      Type.Object(
        {
          cob: Type.Optional(Place()),
          cobv: Type.Optional(Place()),
          pix: Type.Optional(Place()),
          loc: Type.Optional(Place()),
          webhook: Type.Optional(Place()),
        },
        CLOSED,
      ),
    ),
    patchPaths: Type.Optional(Type.Object({ cob: Type.Optional(Place()), cobv: Type.Optional(Place()) }, CLOSED)),
  },
  CLOSED,
);

export const RailEntry = Type.Object(
  {
    name: Type.String(check(isRailName, RAIL_NAME_WORDS)),
    profile: OneOf(RAIL_PROFILES),
    ...CLIENT_FIELDS,
    pixKey: byKind(pixKey),
    accounts: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_ACCOUNTS })),
    former: Type.Optional(Type.Literal(true)),
    receiverName: Type.Optional(byKind(brCodeText)),
    receiverCity: Type.Optional(byKind(brCodeText)),
    accountNumber: Type.Optional(Word()),
    appKey: Type.Optional(Word()),
    appKeyFile: Type.Optional(Path()),
    // A code from the pool is dead until the PSP has the charge, and for ever if the PSP refuses it: none unless asked for.
    locationPool: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    quirks: Type.Optional(Quirks),
    webhook: Type.Optional(
      Type.Object({ ...WEBHOOK_FIELDS, skipMtls: Type.Optional(Type.Boolean()) }, { ...CLOSED, ...WEBHOOK_CHECK }),
    ),
  },
  {
    ...CLOSED,
    'x-check': {
      holds: hasAddresses,
      message: 'must have baseUrl and tokenUrl, since the profile custom has none',
    } satisfies Check,
  },
);

export type RailSettings = Readonly<Static<typeof RailEntry>>;

export const RailEntries = Type.Array(RailEntry, {
  maxItems: MAX_RAILS,
  'x-check': { holds: hasDistinctNames, message: 'must name each rail differently' } satisfies Check,
});

const entries = jsonOf(RailEntries, 'a JSON list of objects { name, profile, environment, pixKey, clientId, … }');

/** The rails as JSON text. A pix key is given back as it stands in a BR Code. */
export const railSettings: Kind<readonly RailSettings[]> = normalised<readonly RailSettings[]>(entries, rails =>
  rails.map(entry => ({ ...entry, pixKey: normalKey(entry.pixKey) })),
);

function normalKey(text: string): string {
  const parsed = pixKey.parse(text);
  return 'value' in parsed ? parsed.value.key : text;
}

export function isRailName(text: string): boolean {
  return /^[a-z0-9]{1,40}(:[a-z0-9-]{1,40})?$/.test(text) && !TAKEN_NAMES.includes(text);
}

function isTemplate(text: string): boolean {
  return /^[\x20-\x7e]{0,1000}$/.test(text);
}

function hasAddresses(entry: unknown): boolean {
  return textAt(entry, 'profile') !== 'custom' || (textAt(entry, 'baseUrl') && textAt(entry, 'tokenUrl')) !== undefined;
}

export function hasDistinctNames(rails: unknown): boolean {
  const names = Array.isArray(rails) ? rails.flatMap(rail => textAt(rail, 'name') ?? []) : [];
  return new Set(names).size === names.length;
}
