// Calls of the contracts that the service knows, and the one log that proves a transfer. `transfer` is declared without a
// return value: USDT on Ethereum returns nothing.
import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils';
import type { Log } from './read.ts';

const TOKEN = parseAbi([
  'function transfer(address to, uint256 units)',
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function basisPointsRate() view returns (uint256)',
  'function isBlackListed(address owner) view returns (bool)',
  'function isBlacklisted(address owner) view returns (bool)',
  'function isBlocked(address owner) view returns (bool)',
]);
const L1_FEE_ORACLE = parseAbi(['function getL1FeeUpperBound(uint256 size) view returns (uint256)']);
export const TRANSFER_TOPIC = toEventSelector('Transfer(address,address,uint256)');

export function transferData(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args: [hexOf(to), units] });
}

/** The payee of a token call, in lower case, and the amount; undefined unless it is exactly a call of `transfer`. */
export function readTransferData(data: string): Omit<TokenTransfer, 'from'> | undefined {
  const [, to, units] = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data) ?? [];
  return to === undefined || units === undefined ? undefined : { to: `0x${to}`, units: BigInt(`0x${units}`) };
}

export function balanceOfData(owner: string): Hex {
  return encodeFunctionData({ abi: TOKEN, functionName: 'balanceOf', args: [hexOf(owner)] });
}

export function blocklistData(name: 'isBlackListed' | 'isBlacklisted' | 'isBlocked', owner: string): Hex {
  return encodeFunctionData({ abi: TOKEN, functionName: name, args: [hexOf(owner)] });
}

export const DECIMALS_DATA = encodeFunctionData({ abi: TOKEN, functionName: 'decimals' });
export const FEE_RATE_DATA = encodeFunctionData({ abi: TOKEN, functionName: 'basisPointsRate' });

/** Asks for the most that a transaction of this many bytes pays as L1 fee. */
export function l1FeeData(bytes: number): Hex {
  return encodeFunctionData({ abi: L1_FEE_ORACLE, functionName: 'getL1FeeUpperBound', args: [BigInt(bytes)] });
}

type TokenTransfer = { readonly from: string; readonly to: string; readonly units: bigint };

/** The transfers of a token that logs report, addresses in lower case. */
export function tokenTransfers(logs: readonly Log[], token: string): TokenTransfer[] {
  return logs.flatMap(({ address, topics: [event, from, to, ...rest], data }) => {
    if (address !== token.toLowerCase() || event !== TRANSFER_TOPIC || rest.length > 0) return [];
    if (from === undefined || to === undefined || data.length !== 66) return [];
    return [{ from: addressIn(from), to: addressIn(to), units: BigInt(data) }];
  });
}

/** The address in the last twenty bytes of a topic. */
function addressIn(topic: string): string {
  return `0x${topic.slice(-40)}`;
}

/** Text that begins with 0x, which all addresses and bytes of EVM networks do. */
export function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}
