// Cold sweeps as rules: to which address the surplus of a sender goes, and how much of it. `sweep-to-cold.ts` makes one. Pure.
import { readPayee } from '../../chains/address.ts';
import { NETWORKS, type Network } from '../../chains/asset.ts';
import { type Chain, type Chains, type Funds, ownAddressesOf } from '../../chains/chain.ts';
import { coinOf, type SentSymbol } from '../../chains/networks.ts';
import { StartError } from '../../lib/errors.ts';
import type { PayoutSettings } from '../payout-settings.ts';

/** The account of alarms and cold sweeps, unless the settings name another. It need not exist. */
export const OPERATOR_ACCOUNT = 'operator';

export type ColdAddresses = { readonly [N in Network]?: string };

/** The cold addresses of the settings, in their canonical spelling. Throws a StartError that names every fault. */
export function openColdAddresses(settings: PayoutSettings['coldAddresses'] = {}, chains: Chains = {}): ColdAddresses {
  const own = ownAddressesOf(chains);
  const faults: string[] = [];
  const addresses = NETWORKS.flatMap(network => {
    const text = settings[network];
    if (text === undefined) return [];
    const { address, refusal } = readPayee(network, text, own);
    if (refusal) faults.push(`payouts.coldAddresses.${network} ${refusal.message}.`);
    return [[network, address] as const];
  });
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return Object.fromEntries(addresses);
}

/** What the sender must keep for open slots and payouts in line, in smallest units by asset. */
export type Needs = {
  readonly slots: number;
  readonly units: { readonly [S in SentSymbol]?: bigint };
};

/** Smallest units of an asset that nothing needs. Fees are reserved at their maximum. */
export function spareUnits(
  symbol: SentSymbol,
  { network, window }: Pick<Chain, 'network' | 'window'>,
  { asset, coin, worstFee }: Funds,
  { slots, units }: Needs,
): bigint {
  const { symbol: coinSymbol } = coinOf(network);
  const isCoin = coinSymbol === symbol;
  // When its coin is swept, the sender must still pay the fees of a full window of transfers.
  const fees = worstFee * BigInt(slots + 1 + (isCoin ? window : 0));
  const spareCoin = coin - (units[coinSymbol] ?? 0n) - fees;
  if (isCoin) return spareCoin > 0n ? spareCoin : 0n;
  const spare = asset - (units[symbol] ?? 0n);
  return spareCoin >= 0n && spare > 0n ? spare : 0n;
}
