// How much of each asset may leave on each network: by payout, by rolling day, and by rolling day to one address; for all accounts
// together, for one account, and for one key.
import { NETWORKS, type Network, SYMBOLS } from '../../chains/asset.ts';
import { decimalsOf, type SentSymbol, sentSymbolsOn } from '../../chains/networks.ts';
import { parseUnits } from '../../lib/decimals.ts';
import { StartError } from '../../lib/errors.ts';
import type { PayoutRequest } from '../payout.ts';
import { type LimitSettings, NO_LIMIT } from '../payout-settings.ts';
import { defaultLimitsOf } from './default-limits.ts';

/** Smallest units of one asset on one network. */
type AmountLimits = {
  readonly perPayout?: bigint;
  /** Payouts above it wait for an approval. */
  readonly approvalAbove?: bigint;
  readonly perDay?: bigint;
  readonly perDayToAddress?: bigint;
};

type AssetLimits = AmountLimits & {
  /** The least and the most that the sender should have; otherwise an alarm is raised. */
  readonly lowFunds?: bigint;
  readonly ceiling?: bigint;
};

/** Limits of a named account or key. `*` is for each that has no entry of its own. */
type NarrowLimits = ReadonlyMap<string, AmountLimits>;

type LimitsOfAsset = {
  readonly all: AssetLimits;
  readonly accounts: NarrowLimits;
  readonly keys: NarrowLimits;
};

/** By `usdt.polygon`. An asset without limits is absent. */
export type PayoutLimits = ReadonlyMap<string, LimitsOfAsset>;

const AMOUNT_FIELDS = ['perPayout', 'approvalAbove', 'perDay', 'perDayToAddress'] as const;
const ASSET_FIELDS = ['lowFunds', 'ceiling'] as const;
/** Fields that an entry for an account or a key cannot have. */
const FIELDS_OF_ASSETS = [...ASSET_FIELDS, 'minimum', 'networkFee'] as const;
const EACH = '*';

type Asset = { readonly symbol: SentSymbol; readonly network: Network };

/** The limits of an asset for all accounts together. */
export function limitsOf(limits: PayoutLimits, { symbol, network }: Asset): AssetLimits {
  return limits.get(`${symbol}.${network}`)?.all ?? {};
}

/** Limits that apply to a payout, and what counts toward them: all of the asset, or only that of one account or key. */
export type LimitRule = AmountLimits & { readonly of: Partial<Pick<PayoutRequest, 'accountId' | 'requestedBy'>> };

type Judged = Asset & Pick<PayoutRequest, 'accountId' | 'requestedBy'>;

/** All of them hold together. */
export function rulesFor(limits: PayoutLimits, { symbol, network, accountId, requestedBy }: Judged): LimitRule[] {
  const asset = limits.get(`${symbol}.${network}`);
  if (!asset) return [];
  const ofAccount = asset.accounts.get(accountId) ?? asset.accounts.get(EACH);
  const ofKey = requestedBy === undefined ? undefined : (asset.keys.get(requestedBy) ?? asset.keys.get(EACH));
  return [
    { ...asset.all, of: {} },
    ...(ofAccount ? [{ ...ofAccount, of: { accountId } }] : []),
    ...(ofKey && requestedBy !== undefined ? [{ ...ofKey, of: { requestedBy } }] : []),
  ];
}

/** Whether a second person must approve. */
export function isAboveApproval(limits: PayoutLimits, judged: Judged, units: bigint): boolean {
  const bounds = rulesFor(limits, judged).flatMap(({ perPayout, approvalAbove }) => [perPayout, approvalAbove]);
  return bounds.some(bound => bound !== undefined && units > bound);
}

/**
 * The limits of the settings. An entry without a network applies to each network of its asset that has no entry of its own, separately.
 * In live an asset without perPayout and perDay has small ones. Throws a StartError that names every fault.
 */
