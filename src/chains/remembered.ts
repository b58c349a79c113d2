// Chains that remember what this process has handed to nodes, and what it has seen in blocks. A database that goes back under a
// running process loses rows; the process still knows what it sent.
import type { Clock } from '../lib/clock.ts';
import type { Chain, ChainMemory, Chains } from './chain.ts';

/** A standby that takes over lacks seconds; one that was forgotten lacks more. */
const SENT_FOR_MS = 30 * 60_000;
/** A database that went back lacks the newest first, so the newest are enough. */
const MAX_SENT = 256;
const MAX_MINED = 10_000;

export function rememberingChains(chains: Chains, clock: Clock): Chains {
  return Object.fromEntries(Object.entries(chains).map(([network, chain]) => [network, remembering(chain, clock)]));
}

function remembering(chain: Chain, clock: Clock): Chain {
  // A chain that lives in the database goes back with it.
  if (!chain.slotCounts && !chain.ownTransfers) return chain;
  // In the order in which they were sent first.
  const sentAtMs = new Map<string, number>();
  const mined = new Set<string>();
  const memory: ChainMemory = {
    sent: () => {
      const sinceMs = clock.now().getTime() - SENT_FOR_MS;
      for (const [hash, atMs] of sentAtMs) if (atMs < sinceMs) sentAtMs.delete(hash);
      return [...sentAtMs.keys()];
    },
    wasMined: hash => mined.has(hash),
  };
  return {
    ...chain,
    memory,
    broadcast: attempt => {
      // Before the call: the node may take the bytes, and the process may never hear of it.
      sentAtMs.delete(attempt.hash);
      sentAtMs.set(attempt.hash, clock.now().getTime());
      for (const hash of sentAtMs.keys()) {
        if (sentAtMs.size <= MAX_SENT) break;
        sentAtMs.delete(hash);
      }
      return chain.broadcast(attempt);
    },
    lookup: async (...asked) => {
      const sighting = await chain.lookup(...asked);
      if (sighting.kind === 'mined') {
        if (mined.size >= MAX_MINED) mined.clear();
        mined.add(sighting.hash);
      }
      return sighting;
    },
  };
}
