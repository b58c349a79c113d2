// The rails of a live service, from its settings.
import { StartError } from '../lib/errors.ts';
import { absentRail } from './absent.ts';
import { type BacenRail, loadRail } from './bacen/rail.ts';
import type { BacenSettings } from './bacen/settings.ts';
import type { ClientDeps } from './bank-client/settings.ts';
import { type BoletoApiEntry, type BoletoApiRail, loadBoletoApiRail } from './boleto-apis/load.ts';
import type { Receiver } from './br-code.ts';
import { type CnabEntry, loadCnabRail } from './cnab-boleto/load.ts';
import { sharedNumbers } from './number-ranges.ts';
import type { Method, Rail } from './rail.ts';
import type { Rails } from './rails.ts';
import { pixKeyRail } from './static-key/rail.ts';

/** Which charges an entry gets. */
type Share = { readonly accounts?: readonly string[]; readonly former?: true };

export type RailEntries = {
  readonly pixKey?: Receiver;
  readonly rails: readonly (BacenSettings & Share)[];
  readonly boletos: readonly (BoletoEntry & Share)[];
};

/** By files, or by the bank's API. */
type BoletoEntry = CnabEntry & { readonly api?: BoletoApiEntry['api'] };

export type LiveRails = {
  readonly rails: Rails;
  readonly psps: readonly BacenRail[];
  readonly boletoApis: readonly BoletoApiRail[];
  /** Closes idle connections to banks. */
  stop(): void;
};

/**
 * Charges go to the rail of their account, else to the first rail without accounts, else to the static pix key. A method
 * without a rail is refused when it is asked for. Throws a StartError with every fault.
 */
export function liveRails({ pixKey, rails, boletos }: RailEntries, deps: ClientDeps): LiveRails {
  const psps = openAll('rails', rails, entry => loadRail(entry, deps));
  const apis: BoletoApiRail[] = [];
  const agreements = openAll('boletos', boletos, (entry): Loaded<Rail<'boleto'>> => {
    const { api, ...byFile } = entry;
    if (!api) return loadCnabRail(byFile);
    const loaded = loadBoletoApiRail({ ...byFile, api }, deps);
    if ('rail' in loaded) apis.push(loaded.rail);
    return loaded;
  });
  const faults = [
    ...psps.faults,
    ...agreements.faults,
    ...sharedNames(rails, boletos),
    ...sharedRanges(boletos, agreements.opened),
  ];
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  const staticKey = pixKey ? pixKeyRail(pixKey) : undefined;
  const pix = shareOut<'pix'>(psps.opened);
  const boleto = shareOut<'boleto'>(agreements.opened);
  const general = {
    pix: pix.general ?? staticKey ?? absentRail('pix'),
    boleto: boleto.general ?? absentRail('boleto'),
  };
  const serving = new Set<Rail>([...Object.values(general), ...pix.ofAccounts.values(), ...boleto.ofAccounts.values()]);
  const all = [...(staticKey ? [staticKey] : []), ...psps.opened, ...agreements.opened].map(one =>
    'rail' in one ? one.rail : one,
  );
  const ofAccounts = joined(pix.ofAccounts, boleto.ofAccounts);
  return {
    rails: { ...general, ofAccounts, former: all.filter(rail => !serving.has(rail)) },
    psps: psps.opened.map(({ rail }) => rail),
    boletoApis: apis,
    stop: () => {
      for (const { rail } of psps.opened) rail.stop();
      for (const rail of apis) rail.stop();
    },
  };
}

/** What a bank tells is stored under the name of the rail alone. */
function sharedNames(rails: RailEntries['rails'], boletos: RailEntries['boletos']): string[] {
  return boletos.flatMap(({ name, api }, index) => {
    if (!api || !rails.some(rail => rail.name === name)) return [];
    return `boletos[${index}].name must differ from the names in rails.`;
  });
}

/** A former entry gives no more numbers: what it has given is compared with the database. */
function sharedRanges(boletos: RailEntries['boletos'], opened: readonly Opened<Rail<'boleto'>>[]): string[] {
  const giving = opened.flatMap(({ share, rail: { name, numbers } }) =>
    numbers && !share.former ? { index: boletos.findIndex(entry => entry.name === name), numbers } : [],
  );
  return giving.flatMap((one, place) =>
    giving.slice(place + 1).flatMap(other => {
      const shared = sharedNumbers(one.numbers, other.numbers);
      if (!shared) return [];
      return (
        `boletos[${one.index}] and boletos[${other.index}] are one agreement with the bank, and both would give the numbers ` +
        `${shared.first} to ${shared.last}: set firstNumber and lastNumber so that each number is of one entry.`
      );
    }),
  );
}

type Loaded<R> =
  | { readonly rail: R }
  | { readonly faults: readonly { readonly path: string; readonly message: string }[] };
type Opened<R> = { readonly share: Share; readonly rail: R };

function openAll<E extends Share, R>(
  section: string,
  entries: readonly E[],
  load: (entry: E) => Loaded<R>,
): { readonly opened: readonly Opened<R>[]; readonly faults: readonly string[] } {
  const loaded = entries.map(entry => ({ share: entry, result: load(entry) }));
  return {
    opened: loaded.flatMap(({ share, result }) => ('rail' in result ? { share, rail: result.rail } : [])),
    faults: loaded.flatMap(({ result }, index) =>
      'faults' in result ? result.faults.map(({ path, message }) => `${section}[${index}].${path} ${message}.`) : [],
    ),
  };
}

/** The first entry that names an account gets its charges, and the first that names none those of all other accounts. */
function shareOut<M extends Method>(
  opened: readonly Opened<Rail<M>>[],
): { readonly general: Rail<M> | undefined; readonly ofAccounts: ReadonlyMap<string, Rail<M>> } {
  const current = opened.filter(({ share }) => !share.former);
  const ofAccounts = new Map<string, Rail<M>>();
  for (const { share, rail } of current) {
    for (const accountId of share.accounts ?? []) {
      if (!ofAccounts.has(accountId)) ofAccounts.set(accountId, rail);
    }
  }
  return { general: current.find(({ share }) => !share.accounts)?.rail, ofAccounts };
}

function joined(
  pix: ReadonlyMap<string, Rail<'pix'>>,
  boleto: ReadonlyMap<string, Rail<'boleto'>>,
): NonNullable<Rails['ofAccounts']> {
  const accounts = new Set([...pix.keys(), ...boleto.keys()]);
  return new Map(
    [...accounts].map(accountId => {
      const own = { pix: pix.get(accountId), boleto: boleto.get(accountId) };
      return [accountId, { ...(own.pix && { pix: own.pix }), ...(own.boleto && { boleto: own.boleto }) }];
    }),
  );
}
