// Questions before the first transfer: is each provider a node of the network, are the tokens where we think, and do the senders
// have their keys? A wrong answer is a fault of the settings; what does not answer is asked again before use.
import type { Clock } from '../../lib/clock.ts';
import { type AssetSymbol, SYMBOLS } from '../asset.ts';
import { addressesOf } from '../signer/recoverable.ts';
import type { DigestSigner } from '../signer/signer.ts';
import { readWord, SELECTORS } from './abi.ts';
import type { TronTokens } from './assets.ts';
import { firstAnswer, type Node, OTHER_NETWORK } from './nodes.ts';

/** The id of the first block of the main network. */
export const MAINNET_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

export type TronSender = {
  readonly address: string;
  /** A former sender can be watched without its key. */
  readonly signer?: DigestSigner;
  /** Takes new slots, as the first always does. */
  readonly isActive?: boolean;
};

export type StartCheck = {
  /** Each begins with the path of its setting inside the entry. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Whether the tokens were checked; if not, they are checked before the first transfer. */
  readonly isComplete: boolean;
};

export type StartDeps = {
  readonly nodes: readonly Node[];
  readonly tokens: TronTokens;
  /** Whether the settings name the tokens, those of a test network. */
  readonly isTest: boolean;
  readonly senders: readonly [TronSender, ...TronSender[]];
};

const RECHECK_MS = 5_000;

export async function startCheck({ nodes, tokens, isTest, senders }: StartDeps): Promise<StartCheck> {
  const ofNodes = await Promise.all(nodes.map(checkNode));
  const ofTokens = await Promise.all(
    SYMBOLS.flatMap(symbol => {
      const token = tokens[symbol];
      const setting = isTest ? `test.tokens.${symbol}` : 'providers';
      return token ? [checkToken(nodes, senders[0].address, setting, { symbol, ...token })] : [];
    }),
  );
  const ofSenders = senders.flatMap(({ address, signer }, index) => {
    const found = signer && addressesOf(signer.publicKey).tron;
    return found === undefined || found === address
      ? []
      : [`senders[${index}].signer has the address ${found}, not ${address}`];
  });
  return {
    faults: [...[...ofNodes, ...ofTokens].flatMap(({ fault }) => fault ?? []), ...ofSenders],
    warnings: ofNodes.flatMap(({ warning }) => warning ?? []),
    isComplete: ofTokens.every(({ isSilent }) => !isSilent),
  };
}

export type Unchecked = {
  readonly message: string;
  /** What contradicts the settings; absent while nothing does. */
  readonly fault?: string;
};

/** Why nothing may be signed yet, after asking again what was not answered; undefined once everything was checked. */
export function untilChecked(deps: StartDeps, start: StartCheck, clock: Clock): () => Promise<Unchecked | undefined> {
  let isChecked = start.isComplete && start.faults.length === 0;
  let last = { atMs: clock.now().getTime(), check: Promise.resolve(start) };
  return async () => {
    if (isChecked) return undefined;
    const nowMs = clock.now().getTime();
    if (Math.abs(nowMs - last.atMs) >= RECHECK_MS) last = { atMs: nowMs, check: startCheck(deps) };
    const { faults, isComplete } = await last.check;
    isChecked = isComplete && faults.length === 0;
    if (isChecked) return undefined;
    const [fault] = faults;
    return fault === undefined ? { message: 'no provider answers' } : { message: fault, fault };
  };
}

type Checked = { readonly fault?: string; readonly warning?: string; readonly isSilent?: true };

async function checkNode(node: Node, index: number): Promise<Checked> {
  const { failure } = await node.heads();
  if (failure === undefined) return {};
  if (failure.endsWith(OTHER_NETWORK)) return { fault: `providers[${index}].url ${OTHER_NETWORK}, not of tron` };
  return { warning: `providers[${index}] does not answer (${failure}); it is checked before its first use` };
}

async function checkToken(
  nodes: readonly Node[],
  sender: string,
  setting: string,
  { symbol, address, decimals }: { readonly symbol: AssetSymbol; readonly address: string; readonly decimals: number },
): Promise<Checked> {
  const account = await firstAnswer(nodes, node => node.account(address));
  if (account.failure !== undefined) return { isSilent: true };
  const where = `${setting}: the contract of ${symbol} on tron, ${address},`;
  if (!account.value.isContract) return { fault: `${where} has no code` };
  const call = await firstAnswer(nodes, node =>
    node.call({ from: sender, contract: address, data: SELECTORS.decimals }),
  );
  if (call.failure !== undefined) return { isSilent: true };
  const found = call.value.kind === 'returned' ? readWord(call.value.words[0]) : undefined;
  if (found === BigInt(decimals)) return {};
  return { fault: `${where} must have ${decimals} decimals, and has ${found ?? 'none'}` };
}
