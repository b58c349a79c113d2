// Every setting of the service, once: each room declares its own, and the table collects them. Reading, faults, `trilho config`,
// `.env.example` and docs/configuration.md come from it; after a change run `npm run docs -- settings`.
import { IDEMPOTENCY_SETTINGS } from '../accounts/idempotency-settings.ts';
import { CHAIN_SETTINGS } from '../chains/chain-settings.ts';
import { SIGNER_SETTINGS } from '../chains/signer/signer-settings.ts';
import { CHARGE_SETTINGS } from '../charges/charge-settings.ts';
import { EVENT_SETTINGS } from '../events/event-settings.ts';
import { HTTP_SETTINGS } from '../http/http-settings.ts';
import { JOB_SETTINGS } from '../jobs/job-settings.ts';
import { LOG_SETTINGS } from '../lib/log-settings.ts';
import { MODES, type Mode } from '../lib/mode.ts';
import { oneOf, text } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import { TRACING_SETTINGS } from '../lib/tracing-settings.ts';
import { ORDER_SETTINGS } from '../orders/order-settings.ts';
import { PAYOUT_SETTINGS } from '../payouts/payout-settings.ts';
import { PRICE_SETTINGS } from '../prices/price-settings.ts';
import { QUOTE_SETTINGS } from '../quotes/quote-settings.ts';
import { RAIL_SETTINGS } from '../rails/rail-settings.ts';
import { SANDBOX_SETTINGS } from '../sandbox/sandbox-settings.ts';
import { STORAGE_SETTINGS } from '../storage/storage-settings.ts';
import { WALLET_SETTINGS } from '../wallets/wallet-settings.ts';

/** The others are read by it, so it is read first. */
export const DEFAULT_MODE = 'sandbox' satisfies Mode;

/** Those of no room. */
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

export const SETTINGS = [
  ...HTTP_SETTINGS,
  ...STORAGE_SETTINGS,
  ...LOG_SETTINGS,
  ...OWN_SETTINGS,
  ...TRACING_SETTINGS,
  ...SANDBOX_SETTINGS,
  ...JOB_SETTINGS,
  ...IDEMPOTENCY_SETTINGS,
  ...EVENT_SETTINGS,
  ...CHARGE_SETTINGS,
  ...WALLET_SETTINGS,
  ...RAIL_SETTINGS,
  ...SIGNER_SETTINGS,
  ...CHAIN_SETTINGS,
  ...PAYOUT_SETTINGS,
  ...PRICE_SETTINGS,
  ...QUOTE_SETTINGS,
  ...ORDER_SETTINGS,
] as const satisfies readonly Setting[];

/** The value of every setting by its name. */
export type SettingValues = ValuesOf<typeof SETTINGS>;
