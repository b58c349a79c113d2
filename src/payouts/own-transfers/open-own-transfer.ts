// Opens a payout without an owner: crypto of a sender goes to the cold address or to another of our senders. It is a payout like any other:
// one slot, attempts that are saved before they are sent, ledger entries. Funds needed by open payouts and by the line are not touched.
import { activeSendersOf, type Chain, type Chains, type Funds } from '../../chains/chain.ts';
import type { SentSymbol } from '../../chains/networks.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { traceOf } from '../../lib/tracing.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import { doubtBooks, isSilent, seeOnChain } from '../compare/check-books.ts';
import { judgeFirst } from '../compare/unknown-transfers.ts';
import { ADVANCE } from '../jobs.ts';
import { chainOf, chainSilent, openPayouts, requireSender } from '../line/open.ts';
import type { OwnerRecords } from '../owner.ts';
import { intentOf, type OwnRequest, type Payout } from '../payout.ts';
import { findSender, lockSender, type Sender } from '../store/senders.ts';
import { type Needs, spareUnits } from './cold-rules.ts';

type OwnTransferDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly chains: Chains;
  readonly payoutOwner: OwnerRecords;
};

type OwnTransfer = Omit<OwnRequest, 'units'> & {
  /** Absent: the sender that can spare most, among those that take new slots. */
  readonly sender?: string;
  /** The amount. Throws when it is zero or more than can be spared. */
  unitsOf(funds: Funds, spare: bigint): bigint;
  /** Throws if it is not allowed; called while the senders of the network are locked. */
  judge(tx: Sql, units: bigint): Promise<void>;
  /** Written with the payout. */
  opened?(tx: Sql, payout: Payout): Promise<void>;
};

/** Attempts while the line keeps taking slots; after that the caller should try again later. */
const MAX_ROUNDS = 5;

/** Opens the payout; the service sends it. Refuses a sender that is halted or has no free slot, and a transfer that would fail. */
export async function openOwnTransfer(deps: OwnTransferDeps, own: OwnTransfer): Promise<Payout> {
  const chain = chainOf(deps.chains, own.network);
  const addresses = own.sender === undefined ? activeSendersOf(chain) : [own.sender];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { spare, ...chosen } = await richestOf(deps, chain, addresses, own.symbol);
    const plan = { chain, ...chosen, units: own.unitsOf(chosen.funds, spare) };
    await requireReady(plan, own);
    const payout = await deps.db.transaction(tx => open(deps, tx, own, plan));
    if (payout) return payout;
  }
  throw new AppError('wrong_state', 'Payouts in line are taking slots of the sender right now; try again.');
}

type Plan = {
  readonly chain: Chain;
  /** Read before the funds, so that what a block has used since is counted twice rather than missed. */
  readonly sender: Sender;
  readonly funds: Funds;
  readonly units: bigint;
};

type Spare = Pick<Plan, 'sender' | 'funds'> & {
  /** Smallest units that can be spared. */
  readonly spare: bigint;
};

/** Of the senders that may send, the one that can spare most. */
async function richestOf(
  deps: OwnTransferDeps,
  chain: Chain,
  addresses: readonly string[],
  symbol: SentSymbol,
): Promise<Spare> {
  const found = await Promise.all(addresses.map(address => spareOf(deps, chain, address, symbol)));
  const able = found.filter(one => 'spare' in one);
  const [richest] = able.toSorted((a, b) => (a.spare < b.spare ? 1 : -1));
  if (richest) return richest;
  throw found.find(one => one instanceof AppError) ?? chainSilent(chain.network);
}

async function spareOf(
  deps: OwnTransferDeps,
  chain: Chain,
  address: string,
  symbol: SentSymbol,
): Promise<Spare | AppError> {
  const seen = await seeOnChain(chain, address);
  const sender = await requireSender(deps.db, chain, address, one => judgeFirst(deps, chain, one, deps.clock.now()));
  if (sender?.haltedAt) return new AppError('wrong_state', HALTED_MESSAGE);
  if (isSilent(seen)) return chainSilent(chain.network);
  const doubt = sender && (await doubtBooks(deps, chain, sender, seen));
  if (doubt) return new AppError('wrong_state', doubt.message);
  const funds = sender && (await chain.funds(address, symbol));
  if (!sender || !funds) return chainSilent(chain.network);
  return { sender, funds, spare: spareUnits(symbol, chain, funds, await readNeeds(deps, deps.db, sender)) };
}

const HALTED_MESSAGE = 'The sender is halted until an operator resumes it.';

/** Each sender keeps enough for all payouts in line, since the sender of one is chosen only when it takes a slot. */
async function readNeeds(
  { payoutOwner }: OwnTransferDeps,
  sql: Sql,
  { network, openSlots, openUnits }: Sender,
): Promise<Needs> {
  const waiting = await payoutOwner.readWaitingUnits(sql, network);
  const units: { [S in SentSymbol]?: bigint } = { ...openUnits };
  for (const { symbol, units: more } of waiting) units[symbol] = (units[symbol] ?? 0n) + more;
  return { slots: waiting.reduce((sum, { count }) => sum + count, openSlots), units };
}

async function requireReady({ chain, sender, units }: Plan, { symbol, destination }: OwnTransfer): Promise<void> {
  const check = await chain.check(intentOf({ symbol, units, destination }, sender.sender));
  if (check.kind === 'unknown') throw chainSilent(chain.network);
  if (check.kind === 'refused') throw new AppError('wrong_state', check.message);
}

/** Undefined when something has changed since the funds were read. */
async function open(
  deps: OwnTransferDeps,
  tx: Sql,
  { sender: _, unitsOf: __, judge, opened, ...request }: OwnTransfer,
  { chain, sender, funds, units }: Plan,
): Promise<Payout | undefined> {
  const { network, symbol } = request;
  const locked = await lockSender(tx, sender);
  if (locked.isHalted) {
    throw new AppError('wrong_state', HALTED_MESSAGE);
  }
  await judge(tx, units);
  const now = await findSender(tx, network, sender.sender);
  if (!now || locked.nextNonce !== sender.nextNonce) return undefined;
  if (now.openSlots >= chain.window) throw new AppError('wrong_state', 'The sender has no free slot; try again later.');
  const needs = await readNeeds(deps, tx, mostOf(sender, now));
  if (units > spareUnits(symbol, chain, funds, needs)) return undefined;
  const at = deps.clock.now();
  const [payout] = await openPayouts(tx, chain, sender, [{ ...request, units }], at);
  if (!payout) return undefined;
  await opened?.(tx, payout);
  await insertTraces(tx, [traceOf(payout.id, at)]);
  await deps.queue.enqueue(tx, ADVANCE[network], [{ accountId: payout.accountId, payoutId: payout.id }]);
  return payout;
}

/** A block may have used or freed slots since. */
function mostOf(before: Sender, now: Sender): Sender {
  const symbols = Object.keys({ ...before.openUnits, ...now.openUnits }) as SentSymbol[];
  const most = symbols.map(symbol => [symbol, max(before.openUnits[symbol] ?? 0n, now.openUnits[symbol] ?? 0n)]);
  return { ...now, openSlots: Math.max(before.openSlots, now.openSlots), openUnits: Object.fromEntries(most) };
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);

export type OperatorDeps = OwnTransferDeps & {
  /** The account of payouts without an owner. */
  readonly operatorAccountId: string;
};
