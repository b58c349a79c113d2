// Routes of account settings: what payers see of an account.
import type { FastifyInstance } from 'fastify';
import { requireSettings, updateSettings } from '../../accounts/update-settings.ts';
import {
  ACCOUNT_SETTINGS_EXAMPLE,
  AccountSettingsBody,
  AccountSettingsView,
  settingsView,
} from '../../api/account-settings.ts';
import { Text } from '../../api/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

const tag = 'Accounts';
const path = pathOf({ id: Text({ description: 'The id of the account.' }) }, { id: 'account' });
const answer = ok(AccountSettingsView, 'The settings as they are then', ACCOUNT_SETTINGS_EXAMPLE);

export function accountSettingsRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/accounts/:id/settings',
    operationId: 'getAccountSettings',
    summary: 'Read the settings of an account',
    tag,
    path,
    answer,
    handle: async ({ path: { id: asked }, caller }) => {
      const accountId = accountOf(caller, asked);
      return settingsView(accountId, await requireSettings(deps.db, accountId));
    },
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/accounts/:id/settings',
    operationId: 'changeAccountSettings',
    summary: 'Change the settings of an account',
    description:
      'The look and the links of checkouts. Absent fields stay; null removes a value. A person must have shown a passkey within five minutes.',
    tag,
    path,
    body: AccountSettingsBody,
    answer,
    handle: async ({ path: { id: asked }, body, caller }) => {
      const accountId = accountOf(caller, asked);
      return settingsView(accountId, await updateSettings(deps, accountId, body));
    },
  });
}
