// Reports the calls of chains: the network, the call, its outcome and how long it took. Answers pass through unchanged.
import { type Ended, timed } from '../lib/timed.ts';
import type { Network } from './asset.ts';
import type { Chain, Chains } from './chain.ts';

/** The calls of a chain that leave the machine, or may: a signer can be a machine of its own. */
export const CHAIN_OPERATIONS = [
  'nextNonce',
  'usedSlots',
  'isContract',
  'check',
  'funds',
  'sign',
  'signVoid',
  'broadcast',
  'lookup',
  'readTransfer',
  'health',
] as const;
type Operation = (typeof CHAIN_OPERATIONS)[number];

/** Their outcomes, besides a failure. */
export const CHAIN_OUTCOMES = [
  'answered',
  'ready',
  'refused',
  'signed',
  'sent',
  'absent',
  'pending',
  'stuck',
  'taken',
  'mined',
  'unknown',
] as const;
type Outcome = (typeof CHAIN_OUTCOMES)[number];

export type ChainCall = Ended & { readonly network: Network; readonly operation: Operation };

export function observedChains(chains: Chains, observe: (call: ChainCall) => void): Chains {
  return Object.fromEntries(Object.entries(chains).map(([network, chain]) => [network, observedChain(chain, observe)]));
}

function observedChain(chain: Chain, observe: (call: ChainCall) => void): Chain {
  const { network } = chain;
  const call = <T>(operation: Operation, ask: () => Promise<T>, outcome: (answer: T) => Outcome) =>
    timed({ name: `chain ${operation}`, attributes: { 'trilho.network': network } }, ask, outcome, ended =>
      observe({ network, operation, ...ended }),
    );
  const { signVoid, usedSlots } = chain;
  return {
    ...chain,
    nextNonce: sender => call('nextNonce', () => chain.nextNonce(sender), answered),
    ...(usedSlots && { usedSlots: sender => call('usedSlots', () => usedSlots(sender), answered) }),
    isContract: address => call('isContract', () => chain.isContract(address), answered),
    check: intent => call('check', () => chain.check(intent), kindOf),
    funds: (...asked) => call('funds', () => chain.funds(...asked), answered),
    sign: (...asked) => call('sign', () => chain.sign(...asked), kindOf),
    ...(signVoid && { signVoid: (...asked) => call('signVoid', () => signVoid(...asked), kindOf) }),
    broadcast: (...asked) => call('broadcast', () => chain.broadcast(...asked), sent),
    lookup: (...asked) => call('lookup', () => chain.lookup(...asked), kindOf),
    readTransfer: hash => call('readTransfer', () => chain.readTransfer(hash), answered),
    health: () =>
      call(
        'health',
        () => chain.health(),
        () => 'answered',
      ),
  };
}

const answered = (answer: unknown): Outcome => (answer === undefined ? 'unknown' : 'answered');
const kindOf = ({ kind }: { readonly kind: Outcome }) => kind;
const sent = ({ isSent }: { readonly isSent: boolean }): Outcome => (isSent ? 'sent' : 'unknown');
