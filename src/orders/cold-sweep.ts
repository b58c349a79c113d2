// Sweeps what a sender has too much of to the cold address of its network. It is a payout like any other: one slot, attempts that
// are saved before they are sent, entries of the ledger. Open payouts and orders in line keep what they need.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import { activeSendersOf, type Chain, type Chains, type Funds } from '../chains/chain.ts';
import { decimalsOf } from '../chains/networks.ts';
import type { Queue } from '../jobs/queue.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { formatUnits, parseUnits } from '../lib/decimals.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { traceOf } from '../lib/tracing.ts';
import { doubtBooks, seeOnChain } from '../payouts/check-books.ts';
import { type ColdAddresses, type Needs, spareUnits } from '../payouts/cold-sweep.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { limitsOf, type PayoutLimits } from '../payouts/limits.ts';
import { chainOf, chainSilent, openPayouts, requireSender } from '../payouts/open.ts';
import { intentOf, type Payout } from '../payouts/payout.ts';
import { findSender, lockSender, type Sender } from '../payouts/store-senders.ts';
import { findOpenSweep } from '../payouts/store-sweeps.ts';
import type { Database, Sql } from '../storage/database.ts';
import { insertTraces } from '../storage/object-traces.ts';
import { readWaitingUnits } from './store-line.ts';
import { judgeFirst } from './unknown-transfers.ts';

export type ColdSweepDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly chains: Chains;
  readonly coldAddresses: ColdAddresses;
  readonly payoutLimits: PayoutLimits;
  /** Whose payouts the sweeps are. */
  readonly operatorAccountId: string;
};

export type NewColdSweep = {
  readonly network: Network;
  readonly symbol: AssetSymbol;
  /** Decimal text, or `all` that nothing needs. Absent: what is above the ceiling. */
  readonly quantity?: string;
  /** As the audit log writes actors. */
  readonly by: string;
};

/** Slots are taken by orders meanwhile; this many times in a row it is better to ask again later. */
const MAX_ROUNDS = 5;

/**
 * Opens the payout; the service sends it. Refuses more than what can be spared, a second sweep of an asset while one is on its
 * way, a sender that is halted or has no slot free, and a transfer that would fail. A pause does not stop it.
 */
export async function sweepToCold(deps: ColdSweepDeps, sweep: NewColdSweep): Promise<Payout> {
  const chain = chainOf(deps.chains, sweep.network);
  const destination = deps.coldAddresses[sweep.network];
  if (destination === undefined) {
    throw new AppError('not_configured', `payouts.coldAddresses has no address on ${sweep.network}.`);
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const plan = await richestOf(deps, chain, destination, sweep.symbol);
    const units = unitsOf(deps, sweep, plan);
    await requireReady(plan, sweep.symbol, units);
    const payout = await deps.db.transaction(tx => open(deps, tx, sweep, plan, units));
    if (payout) return payout;
  }
  throw new AppError('wrong_state', 'Orders take slots of the sender at this moment; try again.');
}

type Plan = {
  readonly chain: Chain;
  /** As it was read before the funds: what a block has used since is counted twice, never not at all. */
  readonly sender: Sender;
  readonly funds: Funds;
  readonly destination: string;
  /** Smallest units that nothing needs. */
  readonly spare: bigint;
};

/** Of the senders that take slots the one that can spare most. */
async function richestOf(deps: ColdSweepDeps, chain: Chain, destination: string, symbol: AssetSymbol): Promise<Plan> {
  const planned = await Promise.all(activeSendersOf(chain).map(one => planOf(deps, chain, one, destination, symbol)));
  const plans = planned.filter(one => 'spare' in one);
  const [plan] = plans.toSorted((a, b) => (a.spare < b.spare ? 1 : -1));
  if (plan) return plan;
  throw planned.find(one => one instanceof AppError) ?? chainSilent(chain.network);
}

async function planOf(
  deps: ColdSweepDeps,
  chain: Chain,
  address: string,
  destination: string,
  symbol: AssetSymbol,
): Promise<Plan | AppError> {
  const seen = await seeOnChain(chain, address);
  const sender = await requireSender(deps.db, chain, address, one => judgeFirst(deps, chain, one, deps.clock.now()));
  if (sender?.haltedAt) return new AppError('wrong_state', HALTED_WORDS);
  const doubt = sender && (await doubtBooks(deps, chain, sender, seen));
  if (doubt) return new AppError('wrong_state', doubt.words);
  const funds = sender && (await chain.funds(address, symbol));
  if (!sender || !funds) return chainSilent(chain.network);
  const spare = spareUnits(symbol, chain, funds, await readNeeds(deps.db, sender));
  return { chain, sender, funds, destination, spare };
}

