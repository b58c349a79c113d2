// The gates that a payout passes before it takes a slot. They run one after the other while the row of the sender is locked, so that
// what they count cannot change meanwhile; the network is queried before that. A new rule is a new gate in `GATES`.
import type { Chain } from '../../chains/chain.ts';
import { coinOf, decimalsOf, type SentSymbol } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Sql } from '../../storage/database.ts';
import { BLOCKED_MESSAGE } from '../engine/first-signature.ts';
import type { PayoutRequest } from '../payout.ts';
import { type Gate, type GateContext, GO, NO_ANSWER, type Source, type Verdict } from './gate.ts';
import { approvalGate, dayLimitGate, payoutLimitGate } from './limit-gates.ts';
import { coveringPause, pauseMessage } from './pause.ts';

const ASK_WALLET_AGAIN_MS = 60_000;
const CHECK_AGAIN_MS = 60_000;
/** An issuer rarely lifts a block, and a node with a wrong answer recovers soon. */
const REFUSED_AGAIN_MS = 5 * 60_000;

const GATES: readonly Gate[] = [
  pauseGate,
  windowGate,
  payoutLimitGate,
  approvalGate,
  dayLimitGate,
  fundsGate,
  walletGate,
  earlierGate,
  checkGate,
];

/** The first verdict that is not `go`. */
export async function judge(request: PayoutRequest, context: GateContext, tx: Sql): Promise<Verdict> {
  for (const gate of GATES) {
    const verdict = await gate(request, context, tx);
    if (verdict.kind !== 'go') return verdict;
  }
  return GO;
}

/** A pause stops claims and first signatures: signed transfers are still sent and looked up. */
function pauseGate(request: PayoutRequest, { pauses }: GateContext): Verdict {
  const pause = coveringPause(pauses, request);
  return pause ? { kind: 'wait', reason: 'payouts_paused', message: pauseMessage(pause) } : GO;
}

/** A sender has few open slots at once: nodes drop more, and what is not sent yet can still be stopped. */
function windowGate(_: PayoutRequest, { chain, source }: GateContext): Verdict {
  return hasFreeSlot(chain, source) ? GO : { kind: 'wait' };
}

export function hasFreeSlot({ window }: Chain, { sender, claimed }: Source): boolean {
  return sender.openSlots + claimed.length < window;
}

/**
 * The balance pays for the open slots, for those ahead in line, for this transfer and for all fees. So a small transfer does
 * not overtake a large one that waits for funds.
 */
function fundsGate(request: PayoutRequest, { source }: GateContext): Verdict {
  return judgeFunds(request, source);
}

export function judgeFunds(request: PayoutRequest, source: Source): Verdict {
  const { sender, claimed, ahead } = source;
  const { symbol, network, units } = request;
  const funds = source.funds.get(symbol);
  if (!funds) return { kind: 'wait', message: NO_ANSWER };
  const coin = coinOf(network);
  const taken = (of: SentSymbol) =>
    [...claimed, ...ahead].reduce(
      (sum, one) => (one.symbol === of ? sum + one.units : sum),
      sender.openUnits[of] ?? 0n,
    );
  const fees = BigInt(sender.openSlots + claimed.length + 1) * funds.worstFee;
  const isCoin = coin.symbol === symbol;
  const coinUnits = taken(coin.symbol);
  const needed = taken(symbol) + units;
  if (!isCoin && funds.asset < needed) return short(symbol, funds.asset, needed, decimalsOf(symbol, network));
  const neededCoin = fees + coinUnits + (isCoin ? units : 0n);
  if (funds.coin < neededCoin) return short(coin.symbol, funds.coin, neededCoin, coin.decimals);
  return GO;
}

/** The wallet may have been blocked or listed since its owner was created. */
function walletGate({ ownerId, destination }: PayoutRequest, { wallets, blocked, now }: GateContext): Verdict {
  if (blocked.has(destination)) return { kind: 'hold', reason: 'wallet_refused', message: BLOCKED_MESSAGE };
  const may = wallets.get(ownerId);
  if (!may) return { kind: 'wait' };
  if (may.kind === 'payable') return GO;
  if (may.kind === 'refused') return { kind: 'hold', reason: 'wallet_refused', message: may.message };
  // Payouts behind it continue meanwhile.
  return { kind: 'wait', message: may.message, until: new Date(now.getTime() + ASK_WALLET_AGAIN_MS) };
}

/** An owner gets another slot only while nodes agree that its earlier transfers moved nothing. */
function earlierGate({ ownerId }: PayoutRequest, { earlier, now }: GateContext): Verdict {
  const found = earlier.get(ownerId);
  if (!found) return { kind: 'wait' };
  if (found.kind === 'moved_nothing') return GO;
  const message =
    found.kind === 'moved'
      ? `An earlier transfer was carried out: ${found.hash}.`
      : `An earlier transfer may have moved crypto: ${found.message}.`;
  return { kind: 'wait', message, until: new Date(now.getTime() + CHECK_AGAIN_MS) };
}

/** A transfer that would fail takes no slot, since it would block those behind it. It waits: fees fall, funds come, nodes may be wrong. */
function checkGate(request: PayoutRequest, { checks, now }: GateContext): Verdict {
  const checked = checks.get(request.ownerId);
  // Its terms have changed since, so the next round asks again.
  if (!checked || checked.request.units !== request.units || checked.request.symbol !== request.symbol) {
    return { kind: 'wait' };
  }
  const { check } = checked;
  if (check.kind === 'ready') return GO;
  const until = new Date(now.getTime() + CHECK_AGAIN_MS);
  if (check.kind === 'unknown') {
    // Payouts behind it continue meanwhile: the contract of its payee may be why nodes do not answer.
    return { kind: 'wait', message: check.message ?? NO_ANSWER, until };
  }
  if (check.reason === 'fee_too_high' || check.reason === 'no_funds') {
    return { kind: 'wait', reason: check.reason, message: check.message, until };
  }
  const later = new Date(now.getTime() + REFUSED_AGAIN_MS);
  return { kind: 'wait', reason: 'transfer_refused', message: check.message, until: later };
}

function short(symbol: string, has: bigint, needs: bigint, decimals: number): Verdict {
  const message = `The sender has ${formatUnits(has, decimals)} ${symbol} and needs ${formatUnits(needs, decimals)}.`;
  return { kind: 'wait', reason: 'no_funds', message };
}
