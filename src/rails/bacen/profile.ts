// What differs from one PSP to the next, as data. The rest of the folder reads these fields and never a PSP's name.
import type { ClientProfile } from '../bank-client/profile.ts';
import type { Scopes } from '../bank-client/token.ts';

export const RESOURCES = [
  ...(['cob', 'cobv', 'pix', 'loc', 'webhook'] as const),
  ...(['rec', 'solicrec', 'cobr', 'locrec', 'webhookrec', 'webhookcobr'] as const),
] as const;
export type Resource = (typeof RESOURCES)[number];

/** The two kinds of charge: immediate, or with a due day. */
export const CHARGE_KINDS = ['cob', 'cobv'] as const;
export type ChargeKind = (typeof CHARGE_KINDS)[number];

/** The addresses may be absent: then the settings must have them. */
export type Profile = Omit<ClientProfile<Resource>, 'baseUrl' | 'tokenUrl'> &
  Partial<Pick<ClientProfile, 'baseUrl' | 'tokenUrl'>> & {
    /** The times of GET /pix: always UTC, with or without milliseconds. */
    readonly pixDates: 'milliseconds' | 'seconds';
    /** The longest period that one GET /pix may cover. */
    readonly maxWindowDays: number;
    readonly pageSize: number;
    /** Answers GET /pix with 404 when there are no payments in the period. */
    readonly emptyListIs404: boolean;
    /** Fields of a charge that may hold its BR Code, best first. */
    readonly codeFields: readonly string[];
    /** Has POST /loc. */
    readonly hasLocations: boolean;
    /** A location in a charge is given with its kind, as in the norm's schema, or by its id alone, as in the norm's examples. */
    readonly sendsLocationKind: boolean;
    /** The field of a received pix that holds the PSP's fee. */
    readonly feePath?: string;
    /** Headers that register a webhook without a check of the receiver's mTLS. */
    readonly skipMtlsHeaders: Readonly<Record<string, string>>;
  };

export const CHARGE_SCOPES: Scopes = ['cob.read', 'cob.write', 'cobv.read', 'cobv.write', 'pix.read', 'pix.write'];
export const LOCATION_SCOPES: Scopes = ['payloadlocation.read', 'payloadlocation.write'];
export const WEBHOOK_SCOPES: Scopes = ['webhook.read', 'webhook.write'];
/** Of Pix Automático: a client without it gets no token for these. */
export const AUTOMATIC_SCOPES: Scopes = [
  ...['rec.read', 'rec.write', 'solicrec.read', 'solicrec.write', 'cobr.read', 'cobr.write'],
  ...['payloadlocationrec.read', 'payloadlocationrec.write'],
  ...['webhookrec.read', 'webhookrec.write', 'webhookcobr.read', 'webhookcobr.write'],
];

/** What a setting can override, for a PSP that differs from its profile. */
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
