// Chains that remember what this process handed to nodes and has seen in blocks. When the database is restored under a running process,
// rows are lost, but the process still knows what it sent.
import type { Clock } from '../lib/clock.ts';
import { activeSendersOf, type Chain, type ChainMemory, type Chains } from './chain.ts';

/** A standby that takes over may lack seconds; one that fell behind lacks more. */
const SENT_FOR_MS = 30 * 60_000;
/** For each sender. A restored database lacks the newest rows, so remembering the newest is enough. */
const MAX_SENT = 256;
const MAX_MINED = 10_000;

export function rememberingChains(chains: Chains, clock: Clock): Chains {
  return Object.fromEntries(Object.entries(chains).map(([network, chain]) => [network, remembering(chain, clock)]));
}

function remembering(chain: Chain, clock: Clock): Chain {
  // The simulated chain lives in the database and is restored with it.
  if (!chain.slotCounts && !chain.ownTransfers) return chain;
  // Ordered by when they were last sent.
  const handed = new Map<string, { readonly atMs: number; readonly by: string | undefined }>();
  const mined = new Set<string>();
  const maxSent = MAX_SENT * activeSendersOf(chain).length;
  const memory: ChainMemory = {
    sent: sender => {
      const sinceMs = clock.now().getTime() - SENT_FOR_MS;
      for (const [hash, { atMs }] of handed) if (atMs < sinceMs) handed.delete(hash);
      return [...handed].flatMap(([hash, { by = sender }]) => (by === sender ? [hash] : []));
    },
    wasMined: hash => mined.has(hash),
  };
  return {
    ...chain,
    memory,
    broadcast: (attempt, by) => {
      // Before the call: the node may take the bytes, and the process may never hear of it.
      handed.delete(attempt.hash);
      handed.set(attempt.hash, { atMs: clock.now().getTime(), by });
      for (const hash of handed.keys()) {
        if (handed.size <= maxSent) break;
        handed.delete(hash);
      }
      return chain.broadcast(attempt, by);
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
