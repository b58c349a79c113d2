// The balances of a sender, and what a transfer may cost it.
import type { AssetSymbol } from '../asset.ts';
import type { Balance, Funds } from '../chain.ts';
import type { SentSymbol } from '../networks.ts';
import { balanceOfData } from './contracts.ts';
import { nextBid } from './fees.ts';
import type { Provider } from './provider.ts';
import { readQuantity, readWord } from './read.ts';
import { contractOf, type EvmPlan } from './settings.ts';
import { lowest, replyValue, type Watch } from './watch.ts';

type Deps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan; readonly watch: Watch };

/**
 * The lowest that any provider shows: one that lags still shows what is already spent. Undefined when no provider answers, or when the
 * network does not have the asset.
 */
export async function funds(
  { providers, plan, watch }: Deps,
  sender: string,
  symbol: SentSymbol,
): Promise<Funds | undefined> {
  const contract = contractOf(plan, symbol);
  if (contract === 'absent') return undefined;
  const [said, cost] = await Promise.all([
    Promise.all(providers.map(provider => balancesOf(provider, sender, contract))),
    watch.cost(),
  ]);
  const balances = said.filter(each => each !== undefined);
  const asset = lowest(balances.map(each => each.asset));
  const coin = lowest(balances.map(each => each.coin));
  if (asset === undefined || coin === undefined || !cost) return undefined;
  // Nothing is sent above the cap, so the cap is the most that is paid.
  const price = nextBid(cost, plan.fees, [])?.maxFeePerGas ?? plan.fees.maxFee;
  return { asset, coin, worstFee: plan.maxGas * price + cost.l1Fee };
}

async function balancesOf(
  provider: Provider,
  sender: string,
  contract: string | undefined,
): Promise<{ readonly asset: bigint; readonly coin: bigint } | undefined> {
  const [coin, token] = await Promise.all([
    balanceAt(provider, sender, undefined, 'latest'),
    contract === undefined ? undefined : balanceAt(provider, sender, contract, 'latest'),
  ]);
  const asset = contract === undefined ? coin : token;
  return coin === undefined || asset === undefined ? undefined : { asset, coin };
}

/**
 * At the newest block whose transfers count as done: nodes keep the state of at least the last 128 blocks, and the final block may be
 * older.
 */
export async function balanceOf(
  { plan, watch }: Pick<Deps, 'plan' | 'watch'>,
  sender: string,
  asset: AssetSymbol | 'coin',
): Promise<Balance | undefined> {
  const contract = asset === 'coin' ? undefined : contractOf(plan, asset);
  if (contract === 'absent') return undefined;
  for (const { provider, head } of await watch.views(sender)) {
    const newest = head.number - BigInt(plan.depth - 1);
    const block = newest < 0n ? 0n : newest;
    const units = await balanceAt(provider, sender, contract, `0x${block.toString(16)}`);
    if (units !== undefined) return { units, block: Number(block) };
  }
  return undefined;
}

/** Without a contract: of the coin. */
async function balanceAt(
  provider: Provider,
  sender: string,
  contract: string | undefined,
  block: string,
): Promise<bigint | undefined> {
  if (contract === undefined) return replyValue(await provider.ask('eth_getBalance', [sender, block], readQuantity));
  const call = { to: contract, data: balanceOfData(sender) };
  return replyValue(await provider.ask('eth_call', [call, block], readWord));
}
