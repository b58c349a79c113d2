// A refusal of a transfer counts when enough providers agree on it. A provider that is out of credits, broken or wrong refuses everything;
// another one that would execute the transfer shows that.

type Answer = { readonly kind: string; readonly message?: string };
/** `message`: what the nodes that answered said. */
export type Unknown = { readonly kind: 'unknown'; readonly message?: string };

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
  const answers: string[] = [];
  for (const provider of providers) {
    const answer = await askOne(provider);
    if (answer.kind !== 'unknown' && answer.kind !== 'refused') return answer;
    if (answer.message !== undefined) answers.push(`${provider.name}: ${answer.message}`);
    if (isUnknown(answer)) continue;
    refusals.push(answer);
    const [first] = refusals;
    if (first && refusals.length >= quorum) return first;
  }
  return { kind: 'unknown', ...(answers.length > 0 && { message: answers.join('; ') }) };
}

function isUnknown(answer: Answer): answer is Unknown {
  return answer.kind === 'unknown';
}
