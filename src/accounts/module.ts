// What accounts give the service: settings, keys, people and their pages.
import type { Config } from '../config/config.ts';
import { accountSettingsRoutes } from '../http/routes/account-settings.ts';
import { accountRoutes } from '../http/routes/accounts.ts';
import { keyRoutes } from '../http/routes/keys.ts';
import { peopleRoutes } from '../http/routes/people.ts';
import type { Module } from '../module.ts';
import { accountPages } from '../web/dashboard/accounts.ts';
import { keyPages } from '../web/dashboard/keys.ts';
import { peoplePages } from '../web/dashboard/people.ts';
import type { PeopleDeps } from './people/invite.ts';
import { pruneIdempotencyKeys } from './prune-keys.ts';

type Settings = Pick<Config, 'retention'>;

export function accountsModule(deps: PeopleDeps, { retention }: Settings): Module {
  return {
    prunes: [pruneIdempotencyKeys(retention.idempotencyKeys)],
    routes: app => {
      accountSettingsRoutes(app, deps);
      accountRoutes(app, deps);
      keyRoutes(app, deps);
      peopleRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      accountPages(scope, pages);
      keyPages(scope, pages);
      peoplePages(scope, pages);
    },
  };
}
