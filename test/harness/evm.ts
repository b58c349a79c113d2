// An EVM chain of the service on a real node: a sender with tokens and coin, and a test that signs, sends, mines and looks.
import assert from 'node:assert/strict';
import type { AssetSymbol } from '../../src/chains/asset.ts';
import type { Attempt, Block, Chain, Sighting, Transfer } from '../../src/chains/chain.ts';
import { openEvmChain } from '../../src/chains/evm/evm-chain.ts';
import type { EvmSettings } from '../../src/chains/evm/settings.ts';
import type { StartCheck } from '../../src/chains/evm/start-check.ts';
import { keySigner, publicKeyOf } from '../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../src/chains/signer/recoverable.ts';
import { type EvmNode, startEvmNode } from '../../src/sandbox/evm-node/evm-node.ts';
import { deployToken, type Token } from '../../src/sandbox/evm-node/tokens.ts';
import { type TestClock, testClock } from './clock.ts';

export const PAYEE = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
export const DEPTH = 3;
const START = '2026-11-16T12:00:00.000Z';

/** A key for tests only. */
export const PRIVATE_KEY = new Uint8Array(32).fill(7);

export const SENDER = addressesOf(publicKeyOf(PRIVATE_KEY)).evm;

export type FundedNode = { readonly node: EvmNode; readonly usdt: Token; readonly usdc: Token };

/** A node with both tokens; the sender holds all of them and 1,000 coins. */
export async function startFundedNode(options: Parameters<typeof startEvmNode>[0] = {}): Promise<FundedNode> {
  const node = await startEvmNode(options);
  await node.rpc('anvil_setBalance', [SENDER, `0x${(1_000n * 10n ** 18n).toString(16)}`]);
  const usdt = await deployToken(node, 'PlainToken', 6, SENDER);
  const usdc = await deployToken(node, 'ReturningToken', 6, SENDER);
  return { node, usdt, usdc };
}

function evmSettings({ node, usdt, usdc }: FundedNode, changes: Partial<EvmSettings> = {}): EvmSettings {
  return {
    network: 'ethereum',
    // A slow machine must not look like a silent node.
    providers: [{ name: 'node', url: node.url, timeoutSeconds: 20 }],
    senders: [{ address: SENDER, signer: keySigner(PRIVATE_KEY) }],
    depth: DEPTH,
    // With blocks this short, a later lookup never uses a cached reading.
    test: { chainId: node.chainId, blockMs: 0, tokens: { usdt: usdt.address, usdc: usdc.address } },
    ...changes,
  };
}

export type EvmTest = FundedNode & {
  readonly chain: Chain;
  readonly start: StartCheck;
  readonly clock: TestClock;
  transfer(symbol?: AssetSymbol, units?: bigint, to?: string): Transfer;
  /** Signs the next attempt, which must succeed. */
  sign(transfer: Transfer, before?: readonly Attempt[], kind?: Attempt['kind']): Promise<Attempt>;
  /** Signs and sends the first attempt. */
  send(transfer: Transfer): Promise<Attempt[]>;
  look(transfer: Transfer, attempts: readonly Attempt[], seen?: Block): ReturnType<Chain['lookup']>;
};

/** Slots are counted from 0, as for a new sender. */
export async function openEvmTest(node: FundedNode, changes: Partial<EvmSettings> = {}): Promise<EvmTest> {
  const clock = testClock(START);
  // Pauses and ages follow the clock that the test moves.
  const monotonicMs = () => clock.now().getTime();
  const { chain, start } = await openEvmChain(evmSettings(node, changes), { clock, monotonicMs });
  let nonce = 0n;
  const sign: EvmTest['sign'] = async (transfer, before = [], kind = 'transfer') => {
    const signed = kind === 'void' ? await chain.signVoid?.(transfer.slot, before) : await chain.sign(transfer, before);
    if (signed?.kind !== 'signed') throw new Error(`not signed: ${signed?.message}`);
    return { number: before.length + 1, kind, hash: signed.hash, raw: signed.raw, signedAt: clock.now() };
  };
  return {
    ...node,
    chain,
    start,
    clock,
    transfer: (symbol = 'usdt', units = 10_000_000n, to = PAYEE) => ({
      slot: { network: 'ethereum', sender: SENDER, nonce: nonce++ },
      symbol,
      units,
      to,
    }),
    sign,
    async send(transfer) {
      const attempt = await sign(transfer);
      const sent = await chain.broadcast(attempt);
      if (!sent.isSent) throw new Error(`not sent: ${sent.message}`);
      return [attempt];
    },
    look: (transfer, attempts, seen) => chain.lookup(transfer, attempts, seen),
  };
}

export function minedOf(sighting: Sighting): Extract<Sighting, { readonly kind: 'mined' }> {
  assert.ok(sighting.kind === 'mined', `${sighting.kind} ${'message' in sighting ? sighting.message : ''}`);
  return sighting;
}
