// What a rail of this folder is set up with, and the profile that follows from it.
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Profile, Quirks } from './profile.ts';
import { isProfileName, type PspEnvironment, profileOf } from './profiles.ts';

/** One entry of `rails` in the configuration file, already checked for its form. */
export type BacenSettings = {
  /** `efi:main`. */
  readonly name: string;
  readonly profile: string;
  readonly environment: PspEnvironment;
  /** Instead of those of the profile. */
  readonly baseUrl?: string;
  readonly tokenUrl?: string;
  /** As it stands in a BR Code. */
  readonly pixKey: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientSecretFile?: string;
  readonly certificateFile?: string;
  readonly privateKeyFile?: string;
  readonly pkcs12File?: string;
  readonly passwordFile?: string;
  /** Who vouches for the PSP's server; absent: the authorities that Node trusts. */
  readonly caFile?: string;
  /** In codes that are built from a location. */
  readonly receiverName?: string;
  readonly receiverCity?: string;
  readonly accountNumber?: string;
  readonly appKey?: string;
  readonly appKeyFile?: string;
  readonly accessToken?: string;
  readonly accessTokenFile?: string;
  readonly timeoutSeconds?: number;
  readonly maxConcurrent?: number;
  /** 0 for no limit. */
  readonly perSecond?: number;
  /** How many free locations of each kind are kept; 0: codes come with the PSP's answer. */
  readonly locationPool?: number;
  readonly quirks?: Quirks;
  readonly webhook?: { readonly url: string; readonly skipMtls?: boolean };
};

export type BacenDeps = { readonly clock: Clock; readonly log: Log };

/** One thing wrong with a setting; the message is the end of a sentence about `path`. */
export type SettingFault = { readonly path: string; readonly message: string };

/** A profile with its addresses. */
export type FullProfile = Profile & { readonly baseUrl: string; readonly tokenUrl: string };

/** The profile with what the settings replace, or what is missing. */
export function profileFor(
  settings: BacenSettings,
): { readonly profile: FullProfile } | { readonly faults: readonly SettingFault[] } {
  if (!isProfileName(settings.profile)) return { faults: [{ path: 'profile', message: 'is not a known profile' }] };
  const known = profileOf(settings.profile, settings.environment);
  const { paths, ...others } = settings.quirks ?? {};
  const profile = { ...known, ...others, paths: { ...known.paths, ...paths } };
  if (settings.locationPool && !profile.hasLocations) {
    return {
      faults: [{ path: 'locationPool', message: `must be 0: the profile ${settings.profile} has no locations` }],
    };
  }
  const [baseUrl, tokenUrl] = [settings.baseUrl ?? profile.baseUrl, settings.tokenUrl ?? profile.tokenUrl];
  if (baseUrl !== undefined && tokenUrl !== undefined) return { profile: { ...profile, baseUrl, tokenUrl } };
  const missing = [...(baseUrl === undefined ? ['baseUrl'] : []), ...(tokenUrl === undefined ? ['tokenUrl'] : [])];
  return { faults: missing.map(path => ({ path, message: `is required for the profile ${settings.profile}` })) };
}
