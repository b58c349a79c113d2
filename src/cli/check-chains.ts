// The part of trilho ledger check that asks the chains: compares what left each sender with the books.
import { NETWORKS, type Network } from '../chains/asset.ts';
import type { Chains } from '../chains/chain.ts';
import { decimalsOf } from '../chains/networks.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { formatUnits } from '../lib/decimals.ts';
import type { Log } from '../lib/log.ts';
import { ORDER_RECORDS } from '../orders/payout-owner.ts';
import { findOrdersLike, firstOrderAt } from '../orders/store-like.ts';
import { compareSender, paidTwice, type SenderComparison } from '../payouts/compare/chain.ts';
import type { OwnedTransfer } from '../payouts/compare/record.ts';
import { networksInUse } from '../payouts/line/networks-in-use.ts';
import { markCompared } from '../payouts/store/restores.ts';
import { readSenders } from '../payouts/store/senders.ts';
import type { Database } from '../storage/database.ts';
import { openChainsOfService } from './open-chains.ts';

type Deps = { readonly config: Config; readonly log: Log; readonly db: Database; readonly clock: Clock };

const MAX_SHOWN = 50;
/** At most this many orders are named beside a transfer of their amount to their address. */
const MAX_LIKE = 3;

/** Prints the comparison; true when nothing differs and everything was answered. */
export async function checkChains(deps: Deps): Promise<boolean> {
  const chains = await openChainsOfService(deps.config, deps, deps.log);
  const startedAt = new Date();
  const since = await firstOrderAt(deps.db);
  const senders = await allSenders(deps.db, chains);
  const moved: OwnedTransfer[] = [];
  let isRight = true;
  for (const { network, sender, isStored } of senders) {
    const chain = chains[network];
    const compared = chain && (await compareSender({ ...deps, payoutOwner: ORDER_RECORDS }, chain, sender, since));
    const lines = compared
      ? [...reportOf(compared), ...(await suggestions(deps.db, network, compared, isStored))]
      : ['  NOT CHECKED: no chain is configured for it'];
    console.log(`${network} ${sender}`);
    for (const line of lines) console.log(line);
    moved.push(...(compared?.moved ?? []));
    isRight &&= !lines.some(line => /^ {2}(DIFFERS|NOT CHECKED)/.test(line));
  }
  const idle = NETWORKS.filter(network => !senders.some(sender => sender.network === network));
  for (const network of await networksInUse({ ...deps, payoutOwner: ORDER_RECORDS }, idle)) {
    console.log(`${network}\n  NOT CHECKED: orders wait there, and no chain is configured for it`);
    isRight = false;
  }
  const twice = paidTwice(moved, ORDER_RECORDS.noun);
  for (const sentence of twice) console.log(`DIFFERS: ${sentence}`);
  isRight &&= twice.length === 0;
  if (isRight) await markCompared(deps.db, { until: startedAt, at: deps.clock.now() });
  console.log(isRight ? 'The books agree with the chains.' : 'The books do not agree with the chains.');
  return isRight;
}

/** The senders of the books, and those of the settings: a database may be older than the first transfer. */
async function allSenders(db: Database, chains: Chains) {
  const stored = await readSenders(db);
  const configured = Object.values(chains).flatMap(({ network, senders }) =>
    senders.map(sender => ({ network, sender, isStored: false })),
  );
  const isNew = (one: (typeof configured)[number]) =>
    !stored.some(({ network, sender }) => network === one.network && sender === one.sender);
  return [...stored.map(one => ({ ...one, isStored: true })), ...configured.filter(isNew)];
}

/** The orders that a transfer outside the books may belong to, and what to do. */
async function suggestions(
  db: Database,
  network: Network,
  { strangers, differences }: SenderComparison,
  isStored: boolean,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { hash, symbol, to, units } of strangers.slice(0, MAX_SHOWN)) {
    const quantity = formatUnits(units, decimalsOf(symbol, network));
    const like = await findOrdersLike(db, { network, symbol, quantity, to: to.toLowerCase() }, MAX_LIKE);
    const open = like.filter(({ isFulfilled }) => !isFulfilled);
    const isNamed = differences.some(message => message.includes(hash));
    if (open.length > 0 && !isStored && !isNamed)
      lines.push(`  DIFFERS: ${quantity} ${symbol} left to ${to} in ${hash}`);
    for (const { id } of open) {
      lines.push(`  ${hash} may have paid order ${id}: trilho payouts settle ${id} --as paid --hash ${hash}`);
    }
    if (open.length === 0 && isStored) {
      for (const { id } of like)
        lines.push(`  ${hash} has the amount and the address of order ${id}, which is fulfilled`);
    }
  }
  return lines;
}

function reportOf({ settled, underWay, differences, unanswered, notes }: SenderComparison): string[] {
  const counted = `  ${settled} payouts are compared${underWay > 0 ? `, ${underWay} are under way` : ''}`;
  const marked = (mark: string, sentences: readonly string[]) => [
    ...sentences.slice(0, MAX_SHOWN).map(sentence => `  ${mark}${sentence}`),
    ...(sentences.length > MAX_SHOWN ? [`  … and ${sentences.length - MAX_SHOWN} more`] : []),
  ];
  return [counted, ...marked('', notes), ...marked('DIFFERS: ', differences), ...marked('NOT CHECKED: ', unanswered)];
}
