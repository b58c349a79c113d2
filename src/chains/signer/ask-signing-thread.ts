// Makes and checks signatures in a separate thread, so that a burst of payouts does not hold up requests.
import { ThreadEnded, thread } from '../../lib/thread.ts';
import type { RecoverableSignature } from './recover.ts';
import { SignerSilent } from './signer.ts';

export type SigningQuestion =
  | { readonly kind: 'sign'; readonly digest: Uint8Array; readonly privateKey: Uint8Array }
  | {
      readonly kind: 'check';
      readonly digest: Uint8Array;
      readonly bytes: Uint8Array;
      readonly publicKey: Uint8Array;
    };

export type SigningAnswer =
  | { readonly kind: 'signed'; readonly bytes: Uint8Array }
  /** Absent: the bytes are not a signature of the digest by this key. */
  | { readonly kind: 'checked'; readonly signature: RecoverableSignature | undefined };

const signing = thread<SigningQuestion, SigningAnswer>('./signing-thread', import.meta.url);

/** 64 bytes r ‖ s by a private key. Throws `SignerSilent` when the thread ends meanwhile: nothing was signed. */
export async function signInThread(digest: Uint8Array, privateKey: Uint8Array): Promise<Uint8Array> {
  const answer = await ask({ kind: 'sign', digest, privateKey });
  if (answer.kind !== 'signed') throw new SignerSilent('The signing thread answered something else.');
  return answer.bytes;
}

/** The signature as chains take it; undefined when it is not one of the digest by this key. Throws `SignerSilent` as above. */
export async function checkInThread(
  bytes: Uint8Array,
  digest: Uint8Array,
  publicKey: Uint8Array,
): Promise<RecoverableSignature | undefined> {
  const answer = await ask({ kind: 'check', digest, bytes, publicKey });
  return answer.kind === 'checked' ? answer.signature : undefined;
}

async function ask(question: SigningQuestion): Promise<SigningAnswer> {
  try {
    return await signing.ask(question);
  } catch (error) {
    if (error instanceof ThreadEnded) throw new SignerSilent(error.message);
    throw error;
  }
}
