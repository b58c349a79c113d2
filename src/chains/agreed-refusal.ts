// A refusal of a transfer counts when enough providers say it. One that is out of credits, broken or wrong refuses everything, and
// another one that would carry the transfer out shows it.

type Answer = { readonly kind: string; readonly words?: string };
/** `words`: what the nodes that answered said. */
export type Unknown = { readonly kind: 'unknown'; readonly words?: string };

/**
 * The first answer, in the order of the providers, that is neither unknown nor a refusal; the first refusal when two providers
 * refuse, or the only one; otherwise unknown.
 */
export async function unlessRefused<P extends { readonly name: string }, T extends Answer>(
  providers: readonly P[],
  askOne: (provider: P) => Promise<T | Unknown>,
): Promise<T | Unknown> {
  const quorum = Math.min(2, providers.length);
  const refusals: T[] = [];
  const words: string[] = [];
  for (const provider of providers) {
    const answer = await askOne(provider);
    if (answer.kind !== 'unknown' && answer.kind !== 'refused') return answer;
    if (answer.words !== undefined) words.push(`${provider.name}: ${answer.words}`);
    if (isUnknown(answer)) continue;
    refusals.push(answer);
    const [first] = refusals;
    if (first && refusals.length >= quorum) return first;
  }
  return { kind: 'unknown', ...(words.length > 0 && { words: words.join('; ') }) };
}

function isUnknown(answer: Answer): answer is Unknown {
  return answer.kind === 'unknown';
}
