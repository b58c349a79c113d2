// What accounts give the service: settings, keys, people and their pages.
import { ACCOUNT_SETTINGS_SCHEMAS } from '../api/account-settings.ts';
import { KEY_SCHEMAS } from '../api/keys.ts';
import { PEOPLE_SCHEMAS } from '../api/people.ts';
import { accountSettingsRoutes } from '../http/routes/account-settings.ts';
import { accountRoutes } from '../http/routes/accounts.ts';
import { keyRoutes } from '../http/routes/keys.ts';
import { peopleRoutes } from '../http/routes/people.ts';
import type { Module } from '../module.ts';
import { accountPages } from '../web/dashboard/accounts.ts';
import { keyPages } from '../web/dashboard/keys.ts';
import { peoplePages } from '../web/dashboard/people.ts';
import type { IdempotencySettings } from './idempotency-settings.ts';
import type { PeopleDeps } from './people/invite.ts';
import { pruneIdempotencyKeys } from './prune-keys.ts';

export function accountsModule(deps: PeopleDeps, { keepIdempotencyKeys }: IdempotencySettings): Module {
  return {
    prunes: [pruneIdempotencyKeys(keepIdempotencyKeys)],
    schemas: [...ACCOUNT_SETTINGS_SCHEMAS, ...KEY_SCHEMAS, ...PEOPLE_SCHEMAS],
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
