// The receipt of a payout: what left, where to, in which block. Signed with Ed25519 over its canonical JSON (RFC 8785), so that anyone
// can verify it without the service. Its content is final, so it is made on demand and always the same.
import { sign, verify } from 'node:crypto';
import { canonicalJson, isPlainJson } from '../../lib/canonical-json.ts';
import { AppError } from '../../lib/errors.ts';
import type { Mode } from '../../lib/mode.ts';
import type { Payout } from '../payout.ts';
import { payoutView } from '../view.ts';
import { keyIdOf, publicKeyFrom, type ReceiptKey } from './receipt-key.ts';

export const RECEIPT_TYPE = 'trilho.payout_receipt.1';
export const SIGNATURE_ALGORITHM = 'Ed25519';

type PayoutReceipt = ReturnType<typeof receiptOf>;

export type SignedReceipt = {
  readonly receipt: PayoutReceipt;
  readonly signature: {
    readonly algorithm: typeof SIGNATURE_ALGORITHM;
    readonly keyId: string;
    readonly publicKey: string;
    /** Base64url. */
    readonly value: string;
  };
};

/** Refuses a payout that a reorganisation may still undo, and one whose transfer was not carried out as asked for. */
export function signedReceipt(payout: Payout, mode: Mode, { id, publicKey, privateKey }: ReceiptKey): SignedReceipt {
  const receipt = receiptOf(payout, mode);
  const value = sign(null, Buffer.from(canonicalJson(receipt)), privateKey).toString('base64url');
  return { receipt, signature: { algorithm: SIGNATURE_ALGORITHM, keyId: id, publicKey, value } };
}

function receiptOf(payout: Payout, mode: Mode) {
  const { id, state, network, symbol, quantity, sender, destination, hash, block, networkFee, updatedAt } =
    payoutView(payout);
  if (state === 'open' || state === 'done') {
    throw new AppError('wrong_state', 'This payout is not final yet; it has a receipt once no block can undo it.');
  }
  if (state !== 'final' || hash === undefined || !block || !networkFee) {
    throw new AppError('wrong_state', `This payout is ${state} and has no receipt.`);
  }
  const { place, attempts } = payout;
  // The process that sent it may have died before it recorded the time.
  const sentAt = payout.sentAt ?? attempts[0]?.signedAt ?? payout.createdAt;
  return {
    type: RECEIPT_TYPE,
    mode,
    payoutId: id,
    ...(payout.ownerId !== undefined && { transactionId: payout.ownerId }),
    accountId: payout.accountId,
    network,
    ...(place?.chainId !== undefined && { chainId: place.chainId }),
    ...(place && { isTest: place.isTest }),
    symbol,
    ...(place?.token !== undefined && { token: place.token }),
    quantity,
    sender,
    destination,
    hash,
    block,
    networkFee,
    sentAt: sentAt.toISOString(),
    finalAt: updatedAt,
  } as const;
}

type Verification =
  /** The signature is right. The caller must know whose key `keyId` is. */
  | { readonly kind: 'valid'; readonly receipt: Readonly<Record<string, unknown>>; readonly keyId: string }
  | { readonly kind: 'invalid'; readonly message: string }
  /** The service refused to give a receipt; `message` says why. */
  | { readonly kind: 'refused'; readonly message: string };

/** Verifies the text of a signed receipt; with `keyId`, also that this key has signed it. */
export function verifyReceipt(text: string, keyId?: string): Verification {
  const refusal = parse(text);
  if (isProblem(refusal)) return { kind: 'refused', message: refusal.detail };
  const document = readDocument(text);
  if ('fault' in document) return { kind: 'invalid', message: document.fault };
  const { receipt, signature } = document;
  const key = publicKeyFrom(signature.publicKey);
  if (!key) return { kind: 'invalid', message: 'its publicKey is not an Ed25519 key' };
  const id = keyIdOf(key);
  if (signature.keyId !== id) return { kind: 'invalid', message: 'its keyId does not match its publicKey' };
  if (keyId !== undefined && keyId !== id) return { kind: 'invalid', message: `it is signed by another key, ${id}` };
  const bytes = Buffer.from(canonicalJson(receipt));
  const isRight = verify(null, bytes, key, Buffer.from(signature.value, 'base64url'));
  if (!isRight) return { kind: 'invalid', message: 'it was changed after it was signed' };
  return { kind: 'valid', receipt, keyId: id };
}

type Document = {
  readonly receipt: Readonly<Record<string, unknown>>;
  readonly signature: { readonly keyId: string; readonly publicKey: string; readonly value: string };
};

function readDocument(text: string): Document | { readonly fault: string } {
  const document = parse(text);
  if (!isFields(document)) return { fault: 'it is not a JSON object' };
  if (!isPlainJson(text, document)) return { fault: 'it has a field twice, or was reformatted' };
  const { receipt, signature, ...more } = document;
  if (!isFields(receipt) || receipt['type'] !== RECEIPT_TYPE) return { fault: 'it is not the receipt of a payout' };
  // Fields beside the receipt are not signed.
  if (!isFields(signature) || Object.keys(more).length > 0) return { fault: 'it has other fields than a receipt' };
  const { algorithm, keyId, publicKey, value } = signature;
  if (algorithm !== SIGNATURE_ALGORITHM) return { fault: `its signature is not ${SIGNATURE_ALGORITHM}` };
  if (typeof keyId !== 'string' || typeof publicKey !== 'string' || typeof value !== 'string') {
    return { fault: 'its signature is incomplete' };
  }
  if (!isSignable(receipt)) return { fault: 'it has a number that a receipt cannot have' };
  return { receipt, signature: { keyId, publicKey, value } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What `GET …/receipt` answers before the payout is final. */
function isProblem(document: unknown): document is { type: string; detail: string } {
  if (!isFields(document)) return false;
  const { type, detail } = document;
  return typeof type === 'string' && type.startsWith('/problems/') && typeof detail === 'string';
}

function isSignable(receipt: unknown): boolean {
  try {
    canonicalJson(receipt);
    return true;
  } catch {
    return false;
  }
}
