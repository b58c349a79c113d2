// Compares the recorded balances of a sender with the books: what left between two records must be payouts and their fees. This finds
// what no log and no slot shows, such as coin that left by another use of the key, or before a backup was restored.
import { symbolsOn } from '../../chains/asset.ts';
import type { Balance, Chain } from '../../chains/chain.ts';
import { coinOf, decimalsOf, type SentSymbol } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Sql } from '../../storage/database.ts';
import { noteBalance, readBalances } from '../store/balances.ts';
import { type Difference, type Explanations, explained, spanSubject } from './explanation.ts';
import { type Found, NOTHING } from './record.ts';

/** What a payout took from its sender, and in which block. */
export type Spent = {
  readonly symbol: SentSymbol;
  readonly block: number;
  readonly leftUnits: bigint;
  readonly feeUnits: bigint;
};

type Held = {
  readonly symbol: SentSymbol;
  readonly decimals: number;
  /** Undefined when no node answers. */
  readonly now: Balance | undefined;
};

/** The balances of the sender on the chain: the coin and each token. Empty on a chain that keeps no balances. */
export async function askBalances(chain: Chain, sender: string): Promise<Held[]> {
  const { network, balance } = chain;
  if (!balance) return [];
  const held: Held[] = [{ ...coinOf(network), now: await balance(sender, 'coin') }];
  for (const symbol of symbolsOn(network).filter(one => chain.placeOf(one).token !== undefined)) {
    held.push({ symbol, decimals: decimalsOf(symbol, network), now: await balance(sender, symbol) });
  }
  return held;
}

type Books = {
  readonly spent: readonly Spent[];
  readonly explanations: Explanations;
  /** Nothing else shows what left before the first record. */
  readonly needsNote: boolean;
};

/** Records the present balances, and compares all recorded balances with what the payouts took. */
export async function compareBalances(
  db: Sql,
  { network }: Chain,
  sender: string,
  balances: readonly Held[],
  { spent, explanations, needsNote }: Books,
): Promise<Found> {
  const [left, notes, unanswered]: [Difference[], string[], string[]] = [[], [], []];
  for (const { symbol, decimals, now } of balances) {
    if (!now) {
      unanswered.push(`no node reports its balance of ${symbol}`);
      continue;
    }
    await noteBalance(db, network, sender, symbol, now);
    const noted = await readBalances(db, network, sender, symbol);
    if (needsNote && noted.length < 2) {
      unanswered.push(
        `no earlier check recorded its balance of ${symbol}: what left before block ${now.block} is not compared`,
      );
    }
    const isCoin = symbol === coinOf(network).symbol;
    for (const [index, until] of noted.entries()) {
      const since = noted[index - 1];
      if (!since) continue;
      const between = spent.filter(({ block }) => block > since.block && block <= until.block);
      const unexplained = since.units - until.units - taken(between, symbol, isCoin);
      const amount = formatUnits(unexplained < 0n ? -unexplained : unexplained, decimals);
      const when = `between the blocks ${since.block} and ${until.block}`;
      if (unexplained > 0n) {
        const subjects = [spanSubject({ amount, symbol, fromBlock: since.block, toBlock: until.block })];
        left.push({ message: `${amount} ${symbol} left ${when}, and the books do not have it`, subjects });
      }
      if (unexplained < 0n) notes.push(`${amount} ${symbol} came in ${when}`);
    }
  }
  const judged = explained(left, explanations);
  return { ...NOTHING, differences: judged.differences, notes: [...notes, ...judged.notes], unanswered };
}

/** Fees are paid in the coin. */
function taken(spent: readonly Spent[], symbol: string, isCoin: boolean): bigint {
  return spent.reduce(
    (sum, one) => sum + (one.symbol === symbol ? one.leftUnits : 0n) + (isCoin ? one.feeUnits : 0n),
    0n,
  );
}
