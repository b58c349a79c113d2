// Tokens of a test node: our own contracts, with the behaviour and, when switched on, the misbehaviour of real ones.
import type { Hex } from 'viem';
import { encodeAbiParameters, encodeFunctionData, getContractAddress, parseAbi } from 'viem/utils';
import type { EvmNode } from './evm-node.ts';
import code from './tokens.json' with { type: 'json' };

const TOKEN = parseAbi([
  'function transfer(address to, uint256 units)',
  'function balanceOf(address owner) view returns (uint256)',
  'function setBalance(address owner, uint256 units)',
  'function setBlocked(address owner, bool isIt)',
  'function setRates(uint256 disclosed, uint256 hidden)',
  'function setMute(bool isIt)',
]);

export type Token = {
  readonly address: string;
  balanceOf(owner: string): Promise<bigint>;
  /** Adds or removes the difference, with a log. */
  setBalance(owner: string, units: bigint): Promise<unknown>;
  setBlocked(owner: string, isIt: boolean): Promise<unknown>;
  /** Basis points of each transfer that it keeps: those that it discloses, and those that it hides. */
  setRates(disclosed: bigint, hidden: bigint): Promise<unknown>;
  /** Moves units without a log. */
  setMute(isIt: boolean): Promise<unknown>;
};

/** `PlainToken` returns nothing, as USDT on Ethereum does. */
type TokenKind = 'PlainToken' | 'ReturningToken';

const SUPPLY = 10n ** 30n;

/** Deploys a token, and gives the owner an amount of it, or all. */
export async function deployToken(
  node: EvmNode,
  kind: TokenKind,
  decimals: number,
  owner: string,
  units: bigint = SUPPLY,
): Promise<Token> {
  const types = [{ type: 'uint8' }, { type: 'uint256' }] as const;
  const args = encodeAbiParameters(types, [decimals, SUPPLY]).slice(2);
  const address = await node.send(undefined, code[kind] + args);
  const call = (data: Hex) => node.send(address, data);
  await call(encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args: [hexOf(owner), units] }));
  return {
    address,
    async balanceOf(of) {
      const data = encodeFunctionData({ abi: TOKEN, functionName: 'balanceOf', args: [hexOf(of)] });
      return BigInt(await node.rpc('eth_call', [{ to: address, data }, 'latest']));
    },
    setBalance: (of, to) => call(encodeFunctionData({ abi: TOKEN, functionName: 'setBalance', args: [hexOf(of), to] })),
    setBlocked: (of, isIt) =>
      call(encodeFunctionData({ abi: TOKEN, functionName: 'setBlocked', args: [hexOf(of), isIt] })),
    setRates: (disclosed, hidden) =>
      call(encodeFunctionData({ abi: TOKEN, functionName: 'setRates', args: [disclosed, hidden] })),
    setMute: isIt => call(encodeFunctionData({ abi: TOKEN, functionName: 'setMute', args: [isIt] })),
  };
}

/** The address of the contract that an account deploys with this nonce. */
export function contractAddress(account: string, nonce: bigint): string {
  return getContractAddress({ from: hexOf(account), nonce });
}

function hexOf(address: string): Hex {
  return `0x${address.slice(2)}`;
}
