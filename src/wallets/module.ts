// What wallets give the service.
import { walletActionRoutes } from '../http/routes/wallet-actions.ts';
import { walletRoutes } from '../http/routes/wallets.ts';
import type { Module } from '../module.ts';
import { walletPages } from '../web/dashboard/wallets.ts';
import type { CreateWalletDeps } from './create.ts';

type Deps = CreateWalletDeps & Parameters<typeof walletActionRoutes>[1] & { readonly pageSize: number };

export function walletsModule(deps: Deps): Module {
  return {
    routes: app => {
      walletRoutes(app, deps);
      walletActionRoutes(app, deps);
    },
    dashboard: walletPages,
  };
}
