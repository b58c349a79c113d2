// A circuit breaker around each chain: after several unanswered calls in a row, calls fail at once for a while as if no node had answered.
// When the pause is over one call is let through, and its answer decides.
import type { Clock } from '../lib/clock.ts';
import type { Chain, Chains, Check, Sighting } from './chain.ts';

/** Unanswered calls in a row after which the breaker opens, and for how long. */
const FAILURES = 5;
const PAUSE_MS = 5_000;

export function guardedChains(chains: Chains, clock: Clock): Chains {
  return Object.fromEntries(Object.entries(chains).map(([network, chain]) => [network, guardedChain(chain, clock)]));
}

function guardedChain(chain: Chain, clock: Clock): Chain {
  const guarded = pauseAfterFailures(clock);
  const { signVoid, usedSlots } = chain;
  const isAnswered = (answer: unknown) => answer !== undefined;
  const isKnown = ({ kind }: { readonly kind: string }) => kind !== 'unknown';
  return {
    ...chain,
    nextNonce: sender => guarded(undefined, () => chain.nextNonce(sender), isAnswered),
    ...(usedSlots && { usedSlots: sender => guarded(undefined, () => usedSlots(sender), isAnswered) }),
    isContract: address => guarded(undefined, () => chain.isContract(address), isAnswered),
    // A message is an answer: one payee that nodes cannot judge does not make the network silent.
    check: intent =>
      guarded<Check>(
        { kind: 'unknown' },
        () => chain.check(intent),
        check => check.kind !== 'unknown' || check.message !== undefined,
      ),
    funds: (...asked) => guarded(undefined, () => chain.funds(...asked), isAnswered),
    sign: (...asked) => guarded({ kind: 'unknown' }, () => chain.sign(...asked), isKnown),
    ...(signVoid && { signVoid: (...asked) => guarded({ kind: 'unknown' }, () => signVoid(...asked), isKnown) }),
    // A message is an answer: a node that refuses is reachable.
    broadcast: (...asked) =>
      guarded(
        { isSent: false },
        () => chain.broadcast(...asked),
        ({ isSent, message }) => isSent || message !== undefined,
      ),
    readTransfer: hash => guarded(undefined, () => chain.readTransfer(hash), isAnswered),
    // Nodes that disagree are reachable: asked again, they may agree.
    lookup: (...asked) =>
      guarded<Sighting>(
        { kind: 'unknown' },
        () => chain.lookup(...asked),
        sighting => sighting.kind !== 'unknown' || sighting.isAnswered === true,
      ),
  };
}

type Guarded = <T>(silence: T, ask: () => Promise<T>, isAnswer: (answer: T) => boolean) => Promise<T>;

/** Calls, except during the pause after several failures in a row. */
function pauseAfterFailures(clock: Clock): Guarded {
  let failures = 0;
  let askAgainAt = 0;
  return async (silence, ask, isAnswer) => {
    const nowMs = clock.now().getTime();
    if (failures >= FAILURES) {
      if (nowMs < askAgainAt) return silence;
      // The others wait for the answer to this call.
      askAgainAt = nowMs + PAUSE_MS;
    }
    const answer = await ask();
    if (isAnswer(answer)) failures = 0;
    else if (++failures >= FAILURES) askAgainAt = clock.now().getTime() + PAUSE_MS;
    return answer;
  };
}
