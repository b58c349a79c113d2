// The transfer that a transaction of Tron makes, read from its bytes, whose SHA-256 hash is its id: no node can invent one.
import { sha256 } from '@noble/hashes/sha2.js';
import { addressOf } from '../address.ts';
import { SYMBOLS } from '../asset.ts';
import type { SentTransfer } from '../chain.ts';
import { SELECTORS } from './abi.ts';
import type { TronTokens } from './assets.ts';
import { fieldsOf } from './attempt-bytes.ts';
import { tron } from './network.ts';
import type { Node } from './nodes.ts';
import { bytesField, concat } from './protobuf.ts';
import { type TronTransfer, unsignedTransaction } from './transaction.ts';

const ID = /^[0-9a-f]{64}$/;
const ADDRESS_BYTES = 21;
const SIGNATURE_BYTES = 65;
const CALL = new RegExp(`^${SELECTORS.transfer}0{24}([0-9a-f]{40})([0-9a-f]{64})$`);

/** As `Chain.readTransfer`. */
export async function readTransferIn(
  nodes: readonly Node[],
  tokens: TronTokens,
  hash: string,
): Promise<SentTransfer | 'absent' | undefined> {
  if (!ID.test(hash)) return 'absent';
  const answers = await Promise.all(nodes.map(node => askOne(node, tokens, hash)));
  return answers.find(answer => typeof answer === 'object') ?? answers.find(answer => answer === 'absent');
}

async function askOne(node: Node, tokens: TronTokens, hash: string): Promise<SentTransfer | 'absent' | undefined> {
  const bytes = await node.signedBytes(hash);
  if (bytes.failure !== undefined) return undefined;
  if (bytes.value === 'absent') return 'absent';
  const { rawData, signature } = bytes.value;
  // Not the transaction of that id: counts as no answer.
  if (Buffer.from(sha256(rawData)).toString('hex') !== hash || signature.length !== SIGNATURE_BYTES) return undefined;
  const transfer = readRawData(rawData);
  const symbol = transfer && symbolOf(transfer, tokens);
  if (!symbol) return 'absent';
  const info = await node.info('walletsolidity', hash);
  if (info.failure !== undefined) return undefined;
  if (info.value === 'absent') return 'absent';
  const block = await node.block('walletsolidity', info.value.blockNumber);
  if (block.failure !== undefined || block.value === 'absent') return undefined;
  const { owner: sender, to, units } = transfer;
  const raw = Buffer.from(concat(bytesField(1, rawData), bytesField(2, signature))).toString('hex');
  return { sender, symbol, units, to, hash, raw, sentAt: new Date(block.value.timeMs) };
}

function symbolOf({ token }: TronTransfer, tokens: TronTokens) {
  const { symbol: coin } = tron.coin;
  return token ? SYMBOLS.find(name => tokens[name]?.address === token.contract) : coin;
}

/** Undefined unless the bytes are exactly those that this service writes for a transfer. */
function readRawData(rawData: Buffer): TronTransfer | undefined {
  const fields = fieldsOf(rawData);
  const [bits, block] = [bytesAt(fields, 1), bytesAt(fields, 4)];
  const any = fieldsOf(bytesAt(fieldsOf(bytesAt(fields, 11)), 2));
  const value = fieldsOf(bytesAt(any, 2));
  const [owner, payee] = [addressAt(value, 1), addressAt(value, 2)];
  if (bits.length !== 2 || block.length !== 8 || owner === undefined || payee === undefined) return undefined;
  const common = {
    owner,
    reference: { number: bits.readUInt16BE(), id: `${'0'.repeat(16)}${block.toString('hex')}` },
    expirationMs: Number(integerAt(fields, 8)),
    timestampMs: Number(integerAt(fields, 14)),
  };
  const [, to, units] = CALL.exec(bytesAt(value, 4).toString('hex')) ?? [];
  const transfer: TronTransfer =
    to === undefined || units === undefined
      ? { ...common, to: payee, units: integerAt(value, 3) }
      : {
          ...common,
          to: addressOf('tron', Buffer.from(to, 'hex')),
          units: BigInt(`0x${units}`),
          token: { contract: payee, feeLimit: integerAt(fields, 18) },
        };
  // Written again it must give the same bytes, which proves that everything in them was read.
  return Buffer.from(unsignedTransaction(transfer).rawData).equals(rawData) ? transfer : undefined;
}

type Fields = ReturnType<typeof fieldsOf>;

function bytesAt(fields: Fields, number: number): Buffer {
  const found = fields?.get(number);
  return Buffer.from(found instanceof Uint8Array ? found : []);
}

function integerAt(fields: Fields, number: number): bigint {
  const found = fields?.get(number);
  return typeof found === 'bigint' ? found : 0n;
}

/** The first of its bytes names the network. */
function addressAt(fields: Fields, number: number): string | undefined {
  const bytes = bytesAt(fields, number);
  return bytes.length === ADDRESS_BYTES && bytes[0] === 0x41 ? addressOf('tron', bytes.subarray(1)) : undefined;
}
