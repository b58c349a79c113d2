// What a sender has, and what a transfer may cost it.
import type { AssetSymbol } from '../asset.ts';
import type { Funds } from '../chain.ts';
import { balanceOfData } from './contracts.ts';
import { nextBid } from './fees.ts';
import type { Provider } from './provider.ts';
import { readQuantity, readWord } from './read.ts';
import { contractOf, type EvmPlan } from './settings.ts';
import { firstOf, saidValue, type Watch } from './watch.ts';

type Deps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan; readonly watch: Watch };

/** Undefined when no provider answers, or when the network does not have the asset. */
export async function funds(
  { providers, plan, watch }: Deps,
  sender: string,
  symbol: AssetSymbol,
): Promise<Funds | undefined> {
  const contract = contractOf(plan, symbol);
  if (contract === 'none') return undefined;
  const [balances, cost] = await Promise.all([
    firstOf(providers, provider => balancesOf(provider, sender, contract)),
    watch.cost(),
  ]);
  if (!balances || !cost) return undefined;
  const { transferGas } = plan.facts;
  const gas = contract === undefined ? transferGas.coin : transferGas.token;
  // Above the cap nothing is sent, so no more than the cap is paid.
  const price = nextBid(cost, plan.fees, [])?.maxFeePerGas ?? plan.fees.maxFee;
  return { ...balances, worstFee: gas * price + cost.l1Fee };
}

async function balancesOf(
  provider: Provider,
  sender: string,
  contract: string | undefined,
): Promise<{ readonly asset: bigint; readonly coin: bigint } | undefined> {
  const call = { to: contract, data: balanceOfData(sender) };
  const [coin, token] = await Promise.all([
    provider.ask('eth_getBalance', [sender, 'latest'], readQuantity).then(saidValue),
    contract === undefined ? undefined : provider.ask('eth_call', [call, 'latest'], readWord).then(saidValue),
  ]);
  const asset = contract === undefined ? coin : token;
  return coin === undefined || asset === undefined ? undefined : { asset, coin };
}
