// The rails of a live service, from its settings.
import { StartError } from '../lib/errors.ts';
import { absentRail } from './absent.ts';
import type { ClientDeps } from './bank-client/settings.ts';
import type { WebhookAdmin } from './bank-client/webhook.ts';
import { type PlacedEntry, placedEntries, type RailSections } from './entries.ts';
import type { OpenedRail, RailKind } from './kind.ts';
import { RAIL_KINDS } from './kinds.ts';
import { METHODS, type Method } from './methods/methods.ts';
import { sharedNumbers } from './number-ranges.ts';
import type { Rail } from './rail.ts';
import type { Rails } from './rails.ts';

/** A bank with an API. */
export type Bank = {
  readonly name: string;
  certificateEnd(): Date | undefined;
  /** Absent where the bank sends no notifications. */
  readonly webhook?: WebhookAdmin;
};

type LiveRails = {
  readonly rails: Rails;
  readonly banks: readonly Bank[];
  /** Closes idle connections to banks. */
  stop(): void;
};

/**
 * Charges go to the rail of their account, else to the first rail without accounts, the static pix key last. A method without a rail is
 * refused when a charge asks for it. Throws a StartError with every fault.
 */
export function liveRails(sections: RailSections, deps: ClientDeps, kinds = RAIL_KINDS): LiveRails {
  const entries = placedEntries(sections, kinds);
  const results = entries.map(placed => ({ placed, result: openEntry(placed, deps) }));
  const opened = results.flatMap(({ placed, result }) => ('rail' in result ? { placed, ...result } : []));
  const faults = [
    ...results.flatMap(({ placed, result }) =>
      'rail' in result ? [] : result.faults.map(({ path, message }) => `${placed.place}.${path} ${message}.`),
    ),
    ...sharedNames(entries),
    ...sharedRanges(opened),
  ];
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return {
    rails: shareOut(opened),
    banks: opened.flatMap(({ placed: { kind }, rail: { name, certificateEnd }, webhook }) =>
      kind?.bank ? { name, certificateEnd: () => certificateEnd?.(), ...(webhook && { webhook }) } : [],
    ),
    stop: () => {
      for (const { stop } of opened) stop?.();
    },
  };
}

type Opened = OpenedRail & { readonly placed: PlacedEntry };

function openEntry({ kind, entry }: PlacedEntry, deps: ClientDeps): ReturnType<RailKind['open']> {
  return kind?.open(entry, deps) ?? { faults: [{ path: 'profile', message: 'is not a known profile' }] };
}

/** What a bank reports is stored under the name of the rail. */
function sharedNames(entries: readonly PlacedEntry[]): string[] {
  const called = entries.filter(({ kind }) => kind?.bank);
  return called.flatMap(({ kind, entry, place }, index) => {
    const isTaken = called.slice(0, index).some(other => other.entry.name === entry.name);
    if (!isTaken || kind?.section !== 'boletos') return [];
    return `${place}.name must differ from the names in rails.`;
  });
}

/** A former entry gives no more numbers; those it gave are compared with the database. */
function sharedRanges(opened: readonly Opened[]): string[] {
  const giving = opened.flatMap(({ placed: { entry, place }, rail: { numbers } }) =>
    numbers && !entry.former ? { place, numbers } : [],
  );
  return giving.flatMap((one, index) =>
    giving.slice(index + 1).flatMap(other => {
      const shared = sharedNumbers(one.numbers, other.numbers);
      if (!shared) return [];
      return (
        `${one.place} and ${other.place} are one agreement with the bank, and both would give the numbers ` +
        `${shared.first} to ${shared.last}: set firstNumber and lastNumber so that their ranges do not overlap.`
      );
    }),
  );
}

/** The first entry that names an account gets its charges, and the first that names no account gets those of all others. */
function shareOut(opened: readonly Opened[]): Rails {
  const current = opened.filter(({ placed }) => !placed.entry.former);
  const general = Object.fromEntries(
    METHODS.map(method => {
      const first = current.find(({ rail, placed }) => rail.method === method && !placed.entry.accounts);
      return [method, first?.rail ?? absentRail(method)];
    }),
  );
  const ofAccounts = new Map<string, Partial<Record<Method, Rail>>>();
  for (const { placed, rail } of current) {
    for (const accountId of placed.entry.accounts ?? []) {
      ofAccounts.set(accountId, { [rail.method]: rail, ...ofAccounts.get(accountId) });
    }
  }
  const serving = new Set([...Object.values(general), ...[...ofAccounts.values()].flatMap(own => Object.values(own))]);
  const former = opened.map(({ rail }) => rail).filter(rail => !serving.has(rail));
  // Each rail stands under its own method, which TypeScript does not see.
  return { ...(general as RailsOfMethods), ofAccounts: ofAccounts as OfAccounts, former };
}

type RailsOfMethods = Pick<Rails, Method>;
type OfAccounts = NonNullable<Rails['ofAccounts']>;
