// A remote signer that speaks JSON-RPC (`eth_signTransaction`), as Web3Signer does. What it returns is compared field by
// field by the chain: Web3Signer has a chain id of its own and ignores the one it receives.
import { valueAt } from '../../lib/exact-json.ts';
import { type PostDeps, postJson } from './post-json.ts';
import { SignerRefused, SignerSilent, type TransactionSigner, type UnsignedTransaction } from './signer.ts';

const MAX_MESSAGE_LENGTH = 200;

/** `address` has its checksum. */
export function remoteSigner(deps: PostDeps, address: string): TransactionSigner {
  return {
    kind: 'transaction',
    address,
    signTransaction: async transaction => {
      const signed = await call(deps, 'eth_signTransaction', [paramsOf(address, transaction)]);
      // Nodes answer with { raw, tx }, signers with the bytes alone.
      const raw = typeof signed === 'string' ? signed : valueAt(signed, ['raw']);
      if (typeof raw === 'string' && /^0x([0-9a-f]{2})+$/i.test(raw)) return raw;
      throw new SignerRefused('The remote signer answered without signed bytes.');
    },
  };
}

/** Whether it has the key of an address; undefined when it does not say. */
export async function hasRemoteKey(deps: PostDeps, address: string): Promise<boolean | undefined> {
  try {
    const accounts = await call(deps, 'eth_accounts', []);
    if (!Array.isArray(accounts)) return undefined;
    return accounts.some(account => String(account).toLowerCase() === address.toLowerCase());
  } catch (error) {
    if (error instanceof SignerSilent || error instanceof SignerRefused) return undefined;
    throw error;
  }
}

function paramsOf(from: string, transaction: UnsignedTransaction) {
  const { to, data } = transaction;
  return {
    type: '0x2',
    from,
    to,
    data,
    chainId: quantity(transaction.chainId),
    nonce: quantity(transaction.nonce),
    value: quantity(transaction.value),
    gas: quantity(transaction.gas),
    maxFeePerGas: quantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas),
  };
}

const quantity = (amount: number | bigint) => `0x${amount.toString(16)}`;

async function call(deps: PostDeps, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await postJson(deps, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  if ('failure' in answer) throw new SignerSilent(`The remote signer does not answer: ${answer.failure}.`);
  const { status, json } = answer;
  const error = valueAt(json, ['error']);
  if (error !== undefined && error !== null) throw new SignerRefused(`The remote signer refused: ${messageOf(error)}.`);
  const result = valueAt(json, ['result']);
  if (status === 200 && result !== undefined) return result;
  const message = `The remote signer answers with HTTP status ${status} and no result.`;
  throw status >= 500 || status === 429 ? new SignerSilent(message) : new SignerRefused(message);
}

/** The signer's own message, cut and without control characters, since it ends up in the log. */
function messageOf(error: unknown): string {
  const [code, message] = [valueAt(error, ['code']), valueAt(error, ['message'])];
  const text = typeof message === 'string' ? message : 'no reason given';
  return `${text
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, MAX_MESSAGE_LENGTH)
    .trim()} (${typeof code === 'number' ? code : 'no code'})`;
}
