// The thread in which signatures are made and checked; each takes about a millisecond. `askSigningThread` is its caller.
import { parentPort } from 'node:worker_threads';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { SigningAnswer, SigningQuestion } from './ask-signing-thread.ts';
import { recoverableFrom } from './recover.ts';

parentPort?.on('message', (question: SigningQuestion) => {
  parentPort?.postMessage(answerTo(question));
});

function answerTo(question: SigningQuestion): SigningAnswer {
  const { digest } = question;
  if (question.kind === 'check') {
    return { kind: 'checked', signature: recoverableFrom(question.bytes, digest, question.publicKey) };
  }
  // Deterministic (RFC 6979): the same digest gives the same signature.
  return { kind: 'signed', bytes: secp256k1.sign(digest, question.privateKey, { prehash: false }) };
}
