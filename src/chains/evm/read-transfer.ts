// The transfer that a transaction of an EVM network makes. A node names its fields; written as bytes again they must have the hash
// that was asked for, so that no node can invent one.
import { keccak256 } from 'viem/utils';
import { addressOf } from '../address.ts';
import { SYMBOLS } from '../asset.ts';
import type { Intent, SentTransfer } from '../chain.ts';
import { readTransferData } from './contracts.ts';
import type { Provider } from './provider.ts';
import { readHead, readSignedFields, type SignedFields } from './read.ts';
import type { EvmPlan } from './settings.ts';
import { readTransaction, senderOf, serialize, type Transaction } from './transaction.ts';
import { replyValue } from './watch.ts';

type Deps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan };

const HASH = /^0x[0-9a-f]{64}$/;

/** As `Chain.readTransfer`. */
export async function readTransferIn(deps: Deps, hash: string): Promise<SentTransfer | 'absent' | undefined> {
  if (!HASH.test(hash)) return 'absent';
  const answers = await Promise.all(deps.providers.map(provider => askOne(provider, deps.plan, hash)));
  return answers.find(answer => typeof answer === 'object') ?? answers.find(answer => answer === 'absent');
}

async function askOne(provider: Provider, plan: EvmPlan, hash: string): Promise<SentTransfer | 'absent' | undefined> {
  const said = replyValue(await provider.ask('eth_getTransactionByHash', [hash], readSignedFields));
  if (said === undefined || said === 'absent') return said;
  const signed = signedOf(said, hash);
  // Not the transaction of that hash: counts as no answer.
  if (!signed) return undefined;
  const intent = signed.fields.chainId === plan.chainId ? intentOf(plan, signed.fields) : undefined;
  const sender = senderOf(signed);
  if (!intent || sender === undefined) return 'absent';
  const place = [`0x${said.blockNumber.toString(16)}`, false];
  const block = replyValue(await provider.ask('eth_getBlockByNumber', place, readHead));
  if (!block) return undefined;
  const sentAt = new Date(Number(block.timestamp) * 1_000);
  return { ...intent, sender, hash, raw: signed.raw, nonce: signed.fields.nonce, sentAt };
}

function signedOf({ fields, signature }: SignedFields, hash: string) {
  const to = addressOf('evm', Buffer.from(fields.to.slice(2), 'hex'));
  const raw = serialize({ ...fields, to }, signature);
  const read = keccak256(raw) === hash ? readTransaction(raw) : undefined;
  return read && { ...read, raw };
}

/** What it moves; undefined for anything but a transfer of the coin or of a token that the service knows. */
function intentOf({ coin, tokens }: EvmPlan, { to, value, data }: Transaction): Omit<Intent, 'sender'> | undefined {
  if (data === '0x') {
    const symbol = SYMBOLS.find(name => name === coin);
    return symbol && value > 0n ? { symbol, units: value, to } : undefined;
  }
  const call = readTransferData(data);
  const symbol = SYMBOLS.find(name => tokens[name]?.address === to);
  if (!call || !symbol || value > 0n) return undefined;
  return { symbol, units: call.units, to: addressOf('evm', Buffer.from(call.to.slice(2), 'hex')) };
}
