// The kind of rail whose PSP speaks the Pix API of the Central Bank.
import type { CalledBank, RailKind } from '../kind.ts';
import { diagnoseRail } from './diagnose.ts';
import { type BacenEntry, bacenEntry, normalEntry } from './entry.ts';
import { PROFILES, type PspProfiles } from './profiles.ts';
import { BACEN_CAN, loadRail } from './rail.ts';

/** `profiles`: the PSPs that entries can name. */
export function bacenKind(profiles: PspProfiles = PROFILES): RailKind {
  const names = Object.keys(profiles);
  const bank: CalledBank = {
    of: (entry: BacenEntry) => entry,
    // An operator may have registered the address by hand.
    isHeard: () => true,
    webhookFields: ['baseUrl', 'webhook.url', 'pixKey'],
    diagnose: ({ webhook: _, ...entry }: BacenEntry, deps, { webhookUrl, triesCharge = false }) =>
      diagnoseRail(
        { ...entry, ...(webhookUrl !== undefined && { webhook: { url: webhookUrl } }) },
        { ...deps, profiles },
        { triesCharge },
      ),
  };
  return {
    name: 'bacen',
    method: 'pix',
    section: 'rails',
    profiles: names,
    entry: bacenEntry(names),
    normal: (entry: BacenEntry) => normalEntry(entry),
    takes: ({ profile }) => profile !== undefined && names.includes(profile),
    can: BACEN_CAN,
    bank,
    describe: ({ profile, environment }: BacenEntry) => `${profile} (${environment})`,
    open: (entry: BacenEntry, deps) => {
      const loaded = loadRail(entry, { ...deps, profiles });
      if ('faults' in loaded) return loaded;
      const { registerWebhook, readWebhook, stop, ...rail } = loaded.rail;
      return { rail, webhook: { registerWebhook, readWebhook }, stop };
    },
  };
}
