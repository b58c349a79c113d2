// The chain of a drill, opened from a specification that a process gets as an argument: a killed process must reach the same chain.
import assert from 'node:assert/strict';
import type { Chain } from '../../../src/chains/chain.ts';
import { openEvmChain } from '../../../src/chains/evm/evm-chain.ts';
import { keySigner } from '../../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../../src/chains/signer/recoverable.ts';
import { openTronChain } from '../../../src/chains/tron/tron-chain.ts';
import { sandboxChains } from '../../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../../src/sandbox/chains/store.ts';
import type { SandboxClock } from '../../../src/sandbox/clock/sandbox-clock.ts';
import type { Database } from '../../../src/storage/database.ts';

export type ChainSpec =
  | {
      readonly kind: 'evm';
      readonly urls: readonly string[];
      readonly keys: Keys;
      readonly chainId: number;
      readonly token: string;
    }
  | { readonly kind: 'tron'; readonly urls: readonly string[]; readonly keys: Keys }
  | { readonly kind: 'simulated' };

/** Private keys of the senders, which are all active. */
export type Keys = readonly [string, ...string[]];

export const EVM_BLOCK_MS = 1_000;
/** Done early and final late, so that a reorganisation can undo what is done. */
const EVM_DEPTH = 2;

export function signerOf(key: string) {
  return keySigner(Buffer.from(key, 'hex'));
}

type Deps = { readonly clock: Pick<SandboxClock, 'now' | 'refresh'>; readonly db: Database };

export async function openChainOf(spec: ChainSpec, { clock, db }: Deps): Promise<Chain> {
  if (spec.kind === 'simulated') return sandboxChains({ clock, store: sandboxChainStore(db) }).polygon;
  const providers = spec.urls.map((url, index) => ({ name: `node-${index + 1}`, url }));
  const [first, ...others] = spec.keys.map(key => {
    const signer = signerOf(key);
    const { evm, tron } = addressesOf(signer.publicKey);
    return { address: spec.kind === 'tron' ? tron : evm, signer, isActive: true };
  });
  assert.ok(first);
  const senders = [first, ...others] as const;
  if (spec.kind === 'tron') return (await openTronChain({ providers, senders }, { clock })).chain;
  const { chain } = await openEvmChain(
    {
      network: 'ethereum',
      providers,
      senders,
      depth: EVM_DEPTH,
      test: { chainId: spec.chainId, blockMs: EVM_BLOCK_MS, tokens: { usdt: spec.token } },
    },
    // Pauses and ages follow the clock that the drill moves.
    { clock, monotonicMs: () => clock.now().getTime() },
  );
  return chain;
}
