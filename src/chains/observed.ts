// Chains whose calls are reported: which network, what was asked, what came of it and how long it took. What a chain answers
// passes through as it is.
import { type Ended, timed } from '../lib/timed.ts';
import type { Network } from './asset.ts';
import type { Chain, Chains } from './chain.ts';

/** The calls of a chain that leave the machine, or may: a signer can be a machine of its own. */
type Operation = 'nextNonce' | 'isContract' | 'sign' | 'broadcast' | 'lookup';

export type ChainCall = Ended & { readonly network: Network; readonly operation: Operation };

export function observedChains(chains: Chains, observe: (call: ChainCall) => void): Chains {
  return Object.fromEntries(Object.entries(chains).map(([network, chain]) => [network, observedChain(chain, observe)]));
}

function observedChain(chain: Chain, observe: (call: ChainCall) => void): Chain {
  const { network } = chain;
  const report = (operation: Operation) => (ended: Ended) => observe({ network, operation, ...ended });
  return {
    ...chain,
    nextNonce: () => timed(() => chain.nextNonce(), nonceOutcome, report('nextNonce')),
    isContract: address => timed(() => chain.isContract(address), codeOutcome, report('isContract')),
    sign: (...asked) =>
      timed(
        () => chain.sign(...asked),
        () => 'signed',
        report('sign'),
      ),
    broadcast: attempt =>
      timed(
        () => chain.broadcast(attempt),
        outcome => outcome,
        report('broadcast'),
      ),
    lookup: (...asked) =>
      timed(
        () => chain.lookup(...asked),
        ({ kind }) => kind,
        report('lookup'),
      ),
  };
}

const codeOutcome = (isContract: boolean | undefined) => (isContract === undefined ? 'unknown' : 'answered');
const nonceOutcome = (nonce: bigint | undefined) => (nonce === undefined ? 'unknown' : 'answered');
