// What differs between the boleto APIs of banks, as data. Requests and answers of each are in its folder.
import type { ClientProfile } from '../bank-client/profile.ts';
import type { BankEnvironment } from '../bank-client/settings.ts';

const BOLETO_RESOURCES = ['boletos', 'webhook'] as const;
export type BoletoResource = (typeof BOLETO_RESOURCES)[number];

export type BoletoProfile = ClientProfile<BoletoResource> & {
  /** Three digits. */
  readonly bank: string;
};

/** A profile in both environments. */
export type BoletoProfiles = { readonly all: Omit<BoletoProfile, 'baseUrl' | 'tokenUrl'> } & {
  readonly [E in BankEnvironment]: Pick<BoletoProfile, 'baseUrl' | 'tokenUrl'> & Partial<BoletoProfile>;
};

/** What most APIs have in common. */
export const USUAL = {
  tokenBody: 'form',
  tokenQuery: {},
  sendsScopes: true,
  hasFixedToken: false,
  usesClientCertificate: true,
  query: {},
  needs: [],
  perSecond: 20,
} as const;

export function boletoProfileOf(profiles: BoletoProfiles, environment: BankEnvironment): BoletoProfile {
  return { ...profiles.all, ...profiles[environment] };
}
