// Judges what a mined transaction did: which units left the sender, and whether those of the transfer arrived. Pure.
import type { Sighting, Transfer } from '../chain.ts';
import { addressWord, readWord, TRANSFER_TOPIC } from './abi.ts';
import type { TransactionInfo } from './answers.ts';
import type { TronAsset } from './assets.ts';
import { hexAddress } from './hex-address.ts';

type Mined = Extract<Sighting, { readonly kind: 'mined' }>;
export type Outcome = Pick<Mined, 'outcome' | 'leftUnits'>;

/** `contractRet`: the node's result for the transaction itself; it decides for TRX, which writes no logs. */
export function outcomeOf(
  transfer: Transfer,
  asset: TronAsset,
  info: TransactionInfo,
  contractRet: string | undefined,
): Outcome {
  if (asset.kind === 'token') return tokenOutcome(transfer, asset.contract, info);
  const isCarriedOut = contractRet === 'SUCCESS' && !info.isFailed;
  return isCarriedOut ? { outcome: 'transferred', leftUnits: transfer.units } : { outcome: 'reverted', leftUnits: 0n };
}

function tokenOutcome({ slot, to, units }: Transfer, contract: string, info: TransactionInfo): Outcome {
  // A call that failed, for whatever reason, has no effect but its fee.
  if (info.result !== 'SUCCESS' || info.isFailed) return { outcome: 'reverted', leftUnits: 0n };
  const [sender, payee] = [addressWord(slot.sender), addressWord(to)];
  let left = 0n;
  let arrived = 0n;
  for (const { contract: source, topics, data } of info.logs) {
    // Logs name a contract by its twenty bytes.
    if (source !== hexAddress(contract).slice(2) || topics[0] !== TRANSFER_TOPIC) continue;
    const amount = readWord(data);
    if (amount === undefined || topics[1] !== sender || topics[2] === sender) continue;
    left += amount;
    if (topics[2] === payee) arrived += amount;
  }
  return { outcome: arrived === units ? 'transferred' : 'mismatched', leftUnits: left };
}