const HALTED_WORDS = 'The sender is halted, and an operator has not resumed it.';

/** Each sender keeps what all orders in line need: which of them sends an order is decided when it takes a slot. */
async function readNeeds(sql: Sql, { network, openSlots, openUnits }: Sender): Promise<Needs> {
  const waiting = await readWaitingUnits(sql, network);
  const units: { [S in AssetSymbol]?: bigint } = { ...openUnits };
  for (const { symbol, units: more } of waiting) units[symbol] = (units[symbol] ?? 0n) + more;
  return { slots: waiting.reduce((sum, { count }) => sum + count, openSlots), units };
}

/** How much is swept. Throws when that is nothing, or more than can be spared. */
function unitsOf(
  { payoutLimits }: ColdSweepDeps,
  { network, symbol, quantity }: NewColdSweep,
  { funds, spare }: Plan,
): bigint {
  const decimals = decimalsOf(symbol, network);
  const { ceiling } = limitsOf(payoutLimits, { symbol, network });
  const amount = (units: bigint) => `${formatUnits(units, decimals)} ${symbol}`;
  if (quantity === undefined && ceiling === undefined) {
    throw faultOf('missing', `is needed: ${symbol} on ${network} has no ceiling`);
  }
  const asked = quantity === undefined || quantity === 'all' ? undefined : parseUnits(quantity, decimals);
  if (quantity !== undefined && quantity !== 'all' && (asked === undefined || asked <= 0n)) {
    throw faultOf('invalid', `must be a decimal above zero with at most ${decimals} decimals, or all`);
  }
  const above = ceiling === undefined ? spare : min(spare, funds.asset - ceiling);
  const units = asked ?? (quantity === 'all' ? spare : above);
  if (units > spare || units <= 0n) {
    const rest = spare > 0n ? `${amount(spare)} can be spared` : 'nothing can be spared';
    throw new AppError('wrong_state', `The sender has ${amount(funds.asset)}; beside payouts and fees ${rest}.`);
  }
  return units;
}

async function requireReady({ chain, sender, destination }: Plan, symbol: AssetSymbol, units: bigint): Promise<void> {
  const check = await chain.check(intentOf({ symbol, units, destination }, sender.sender));
  if (check.kind === 'unknown') throw chainSilent(chain.network);
  if (check.kind === 'refused') throw new AppError('wrong_state', check.words);
}

/** Undefined when something has changed since the funds were read. */
async function open(
  deps: ColdSweepDeps,
  tx: Sql,
  { network, symbol, by }: NewColdSweep,
  { chain, sender, funds, destination }: Plan,
  units: bigint,
): Promise<Payout | undefined> {
  const locked = await lockSender(tx, sender);
  if (locked.isHalted) {
    throw new AppError('wrong_state', HALTED_WORDS);
  }
  const other = await findOpenSweep(tx, network, symbol);
  if (other !== undefined) {
    throw new AppError('wrong_state', `A sweep of ${symbol} on ${network} is on its way: ${other}.`);
  }
  const now = await findSender(tx, network, sender.sender);
  if (!now || locked.nextNonce !== sender.nextNonce) return undefined;
  if (now.openSlots >= chain.window)
    throw new AppError('wrong_state', 'No slot of the sender is free; try again later.');
  const needs = await readNeeds(tx, mostOf(sender, now));
  if (units > spareUnits(symbol, chain, funds, needs)) return undefined;
  const at = deps.clock.now();
  const request = { accountId: deps.operatorAccountId, network, symbol, units, destination, sweptBy: by };
  const [payout] = await openPayouts(tx, chain, sender, [request], at);
  if (!payout) return undefined;
  setAuditObject(payout.id);
  await insertTraces(tx, [traceOf(payout.id, at)]);
  await deps.queue.enqueue(tx, ADVANCE[network], [{ accountId: payout.accountId, payoutId: payout.id }]);
  return payout;
}

/** A block may have used slots since, or given some back. */
function mostOf(before: Sender, now: Sender): Sender {
  const symbols = Object.keys({ ...before.openUnits, ...now.openUnits }) as AssetSymbol[];
  const most = symbols.map(symbol => [symbol, max(before.openUnits[symbol] ?? 0n, now.openUnits[symbol] ?? 0n)]);
  return { ...now, openSlots: Math.max(before.openSlots, now.openSlots), openUnits: Object.fromEntries(most) };
}

function faultOf(code: string, message: string): AppError {
  return invalidRequest([{ path: 'quantity', code, message }]);
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);
const max = (a: bigint, b: bigint) => (a > b ? a : b);
