// Every setting of the service, once: each room declares its own, nouns in their `noun.ts`, and the table collects them. Reading, faults, `trilho config`,
// `.env.example` and docs/configuration.md come from it; after a change run `npm run docs -- settings`.
import { CHAIN_SETTINGS } from '../chains/chain-settings.ts';
import { SIGNER_SETTINGS } from '../chains/signer/signer-settings.ts';
import { HTTP_SETTINGS } from '../http/http-settings.ts';
import { JOB_SETTINGS } from '../jobs/job-settings.ts';
import { LOG_SETTINGS } from '../lib/log-settings.ts';
import { MODES, type Mode } from '../lib/mode.ts';
import { oneOf, text } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import { TRACING_SETTINGS } from '../lib/tracing-settings.ts';
import { NOUNS, type SHIPPED } from '../nouns.ts';
import { PRICE_SETTINGS } from '../prices/price-settings.ts';
import { RAIL_SETTINGS } from '../rails/rail-settings.ts';
import { SANDBOX_SETTINGS } from '../sandbox/sandbox-settings.ts';
import { STORAGE_SETTINGS } from '../storage/storage-settings.ts';

/** Read first, since the reading of the others depends on it. */
export const DEFAULT_MODE = 'sandbox' satisfies Mode;

/** Settings that belong to no room. */
const OWN_SETTINGS = [
  {
    name: 'TRILHO_CONFIG',
    kind: text('a path to a JSON file'),
    meaning: 'File with the structured settings.',
  },
  {
    name: 'TRILHO_MODE',
    kind: oneOf(MODES),
    default: DEFAULT_MODE,
    meaning: 'What the service is for. Live needs an API key: trilho accounts create, then trilho keys create.',
  },
] as const satisfies readonly Setting[];

/** What the nouns that have settings declare. */
export type NounSettings = Extract<(typeof SHIPPED)[number], { readonly settings: object }>['settings'];

// The nouns are those of the type, so their settings are too.
const OF_NOUNS = NOUNS.flatMap(({ settings }) => settings?.table ?? []) as readonly NounSettings['table'][number][];

export const SETTINGS = [
  ...HTTP_SETTINGS,
  ...STORAGE_SETTINGS,
  ...LOG_SETTINGS,
  ...OWN_SETTINGS,
  ...TRACING_SETTINGS,
  ...SANDBOX_SETTINGS,
  ...JOB_SETTINGS,
  ...RAIL_SETTINGS,
  ...SIGNER_SETTINGS,
  ...CHAIN_SETTINGS,
  ...PRICE_SETTINGS,
  ...OF_NOUNS,
] as const satisfies readonly Setting[];

/** The value of every setting by its name. */
export type SettingValues = ValuesOf<typeof SETTINGS>;
