// The settings of a rail of this folder: one entry for each PSP and account. Files that an entry names are read when the rail is opened.
import { type Static, Type } from 'typebox';
import type { Check } from '../../lib/settings/check-schema.ts';
import type { Kind } from '../../lib/settings/kinds.ts';
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
} from '../bank-client/entry-fields.ts';
import { NAME_FIELD, SHARE_FIELDS } from '../entry-fields.ts';
import { brCodeText, pixKey } from '../pix-key.ts';
import { RESOURCES, type Resource } from './profile.ts';

const byKind = (kind: Kind<unknown>) =>
  Type.String(check(text => 'value' in kind.parse(text), `must be ${kind.description}`));
const Place = () => Type.String(check(text => /^[\w./-]{1,200}$/.test(text), 'must be a path such as v2/cob'));
const Templates = () =>
  Type.Record(
    Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$' }),
    Type.String(check(isTemplate, 'must be printable ASCII')),
    CLOSED,
  );

const PLACES = Object.fromEntries(RESOURCES.map(name => [name, Place()])) as Record<Resource, ReturnType<typeof Place>>;

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
    paths: Type.Optional(Type.Partial(Type.Object(PLACES, CLOSED))),
    patchPaths: Type.Optional(Type.Object({ cob: Type.Optional(Place()), cobv: Type.Optional(Place()) }, CLOSED)),
  },
  CLOSED,
);

/** Up to as many days before as the norm's PSPs take. */
const MAX_DAYS_AHEAD = 30;

const Automatic = Type.Object(
  {
    account: Type.String(check(text => /^\d{1,20}$/.test(text), 'must be digits, with the check digit')),
    accountType: OneOf(['CORRENTE', 'POUPANCA', 'PAGAMENTO']),
    branch: Type.Optional(Type.String(check(text => /^\d{1,4}$/.test(text), 'must be at most four digits'))),
    earliestDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS_AHEAD })),
    latestDays: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_DAYS_AHEAD })),
    cancelUntilHour: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })),
  },
  CLOSED,
);

export const BACEN_FIELDS = {
  ...NAME_FIELD,
  profile: Type.String(),
  ...CLIENT_FIELDS,
  pixKey: byKind(pixKey),
  ...SHARE_FIELDS,
  receiverName: Type.Optional(byKind(brCodeText)),
  receiverCity: Type.Optional(byKind(brCodeText)),
  accountNumber: Type.Optional(Word()),
  appKey: Type.Optional(Word()),
  appKeyFile: Type.Optional(Path()),
  // A code from the pool cannot be paid until the PSP has the charge, and never if the PSP refuses it: no pool by default.
  locationPool: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
  quirks: Type.Optional(Quirks),
  automatic: Type.Optional(Automatic),
  webhook: Type.Optional(
    Type.Object({ ...WEBHOOK_FIELDS, skipMtls: Type.Optional(Type.Boolean()) }, { ...CLOSED, ...WEBHOOK_CHECK }),
  ),
};

const ADDRESSES_CHECK = {
  'x-check': {
    holds: hasAddresses,
    message: 'must have baseUrl and tokenUrl, since the profile custom has no addresses',
  } satisfies Check,
};

/** One entry of `rails` with one of these profiles. */
export function bacenEntry(profiles: readonly string[]) {
  return Type.Object({ ...BACEN_FIELDS, profile: OneOf(profiles) }, { ...CLOSED, ...ADDRESSES_CHECK });
}

export type BacenEntry = Readonly<Static<ReturnType<typeof bacenEntry>>>;

/** The pix key as written in a BR Code. */
export function normalEntry(entry: BacenEntry): BacenEntry {
  return { ...entry, pixKey: normalKey(entry.pixKey) };
}

function normalKey(text: string): string {
  const parsed = pixKey.parse(text);
  return 'value' in parsed ? parsed.value.key : text;
}

function isTemplate(text: string): boolean {
  return /^[\x20-\x7e]{0,1000}$/.test(text);
}

function hasAddresses(entry: unknown): boolean {
  return textAt(entry, 'profile') !== 'custom' || (textAt(entry, 'baseUrl') && textAt(entry, 'tokenUrl')) !== undefined;
}
