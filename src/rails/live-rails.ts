// The rails of a live service, from its settings.
import { StartError } from '../lib/errors.ts';
import { absentRail } from './absent.ts';
import { type BacenRail, loadRail } from './bacen/rail.ts';
import type { BacenDeps, BacenSettings } from './bacen/settings.ts';
import type { Receiver } from './br-code.ts';
import { pixKeyRail } from './pix-key.ts';
import type { Rail, Rails } from './rail.ts';

/** An entry of `rails`, and which charges it gets. */
type Entry = BacenSettings & { readonly accounts?: readonly string[]; readonly former?: true };

export type LiveRails = {
  readonly rails: Rails;
  readonly psps: readonly BacenRail[];
};

/**
 * Charges go to the rail of their account, else to the first rail without accounts, else to the static pix key. A method
 * without a rail is refused when it is asked for. Throws a StartError with every fault.
 */
export function liveRails(
  { pixKey, rails: entries }: { readonly pixKey?: Receiver; readonly rails: readonly Entry[] },
  deps: BacenDeps,
): LiveRails {
  const loaded = entries.map(entry => ({ entry, ...loadRail(entry, deps) }));
  const faults = loaded.flatMap((result, index) =>
    'faults' in result ? result.faults.map(({ path, message }) => `rails[${index}].${path} ${message}.`) : [],
  );
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  const opened = loaded.flatMap(result => ('rail' in result ? { entry: result.entry, rail: result.rail } : []));
  const current = opened.filter(({ entry }) => !entry.former);
  const staticKey = pixKey ? pixKeyRail(pixKey) : undefined;
  const general = current.find(({ entry }) => !entry.accounts)?.rail;
  const pix = general ?? staticKey ?? absentRail('pix');
  const ofAccounts = new Map<string, { readonly pix: Rail<'pix'> }>();
  for (const { entry, rail } of current) {
    for (const accountId of entry.accounts ?? []) {
      if (!ofAccounts.has(accountId)) ofAccounts.set(accountId, { pix: rail });
    }
  }
  const serving = new Set<Rail>([pix, ...[...ofAccounts.values()].map(own => own.pix)]);
  const former = [...(staticKey ? [staticKey] : []), ...opened.map(({ rail }) => rail)].filter(
    rail => !serving.has(rail),
  );
  return {
    rails: { pix, boleto: absentRail('boleto'), ofAccounts, former },
    psps: opened.map(({ rail }) => rail),
  };
}
