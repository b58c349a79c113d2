// The calls of Pix Automático at a PSP of the norm, for an account that may use it.
import type { AutomaticCalls } from '../../automatic.ts';
import type { Client } from '../../bank-client/client.ts';
import type { AutomaticSettings, FullProfile } from '../settings.ts';
import { collectionsAt } from './collections.ts';
import { listsAt } from './lists.ts';
import { recurrencesAt } from './recurrences.ts';
import { automaticHintsIn, automaticWebhooksAt } from './webhooks.ts';

/** What PSPs publish: from ten to two days before the due day, and until ten in the evening of the day before it. */
const WINDOW = { earliestDays: 10, latestDays: 2, cancelUntilHour: 22 };

export function automaticAt(
  settings: AutomaticSettings,
  profile: FullProfile,
  client: Pick<Client, 'call'>,
): AutomaticCalls {
  const { earliestDays, latestDays, cancelUntilHour } = { ...WINDOW, ...settings };
  return {
    window: { earliestDays, latestDays, cancelUntilHour },
    ...recurrencesAt(client),
    ...collectionsAt(settings, client),
    ...listsAt(profile, client),
    ...automaticWebhooksAt(profile, client),
    hints: automaticHintsIn,
  };
}
