// What wallets give the service.
import { WALLET_SCHEMAS } from '../api/wallets.ts';
import { walletActionRoutes } from '../http/routes/wallet-actions.ts';
import { walletRoutes } from '../http/routes/wallets.ts';
import type { Module } from '../module.ts';
import { walletPages } from '../web/dashboard/wallets.ts';

type Deps = Parameters<typeof walletRoutes>[1] & Parameters<typeof walletActionRoutes>[1];

export function walletsModule(deps: Deps): Module {
  return {
    schemas: WALLET_SCHEMAS,
    routes: app => {
      walletRoutes(app, deps);
      walletActionRoutes(app, deps);
    },
    dashboard: (scope, pages) => walletPages(scope, { ...pages, approvalRules: deps.approvalRules }),
  };
}