export function openLimits(settings: readonly LimitSettings[], mode: 'live' | 'sandbox' = 'sandbox'): PayoutLimits {
  const faults = settings.flatMap(({ symbol, network }) => {
    const homes = NETWORKS.filter(one => sentSymbolsOn(one).includes(symbol));
    const isHome = network === undefined || homes.includes(network);
    return isHome ? [] : [`payouts.limits of ${symbol}: network must be one that has ${symbol}: ${homes.join(', ')}.`];
  });
  for (const entry of settings) faults.push(...narrowFaults(entry));
  const assets = NETWORKS.flatMap(network => sentSymbolsOn(network).map(symbol => ({ symbol, network })));
  const limits = assets.flatMap(asset => {
    const all = entryOf(settings.filter(isOfAll), asset);
    const narrow = (field: 'accountId' | 'keyId') =>
      new Map(
        namesIn(settings, field).flatMap(name => {
          const own = settings.filter(entry => entry[field] === name);
          const entry = entryOf(own, asset);
          const id = field === 'keyId' && name !== EACH ? actorOf(name) : name;
          return entry ? [[id, amountsOf(entry, asset, AMOUNT_FIELDS, faults)] as const] : [];
        }),
      );
    const own = all && amountsOf(all, asset, [...AMOUNT_FIELDS, ...ASSET_FIELDS], faults);
    const found = {
      all: { ...(mode === 'live' && hasNoAmount(all) && defaultLimitsOf(asset)), ...own },
      accounts: narrow('accountId'),
      keys: narrow('keyId'),
    };
    const hasSome = Object.keys(found.all).length + found.accounts.size + found.keys.size > 0;
    return hasSome ? [[`${asset.symbol}.${asset.network}`, found] as const] : [];
  });
  if (faults.length > 0) throw new StartError([...new Set(faults)].join('\n'));
  return new Map(limits);
}

function hasNoAmount(entry: LimitSettings | undefined): boolean {
  return entry?.perPayout === undefined && entry?.perDay === undefined;
}

/** Assets on these networks with the small limits of live, since the settings have neither perPayout nor perDay. */
export function assetsOnDefaults(settings: readonly LimitSettings[], networks: readonly Network[]): Asset[] {
  const assets = networks.flatMap(network => sentSymbolsOn(network).map(symbol => ({ symbol, network })));
  return assets.filter(asset => hasNoAmount(entryOf(settings.filter(isOfAll), asset)));
}

function isOfAll({ accountId, keyId }: LimitSettings): boolean {
  return accountId === undefined && keyId === undefined;
}

function entryOf(settings: readonly LimitSettings[], { symbol, network }: Asset): LimitSettings | undefined {
  const ofSymbol = settings.filter(entry => entry.symbol === symbol);
  return ofSymbol.find(one => one.network === network) ?? ofSymbol.find(one => one.network === undefined);
}

function namesIn(settings: readonly LimitSettings[], field: 'accountId' | 'keyId'): string[] {
  return [...new Set(settings.flatMap(entry => entry[field] ?? []))];
}

/** The requester as in the audit log. A person is named in full, `person:…`. */
function actorOf(keyId: string): string {
  return keyId.includes(':') ? keyId : `key:${keyId}`;
}

function narrowFaults(entry: LimitSettings): string[] {
  const { symbol, accountId, keyId } = entry;
  if (!SYMBOLS.some(one => one === symbol)) {
    const wrong = FIELDS_OF_ASSETS.filter(field => entry[field] !== undefined);
    if (wrong.length > 0) {
      return wrong.map(
        field =>
          `payouts.limits of ${symbol}: ${field} is for an asset that can be bought, and ${symbol} only pays fees.`,
      );
    }
  }
  if (isOfAll(entry)) return [];
  const where = `payouts.limits of ${symbol} for ${accountId ?? keyId}`;
  if (accountId !== undefined && keyId !== undefined) return [`${where}: must have accountId or keyId, and not both.`];
  return FIELDS_OF_ASSETS.filter(field => entry[field] !== undefined).map(
    field => `${where}: ${field} is for an asset, and cannot be for an account or a key.`,
  );
}

function amountsOf<F extends keyof AssetLimits>(
  entry: LimitSettings,
  { symbol, network }: Asset,
  fields: readonly F[],
  faults: string[],
): { readonly [K in F]?: bigint } {
  const decimals = decimalsOf(symbol, network);
  const amounts = fields.flatMap(field => {
    const text: string | undefined = entry[field];
    if (text === undefined || text === NO_LIMIT) return [];
    const units = parseUnits(text, decimals);
    if (units !== undefined) return [[field, units] as const];
    faults.push(`payouts.limits of ${symbol}: ${field} must have at most ${decimals} decimals on ${network}.`);
    return [];
  });
  return Object.fromEntries(amounts) as { readonly [K in F]?: bigint };
}
