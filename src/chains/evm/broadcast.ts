// Sends signed bytes to every provider. Their answers are not evidence; their messages are kept for an operator.
import type { Attempt } from '../chain.ts';
import type { Provider, Said } from './provider.ts';
import { readHash } from './read.ts';

/** Done as soon as one provider has taken the bytes; the others get them all the same. */
export async function broadcast(
  providers: readonly Provider[],
  { raw, hash }: Attempt,
): Promise<{ readonly isSent: boolean; readonly message?: string }> {
  const said = providers.map(provider => provider.ask('eth_sendRawTransaction', [raw], readHash));
  const taken = said.map(async answer => {
    if (!isTaken(await answer, hash)) throw new Error('not taken');
  });
  const isSent = await Promise.any(taken).then(
    () => true,
    () => false,
  );
  if (isSent) return { isSent };
  const answers = (await Promise.all(said)).map((answer, index) => `${providers[index]?.name}: ${messageOf(answer)}`);
  return { isSent, message: answers.join('; ') };
}

/** Every client has its own message for bytes that it already has. */
function isTaken(said: Said<string>, hash: string): boolean {
  if (said.kind === 'value') return said.value === hash;
  return said.kind === 'refusal' && /already ?known|already imported|known transaction/i.test(said.message);
}

function messageOf(said: Said<string>): string {
  return said.kind === 'value' ? 'answers with another hash' : said.message;
}
