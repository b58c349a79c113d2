// Compares what the books say that a sender sent with what the chain itself shows. Changes nothing.
import { type AssetSymbol, NETWORKS_OF, SYMBOLS } from '../chains/asset.ts';
import type { Chain, ChainRecord, Sighting } from '../chains/chain.ts';
import { coinOf, decimalsOf } from '../chains/networks.ts';
import { concurrencyLimit } from '../lib/concurrency-limit.ts';
import { formatUnits } from '../lib/decimals.ts';
import type { Sql } from '../storage/database.ts';
import { isWatched, type Payout, sentUnits, transferOf } from './payout.ts';
import { firstBlockOf, readPayoutsOfSender } from './store-compare.ts';
import { findSender } from './store-senders.ts';

export type SenderComparison = {
  readonly sender: string;
  /** Payouts that a block has decided, and those that are still on their way. */
  readonly settled: number;
  readonly underWay: number;
  /** Each a sentence. */
  readonly differences: readonly string[];
  /** What the chain did not answer. */
  readonly unanswered: readonly string[];
  /** What is no difference and worth knowing: money that came in, balances. */
  readonly notes: readonly string[];
};

const PAGE = 500;
const LOOKUPS_AT_ONCE = 50;

/** The comparison of one sender; undefined when the service has never sent from it. */
export async function compareSender(db: Sql, chain: Chain, sender: string): Promise<SenderComparison | undefined> {
  const { network } = chain;
  // The chain is read first: bytes are saved before they are sent, so whatever it shows is in the books that are read later.
  const record = chain.record && (await chain.record(sender, await firstBlockOf(db, network, sender)));
  const known = await findSender(db, network, sender);
  if (!known) return undefined;
  const payouts = await readAll(db, chain, sender);
  const settled = payouts.filter(isSettled);
  const inTurn = concurrencyLimit(LOOKUPS_AT_ONCE);
  const looked = await Promise.all(settled.map(payout => inTurn(() => compareOne(chain, payout))));
  const recorded = record ? compareRecord(payouts, known.nextNonce, sender, record, chain) : NOTHING;
  return {
    sender,
    settled: settled.length,
    underWay: payouts.filter(isWatched).length - settled.filter(isWatched).length,
    differences: [...looked.flatMap(one => one.differences), ...recorded.differences],
    unanswered: [
      ...looked.flatMap(one => one.unanswered),
      ...(chain.record && !record ? ['no node shows what left the sender'] : []),
    ],
    notes: [...recorded.notes, ...(await balanceNotes(chain, sender, record))],
  };
}

type Found = Pick<SenderComparison, 'differences' | 'unanswered' | 'notes'>;
const NOTHING: Found = { differences: [], unanswered: [], notes: [] };

async function readAll(db: Sql, { network }: Chain, sender: string): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (;;) {
    const after = payouts.at(-1)?.nonce ?? -1n;
    const page = await readPayoutsOfSender(db, network, sender, after, PAGE);
    payouts.push(...page);
    if (page.length < PAGE) return payouts;
  }
}

/** A block has decided it, and the books say how. */
function isSettled({ state, hash }: Payout): boolean {
  return state !== 'open' && hash !== undefined;
}

const OUTCOMES = {
  done: 'transferred',
  final: 'transferred',
  reverted: 'reverted',
  mismatched: 'mismatched',
  voided: 'voided',
} as const satisfies Record<Exclude<Payout['state'], 'open'>, Extract<Sighting, { kind: 'mined' }>['outcome']>;

/** A payout as its own chain shows it: what moved, in which transaction, at which fee. */
async function compareOne(chain: Chain, payout: Payout): Promise<Found> {
  const sighting = await chain.lookup(transferOf(payout), payout.attempts, payout.block);
  const name = `order ${payout.orderId}, slot ${payout.nonce}`;
  if (sighting.kind === 'unknown') return { ...NOTHING, unanswered: [`${name}: ${sighting.words ?? 'no answer'}`] };
  if (payout.state === 'open') return NOTHING;
  if (sighting.kind !== 'mined') {
    return differing(`${name}: the books have ${payout.state} in ${payout.hash}, the chain has no such transaction`);
  }
  const { hash, outcome, leftUnits, feeUnits } = sighting;
  const differences: string[] = [];
  const compare = (what: string, books: string, found: string) => {
    if (books !== found) differences.push(`${name}: ${what} is ${books} in the books and ${found} on the chain`);
  };
  compare('the transaction', payout.hash ?? 'none', hash);
  compare('the outcome', OUTCOMES[payout.state], outcome);
  compare('what left', unitsText(payout.symbol, sentUnits(payout), chain), unitsText(payout.symbol, leftUnits, chain));
  compare('the fee', coinText(payout.feeUnits ?? 0n, chain), coinText(feeUnits, chain));
  return { ...NOTHING, differences };
}

const differing = (sentence: string): Found => ({ ...NOTHING, differences: [sentence] });

/** Everything that left must be in the books: every used slot, and every transfer of a token. */
function compareRecord(
  payouts: readonly Payout[],
  nextNonce: bigint,
  sender: string,
  { usedSlots, transfers }: ChainRecord,
  chain: Chain,
): Found {
  const differences: string[] = [];
  if (usedSlots > nextNonce) {
    differences.push(
      `the chain has used the slots below ${usedSlots}, and the books gave out those below ${nextNonce}`,
    );
  }
  for (const { nonce, orderId } of payouts.filter(payout => isTaken(payout, usedSlots))) {
    differences.push(`slot ${nonce} of order ${orderId} was used by a transaction that is not in the books`);
  }
  const owned = new Set(payouts.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)));
  const own = sender.toLowerCase();
  const [notes, strangers]: [string[], string[]] = [[], []];
  for (const { hash, symbol, from, to, units } of transfers) {
    const amount = `${unitsText(symbol, units, chain)} ${symbol}`;
    if (from !== own) notes.push(`${amount} came from ${from} in ${hash}`);
    else if (!owned.has(hash)) strangers.push(`${amount} left to ${to} in ${hash}, which is not in the books`);
  }
  return { ...NOTHING, differences: [...differences, ...strangers], notes };
}

function isTaken({ nonce, hash, state, lastSighting }: Payout, usedSlots: bigint): boolean {
  return nonce < usedSlots && hash === undefined && (state === 'voided' || lastSighting === 'taken');
}

/** What the sender has, and what it had before the first payout as far as the record tells. */
async function balanceNotes(chain: Chain, sender: string, record: ChainRecord | undefined): Promise<string[]> {
  const notes: string[] = [];
  const own = sender.toLowerCase();
  for (const symbol of SYMBOLS.filter(one => NETWORKS_OF[one].some(network => network === chain.network))) {
    const funds = await chain.funds(sender, symbol);
    if (!funds) continue;
    const isCoin = coinOf(chain.network).symbol === symbol;
    const moves = isCoin ? [] : (record?.transfers.filter(one => one.symbol === symbol) ?? []);
    const before = moves.reduce((sum, { from, units }) => (from === own ? sum + units : sum - units), funds.asset);
    const has = `it has ${unitsText(symbol, funds.asset, chain)} ${symbol}`;
    notes.push(record && !isCoin ? `${has}, and had ${unitsText(symbol, before, chain)} before its first payout` : has);
  }
  return notes;
}

function unitsText(symbol: AssetSymbol, units: bigint, { network }: Chain): string {
  return formatUnits(units, decimalsOf(symbol, network));
}

function coinText(units: bigint, { network }: Chain): string {
  return formatUnits(units, coinOf(network).decimals);
}
