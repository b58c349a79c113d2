// Signs an attempt at a transfer. Attempts share no nonce, so another one is signed only once it is proved that no earlier one can still be
// executed.
import type { Clock } from '../../lib/clock.ts';
import type { Attempt, Intent, Sighting, Signed, Transfer } from '../chain.ts';
import { addressesOf, signRecoverable } from '../signer/recoverable.ts';
import { type DigestSigner, SignerRefused, SignerSilent } from '../signer/signer.ts';
import type { TronAsset } from './assets.ts';
import { estimateFee } from './call-transfer.ts';
import { firstAnswer, type Heads, type Node } from './nodes.ts';
import { signedTransaction, type UnsignedTransaction, unsignedTransaction } from './transaction.ts';

type SignDeps = {
  readonly nodes: readonly Node[];
  readonly signer: DigestSigner;
  readonly clock: Clock;
  /** In sun. */
  readonly feeCap: bigint;
  readonly lookup: (transfer: Transfer, attempts: readonly Attempt[]) => Promise<Sighting>;
};

/** How long after the head's time a block may take an attempt. A lost one is replaced about two minutes later. */
export const LIFE_MS = 6 * 60 * 1_000;
/** A head that is further from our time comes from a node that lags or lies. */
const MAX_SKEW_MS = 5 * 60 * 1_000;
const NONCE_SPAN = 60_000n;

export async function signTransfer(
  deps: SignDeps,
  transfer: Transfer,
  asset: TronAsset,
  before: readonly Attempt[],
): Promise<Signed> {
  const objection = before.length > 0 ? objectionTo(await deps.lookup(transfer, before)) : undefined;
  if (objection) return objection;
  const heads = await firstAnswer(deps.nodes, node => node.heads());
  if (heads.failure !== undefined) return { kind: 'unknown', message: heads.failure };
  const skewMs = heads.value.head.timeMs - deps.clock.now().getTime();
  if (Math.abs(skewMs) > MAX_SKEW_MS) {
    return { kind: 'unknown', message: `the newest block is ${Math.round(skewMs / 1000)} s away from our time` };
  }
  const fee = asset.kind === 'token' ? await feeOf(deps, transfer, asset.contract) : undefined;
  if (fee && 'kind' in fee) return fee;
  return signWith(deps.signer, transfer, heads.value, fee);
}

/** Why no further attempt may be signed now. */
function objectionTo(sighting: Sighting): Signed | undefined {
  if (sighting.kind === 'stuck') return undefined;
  if (sighting.kind === 'unknown') return { kind: 'unknown', message: sighting.message ?? 'no node answered' };
  const standing = sighting.kind === 'mined' ? 'was executed' : 'may still be executed';
  return { kind: 'refused', message: `an earlier attempt ${standing}` };
}

type TokenFee = { readonly contract: string; readonly feeLimit: bigint };

async function feeOf(
  { nodes, feeCap }: SignDeps,
  { slot, ...rest }: Transfer,
  contract: string,
): Promise<TokenFee | Exclude<Signed, { readonly kind: 'signed' }>> {
  const intent: Intent = { ...rest, sender: slot.sender };
  const fee = await estimateFee(nodes, intent, contract, feeCap);
  if (fee.kind === 'fee') return { contract, feeLimit: fee.feeLimit };
  return fee.kind === 'unknown' ? fee : { kind: 'refused', message: fee.message };
}

async function signWith(
  signer: DigestSigner,
  { slot, to, units }: Transfer,
  { head, solid }: Heads,
  token: TokenFee | undefined,
): Promise<Signed> {
  const unsigned = unsignedTransaction({
    owner: slot.sender,
    to,
    units,
    ...(token && { token }),
    // A fork cannot remove a solidified block, so the reference stays valid.
    reference: solid,
    expirationMs: head.timeMs + LIFE_MS,
    // No node checks it. Without it two equal transfers at the same head would have one id, and be one transaction.
    timestampMs: head.timeMs + Number(slot.nonce % NONCE_SPAN),
  });
  return addressesOf(signer.publicKey).tron === slot.sender
    ? signBytes(signer, unsigned)
    : { kind: 'refused', message: `the signer has another key than that of ${slot.sender}` };
}

/** The signature is known to be of the signer's key before it is saved. */
async function signBytes(signer: DigestSigner, unsigned: UnsignedTransaction): Promise<Signed> {
  try {
    const signature = await signRecoverable(signer, unsigned.id);
    return { kind: 'signed', hash: hex(unsigned.id), raw: hex(signedTransaction(unsigned, signature)) };
  } catch (error) {
    if (error instanceof SignerSilent) return { kind: 'unknown', message: 'the signer did not answer' };
    if (error instanceof SignerRefused) return { kind: 'refused', message: error.message };
    throw error;
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
