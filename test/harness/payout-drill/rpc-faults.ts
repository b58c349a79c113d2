// What providers of an EVM network do wrong, as rules of a proxy in front of a real node.
import { keccak256 } from 'viem/utils';
import type { NodeReply } from '../../../src/sandbox/evm-node/running-node.ts';
import type { Random } from '../random.ts';
import type { Rule } from '../rpc-proxy.ts';

/** Calls or their answers are lost; some are answered with a rate limit. */
export function lossy(random: Random, share = 0.3): Rule {
  return async ({ pass }) => {
    if (!random.chance(share)) return undefined;
    const how = random.below(3);
    if (how === 0) return 'cut';
    if (how === 1) return { error: { code: -32_005, message: 'limit exceeded' } };
    await pass();
    return 'cut';
  };
}

/** The node accepts what is sent and does not answer. */
export const mute: Rule = async ({ method, pass }) => {
  if (method !== 'eth_sendRawTransaction') return undefined;
  await pass();
  return 'cut';
};

/** Takes bytes and drops them, denies receipts and transactions that it has. */
export function lying(random: Random): Rule {
  return ({ method, params: [first] }) => {
    if (!random.chance(0.5)) return undefined;
    if (method === 'eth_sendRawTransaction') return { result: keccak256(first as `0x${string}`) };
    if (method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash') return { result: null };
    return undefined;
  };
}

/** The token denies an address; `body` is in hexadecimal digits. */
export function denying(body: string): Rule {
  return ({ method, params }) => {
    const isAsked = method === 'eth_estimateGas' && JSON.stringify(params).toLowerCase().includes(body);
    return isAsked ? { error: { code: 3, message: 'execution reverted: denied' } } : undefined;
  };
}

type Ask = (method: string, params: readonly unknown[]) => Promise<NodeReply>;

/** Answers like a node that is `lag` blocks behind. */
export function lagging(ask: Ask, lag: () => number): Rule {
  return async ({ method, params, pass }) => {
    const behind = lag();
    if (behind === 0) return undefined;
    const { result } = await ask('eth_blockNumber', []);
    const head = Math.max(0, Number(result) - behind);
    const height = `0x${head.toString(16)}`;
    if (method === 'eth_getTransactionReceipt') {
      const reply = await pass();
      const receipt = reply.result as { blockNumber: string } | null | undefined;
      return receipt && Number(receipt.blockNumber) > head ? { result: null } : reply;
    }
    if (method === 'eth_getBlockByNumber' && typeof params[0] === 'string' && params[0].startsWith('0x')) {
      return Number(params[0]) > head ? { result: null } : undefined;
    }
    if (method !== 'eth_getBlockByNumber' && method !== 'eth_getTransactionCount') return undefined;
    const at = method === 'eth_getBlockByNumber' ? 0 : 1;
    if (params[at] !== 'latest' && params[at] !== 'pending') return undefined;
    return ask(method, params.with(at, height));
  };
}
