// A chain of Tron at simulated nodes, with a key, a clock that a test moves, and transfers to send.
import type { Attempt, Chain, Signed, Transfer } from '../../src/chains/chain.ts';
import { keySigner, publicKeyOf } from '../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../src/chains/signer/recoverable.ts';
import type { StartCheck } from '../../src/chains/tron/start-check.ts';
import { openTronChain, type TronSettings } from '../../src/chains/tron/tron-chain.ts';
import { startTronNode, type TronNode, type TronNodeOptions } from '../../src/sandbox/tron-node/start.ts';
import { type TestClock, testClock } from './clock.ts';

export const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
export const PAYEE = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC';
export const OTHER_PAYEE = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const START = '2026-11-16T12:00:00.000Z';
const KEY = new Uint8Array(32).fill(0x21);
export const SLOT_MS = 3_000;

export const SIGNER = keySigner(KEY);
export const SENDER = addressesOf(publicKeyOf(KEY)).tron;

export type TronSetup = {
  readonly node: TronNode;
  readonly chain: Chain;
  readonly start: StartCheck;
  readonly clock: TestClock;
  /** Moves the clock; the chain follows at the next call. */
  passBlocks(count: number): void;
  stop(): Promise<void>;
};

export async function startTron(
  options: {
    readonly node?: TronNodeOptions;
    readonly chain?: Partial<TronSettings>;
    /** A slow machine must not look like a silent node, so the timeouts are long. */
    readonly timeoutSeconds?: number;
  } = {},
): Promise<TronSetup> {
  const clock = testClock(START);
  const node = await startTronNode({ clock, ...options.node });
  node.setBalance(SENDER, 1_000_000_000n);
  node.setToken(USDT, { balances: { [SENDER]: 1_000_000_000n } });
  const apiKey = options.node?.apiKey;
  const [first, ...others] = node.endpoints.map(({ url }, index) => ({
    name: `node-${index + 1}`,
    url,
    timeoutSeconds: options.timeoutSeconds ?? 20,
    ...(apiKey !== undefined && { apiKey }),
  }));
  const { chain, start } = await openTronChain(
    { providers: [first!, ...others], senders: [{ address: SENDER, signer: SIGNER }], ...options.chain },
    { clock },
  );
  return {
    node,
    chain,
    start,
    clock,
    passBlocks: count => clock.advanceMs(count * SLOT_MS),
    stop: () => node.stop(),
  };
}

export function usdtTransfer(nonce = 0n, changes: Partial<Transfer> = {}): Transfer {
  const slot = { network: 'tron', sender: SENDER, nonce } as const;
  return { slot, symbol: 'usdt', units: 25_000_000n, to: PAYEE, ...changes };
}

/** As the engine saves what was signed. */
export function attemptOf(signed: Signed, number: number, clock: TestClock): Attempt {
  if (signed.kind !== 'signed') throw new Error(`nothing was signed: ${signed.message ?? signed.kind}`);
  return { number, kind: 'transfer', hash: signed.hash, raw: signed.raw, signedAt: clock.now() };
}

export async function signedAttempt({ chain, clock }: TronSetup, transfer: Transfer): Promise<Attempt> {
  return attemptOf(await chain.sign(transfer, []), 1, clock);
}
