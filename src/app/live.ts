// The composition of live: real rails and chains, the time of the database's machine, and API keys.
import { openedAccounts } from '../accounts/require.ts';
import { requireUsableKey } from '../accounts/require-key.ts';
import type { Chains } from '../chains/chain.ts';
import { STRICT_CHARGE_RULES } from '../charges/create/check.ts';
import { configuredRates } from '../charges/rate.ts';
import { warnOfNoReceiver } from '../http/open-receiver.ts';
import type { Log } from '../lib/log.ts';
import { warnOfDefaultLimits } from '../payouts/policy/default-limits.ts';
import { assetsOnDefaults } from '../payouts/policy/limits.ts';
import { httpPrices } from '../prices/http.ts';
import { isAbsent } from '../rails/absent.ts';
import { calledEntries } from '../rails/entries.ts';
import { liveRails } from '../rails/live-rails.ts';
import { METHODS } from '../rails/methods/methods.ts';
import type { Rails } from '../rails/rails.ts';
import type { Compose } from './composition.ts';

export const composeLive: Compose = async (config, { db, log, databaseClock, opened, overrides, stops }) => {
  await requireUsableKey(db, databaseClock.now());
  const live = overrides.rails
    ? { rails: overrides.rails, stop: () => {} }
    : liveRails(config, { clock: databaseClock, log }, overrides.railKinds);
  const { rails } = live;
  stops.add(async () => live.stop());
  const chains = overrides.chains ?? opened;
  const hasPrices = overrides.prices !== undefined || config.prices.sources.length > 0;
  warnOfMissing({ rails, chains, hasPrices }, log);
  warnOfNoReceiver(calledEntries(config, overrides.railKinds), config.receiver, log);
  const networks = Object.values(chains).map(({ network }) => network);
  warnOfDefaultLimits(log, assetsOnDefaults(config.payouts.limits ?? [], networks));
  return {
    clock: databaseClock,
    rails,
    chains,
    prices: overrides.prices ?? httpPrices({ log }, config.prices),
    rates: configuredRates(config.rates, 'configured'),
    accounts: openedAccounts,
    chargeRules: STRICT_CHARGE_RULES,
    requiresKeys: true,
    allowsLocal: false,
  };
};

type Outside = { readonly rails: Rails; readonly chains: Chains; readonly hasPrices: boolean };

/** Without them a live service starts and refuses what needs them; the log warns before the first caller notices. */
function warnOfMissing({ rails, chains, hasPrices }: Outside, log: Log): void {
  if (METHODS.every(method => isAbsent(rails[method]))) {
    log.warn(
      'there is no rail: every charge is refused until rails or boletos in TRILHO_CONFIG, or TRILHO_PIX_KEY, are set',
    );
  }
  if (!hasPrices) log.warn('there is no price source: every quote is refused until TRILHO_PRICE_SOURCES is set');
  if (Object.keys(chains).length === 0) {
    log.warn('there is no chain: every order is refused until chains in TRILHO_CONFIG are set');
  }
}
