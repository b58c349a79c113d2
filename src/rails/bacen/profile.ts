// What differs from one PSP to the next, as data. The rest of the folder reads these fields and never a PSP's name.

export const RESOURCES = ['cob', 'cobv', 'pix', 'loc', 'webhook'] as const;
export type Resource = (typeof RESOURCES)[number];

/** The two kinds of charge: to be paid at once, or by a day. */
export const CHARGE_KINDS = ['cob', 'cobv'] as const;
export type ChargeKind = (typeof CHARGE_KINDS)[number];

/** Where an error answer has its code and its words; paths are such as `erros.0.codigo`. */
export type ErrorShape = {
  readonly code: string;
  readonly words: readonly string[];
  /** A list of single faults inside the answer. */
  readonly items?: { readonly at: string; readonly code: string; readonly words: string };
};

/** Settings that only some PSPs need. */
export const PROFILE_VALUES = ['accountNumber', 'appKey', 'accessToken'] as const;
export type ProfileValue = (typeof PROFILE_VALUES)[number];

export type Profile = {
  /** Absent: the settings must give them. */
  readonly baseUrl?: string;
  readonly tokenUrl?: string;
  /** Relative to the base URL; `../` leaves its last part. */
  readonly paths: Readonly<Record<Resource, string>>;
  /** Where charges are changed, when that is another place. */
  readonly patchPaths?: Readonly<Partial<Record<ChargeKind, string>>>;
  /** How the client names itself to the token server. */
  readonly credentials: 'basic' | 'body' | 'id-only';
  readonly tokenBody: 'form' | 'json';
  /** Added to the address of the token server. */
  readonly tokenQuery: Readonly<Record<string, string>>;
  /** Whether the token request names the scopes; otherwise the contract decides. */
  readonly sendsScopes: boolean;
  /** The token is a setting, and no token server is asked. */
  readonly hasFixedToken: boolean;
  /** Whether connections carry a client certificate. */
  readonly usesClientCertificate: boolean;
  /** Sent with every call; `{clientId}`, `{uuid}`, `{token}` and the profile values are filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly needs: readonly ProfileValue[];
  /** The times of GET /pix: always UTC, with or without milliseconds. */
  readonly pixDates: 'milliseconds' | 'seconds';
  /** The longest time that one GET /pix may ask for. */
  readonly maxWindowDays: number;
  readonly pageSize: number;
  /** Answers GET /pix with 404 when there are no payments in the time. */
  readonly emptyListIs404: boolean;
  /** Fields of a charge that may hold its BR Code, best first. */
  readonly codeFields: readonly string[];
  /** Has POST /loc. */
  readonly hasLocations: boolean;
  /** A location in a charge is named with its kind, as the norm's schema wants, or by its id alone, as its examples do. */
  readonly sendsLocationKind: boolean;
  readonly errorShapes: readonly ErrorShape[];
  /** The field of a received pix that holds the PSP's fee. */
  readonly feePath?: string;
  /** Headers that register a webhook without a check of the receiver's mTLS. */
  readonly skipMtlsHeaders: Readonly<Record<string, string>>;
  readonly maxTlsVersion?: 'TLSv1.2';
  /** Calls a second when the settings do not say. */
  readonly perSecond: number;
};

/** What a setting may replace, for a PSP that differs from its profile. */
export type Quirks = Partial<
  Pick<
    Profile,
    | 'credentials'
    | 'tokenBody'
    | 'tokenQuery'
    | 'sendsScopes'
    | 'headers'
    | 'query'
    | 'pixDates'
    | 'maxWindowDays'
    | 'pageSize'
    | 'emptyListIs404'
    | 'hasLocations'
    | 'sendsLocationKind'
    | 'maxTlsVersion'
    | 'patchPaths'
  > & { readonly paths: Partial<Profile['paths']> }
>;
