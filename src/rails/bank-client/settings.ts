// The settings of the client of a bank's API.
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export const ENVIRONMENTS = ['production', 'test'] as const;
export type BankEnvironment = (typeof ENVIRONMENTS)[number];

export type ClientSettings = {
  /** Of the rail: `efi:main`. */
  readonly name: string;
  readonly profile: string;
  readonly environment: BankEnvironment;
  /** Instead of those of the profile. */
  readonly baseUrl?: string;
  readonly tokenUrl?: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientSecretFile?: string;
  readonly certificateFile?: string;
  readonly privateKeyFile?: string;
  readonly pkcs12File?: string;
  readonly passwordFile?: string;
  /** The authority that signed the bank's server certificate; absent: the authorities that Node trusts. */
  readonly caFile?: string;
  readonly accountNumber?: string;
  readonly appKey?: string;
  readonly appKeyFile?: string;
  readonly accessToken?: string;
  readonly accessTokenFile?: string;
  readonly timeoutSeconds?: number;
  readonly maxConcurrent?: number;
  /** 0 for no limit. */
  readonly perSecond?: number;
};

export type ClientDeps = { readonly clock: Clock; readonly log: Log };

/** One thing wrong with a setting; the message is the end of a sentence about `path`. */
export type SettingFault = { readonly path: string; readonly message: string };
