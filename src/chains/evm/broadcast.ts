// Sends signed bytes to every provider. Their answers are not evidence; their messages are kept for an operator.
import type { Attempt } from '../chain.ts';
import type { Provider, Reply } from './provider.ts';
import { readHash } from './read.ts';

/** Done as soon as one provider has taken the bytes; the others get them all the same. */
export async function broadcast(
  providers: readonly Provider[],
  { raw, hash }: Attempt,
): Promise<{ readonly isSent: boolean; readonly message?: string }> {
  const replies = providers.map(provider => provider.ask('eth_sendRawTransaction', [raw], readHash));
  const taken = replies.map(async reply => {
    if (!isTaken(await reply, hash)) throw new Error('not taken');
  });
  const isSent = await Promise.any(taken).then(
    () => true,
    () => false,
  );
  if (isSent) return { isSent };
  const answers = (await Promise.all(replies)).map((reply, index) => `${providers[index]?.name}: ${messageOf(reply)}`);
  return { isSent, message: answers.join('; ') };
}

/** Every client has its own message for bytes that it already has. */
function isTaken(reply: Reply<string>, hash: string): boolean {
  if (reply.kind === 'value') return reply.value === hash;
  return reply.kind === 'refusal' && /already ?known|already imported|known transaction/i.test(reply.message);
}

function messageOf(reply: Reply<string>): string {
  return reply.kind === 'value' ? 'answers with another hash' : reply.message;
}
