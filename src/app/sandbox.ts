// The composition of a sandbox: a simulated bank and simulated chains, a clock that can be moved, and no credentials. Test nodes can
// replace simulated networks.
import { configuredRates } from '../charges/rate.ts';
import { sandboxAccounts } from '../sandbox/accounts.ts';
import { customersOf, sandboxRailsWith } from '../sandbox/agreements.ts';
import { sandboxChains } from '../sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../sandbox/chains/store.ts';
import { sandboxClock } from '../sandbox/clock/sandbox-clock.ts';
import { tablePrices } from '../sandbox/prices.ts';
import { sandboxRoutes } from '../sandbox/routes/routes.ts';
import { SANDBOX_CHARGE_RULES } from '../sandbox/rules.ts';
import type { Compose } from './composition.ts';

export const composeSandbox: Compose = async (config, { db, log, databaseClock, opened, overrides }) => {
  const clock = sandboxClock(db, databaseClock);
  const chainStore = sandboxChainStore(db);
  const simulated = sandboxChains({ clock, store: chainStore });
  return {
    clock,
    beforeWork: clock.refresh,
    rails: overrides.rails ?? sandboxRailsWith(config.boletos, { clock, log }),
    chains: overrides.chains ?? { ...simulated, ...opened },
    prices: overrides.prices ?? tablePrices({ reais: config.prices.table, rates: config.rates }),
    rates: configuredRates(config.rates, 'sandbox'),
    accounts: sandboxAccounts,
    chargeRules: SANDBOX_CHARGE_RULES,
    requiresKeys: false,
    allowsLocal: true,
    routes: (server, deps) =>
      sandboxRoutes(server, {
        ...deps,
        clock,
        chainStore,
        testNetworks: Object.keys(opened),
        customers: customersOf(config.boletos),
      }),
  };
};
