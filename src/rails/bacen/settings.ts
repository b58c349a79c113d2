// The settings of a rail of this folder, and the profile that follows from them.
import type { ClientProfile } from '../bank-client/profile.ts';
import type { ClientDeps, ClientSettings, SettingFault } from '../bank-client/settings.ts';
import type { Profile, Quirks } from './profile.ts';
import { type PspProfiles, profileOf } from './profiles.ts';

/** One entry of `rails` in the configuration file, already checked against its schema. */
export type BacenSettings = ClientSettings & {
  /** As written in a BR Code. */
  readonly pixKey: string;
  /** In codes that are built from a location. */
  readonly receiverName?: string;
  readonly receiverCity?: string;
  /** How many free locations of each kind are kept; 0: codes come with the PSP's answer. */
  readonly locationPool?: number;
  readonly quirks?: Quirks;
  /** Present: this account may use Pix Automático. */
  readonly automatic?: AutomaticSettings;
  readonly webhook?: { readonly url: string; readonly skipMtls?: boolean };
};

/** The account that gets what is collected, and what the PSP decides for itself. */
export type AutomaticSettings = {
  readonly account: string;
  readonly accountType: 'CORRENTE' | 'POUPANCA' | 'PAGAMENTO';
  readonly branch?: string;
  /** Days before the due day on which a collection is taken. */
  readonly earliestDays?: number;
  readonly latestDays?: number;
  /** The hour of the day before the first attempt until which it may be canceled. */
  readonly cancelUntilHour?: number;
};

export type BacenDeps = ClientDeps & {
  /** The PSPs that entries may name; those of profiles.ts when absent. */
  readonly profiles?: PspProfiles;
};

/** A profile with its addresses. */
export type FullProfile = Profile & Pick<ClientProfile, 'baseUrl' | 'tokenUrl'>;

/** The profile with the overrides of the settings, or what is missing. */
export function profileFor(
  settings: BacenSettings,
  profiles: PspProfiles,
): { readonly profile: FullProfile } | { readonly faults: readonly SettingFault[] } {
  const known = profileOf(profiles, settings.profile, settings.environment);
  if (!known) return { faults: [{ path: 'profile', message: 'is not a known profile' }] };
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
