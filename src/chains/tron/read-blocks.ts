// Reads whole blocks, and from their transactions the transfers of some senders.
import { valueAt } from '../../lib/exact-json.ts';
import { addressOf } from '../address.ts';
import { type AssetSymbol, SYMBOLS } from '../asset.ts';
import type { ChainHistory } from '../chain.ts';
import { SELECTORS } from './abi.ts';
import { readBlock } from './answers.ts';
import type { TronTokens } from './assets.ts';
import { hexAddress } from './hex-address.ts';
import { tron } from './network.ts';
import type { Reader } from './provider.ts';

export type ReadBlocks = {
  /** Heights, in the order of the answer. */
  readonly numbers: readonly number[];
  readonly transfers: readonly ReadTransfer[];
};

/** `from`: in hexadecimal, as it was asked for. */
export type ReadTransfer = ChainHistory['transfers'][number] & { readonly from: string };

const ID = /^[0-9a-f]{64}$/;
const AMOUNT = /^\d{1,19}$/;
const ADDRESS = /^41[0-9a-f]{40}$/;
/** The contract reads only the last twenty bytes of the payee's word. */
const CALL = new RegExp(`^${SELECTORS.transfer}[0-9a-f]{24}([0-9a-f]{40})([0-9a-f]{64})`);

/** Transfers of TRX and of the tokens; a failed one has moved nothing. A transaction that cannot be read makes the answer unreadable. */
export const readTransfersOf = (owners: ReadonlySet<string>, tokens: TronTokens): Reader<ReadBlocks> => {
  const symbols = new Map(
    SYMBOLS.flatMap(symbol => {
      const token = tokens[symbol];
      return token ? [[hexAddress(token.address), symbol] as const] : [];
    }),
  );
  return answer => {
    const blocks = listAt(answer, 'block');
    const numbers: number[] = [];
    const transfers: ReadTransfer[] = [];
    for (const block of blocks ?? []) {
      const head = readBlock(block);
      if (!head || head === 'absent') return undefined;
      numbers.push(head.number);
      for (const transaction of listAt(block, 'transactions') ?? []) {
        const found = transferIn(transaction, owners, symbols);
        if (found === undefined) return undefined;
        if (found !== 'absent') transfers.push(found);
      }
    }
    return { numbers, transfers };
  };
};

function transferIn(
  transaction: unknown,
  owners: ReadonlySet<string>,
  symbols: ReadonlyMap<string, AssetSymbol>,
): ReadTransfer | 'absent' | undefined {
  const contract = valueAt(transaction, ['raw_data', 'contract', '0']);
  const at = (...path: string[]) => textAt(contract, 'parameter', 'value', ...path);
  const hash = textAt(transaction, 'txID');
  const type = textAt(contract, 'type');
  if (hash === undefined || !ID.test(hash) || type === undefined) return undefined;
  const from = at('owner_address');
  if (from === undefined || !owners.has(from)) return 'absent';
  const result = textAt(transaction, 'ret', '0', 'contractRet');
  // Without a result it may have moved money.
  if (result === undefined) return undefined;
  if (result !== 'SUCCESS') return 'absent';
  if (type === 'TransferContract') {
    const [to, amount] = [at('to_address'), at('amount')];
    if (to === undefined || !ADDRESS.test(to) || amount === undefined || !AMOUNT.test(amount)) return undefined;
    return { from, hash, symbol: tron.coin.symbol, to: base58(to.slice(2)), units: BigInt(amount) };
  }
  const symbol = type === 'TriggerSmartContract' ? symbols.get(at('contract_address') ?? '') : undefined;
  const [, to, units] = CALL.exec(at('data') ?? '') ?? [];
  if (!symbol || to === undefined || units === undefined) return 'absent';
  return { from, hash, symbol, to: base58(to), units: BigInt(`0x${units}`) };
}

const base58 = (body: string) => addressOf('tron', Buffer.from(body, 'hex'));

function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : undefined;
}

function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}
