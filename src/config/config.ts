// The configuration of the service, read once from the settings into a frozen Config: each room derives its part from its settings.
import type { ChainSettings } from '../chains/chain-settings.ts';
import type { SignerSettings } from '../chains/signer/signer-settings.ts';
import { type HttpSettings, httpSettingsOf } from '../http/http-settings.ts';
import { type JobSettings, jobSettingsOf } from '../jobs/job-settings.ts';
import { type LogSettings, logSettingsOf } from '../lib/log-settings.ts';
import type { Mode } from '../lib/mode.ts';
import type { TracingSettings } from '../lib/opentelemetry.ts';
import type { ReadFile } from '../lib/settings/read-file.ts';
import { tracingSettingsOf } from '../lib/tracing-settings.ts';
import { NOUNS } from '../nouns.ts';
import { type PriceSettings, priceSettingsOf } from '../prices/price-settings.ts';
import { type RailSettings, railSettingsOf } from '../rails/rail-settings.ts';
import { type SandboxSettings, sandboxSettingsOf } from '../sandbox/sandbox-settings.ts';
import { type StorageSettings, storageSettingsOf } from '../storage/storage-settings.ts';
import { type Environment, readSettings, type Settings } from './read.ts';
import type { NounSettings, SettingValues } from './settings.ts';

type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

/** The parts of every noun. */
type OfNouns = All<ReturnType<NounSettings['of']>>;

export type Config = HttpSettings &
  StorageSettings &
  LogSettings &
  SandboxSettings &
  JobSettings &
  RailSettings &
  OfNouns & {
    readonly mode: Mode;
    /** Where traces are sent; absent, traces are not recorded. */
    readonly tracing?: TracingSettings;
    /** The keys that sign payouts. */
    readonly signers: readonly SignerSettings[];
    /** The networks that crypto is sent on. */
    readonly chains: readonly ChainSettings[];
    readonly prices: PriceSettings;
  };

/**
 * Throws a StartError that lists every fault, never with the value of a secret setting.
 *
 * @example
 * const config = readConfig(process.env);
 */
export function readConfig(environment: Environment, readFile?: ReadFile): Config {
  return configOf(readSettings(environment, readFile));
}

export function configOf({ values }: Settings): Config {
  const tracing = tracingSettingsOf(values);
  return Object.freeze({
    ...httpSettingsOf(values),
    ...storageSettingsOf(values),
    ...logSettingsOf(values),
    ...sandboxSettingsOf(values),
    ...jobSettingsOf(values),
    ...railSettingsOf(values),
    ...ofNouns(values),
    mode: values.TRILHO_MODE,
    ...(tracing && { tracing }),
    signers: values.TRILHO_SIGNERS ?? [],
    chains: values.TRILHO_CHAINS ?? [],
    prices: priceSettingsOf(values),
  });
}

function ofNouns(values: SettingValues): OfNouns {
  const parts = NOUNS.map(({ settings }) => settings?.of(values as never));
  // Each part is that of its noun, and the type collects the same nouns.
  return Object.assign({}, ...parts) as OfNouns;
}
