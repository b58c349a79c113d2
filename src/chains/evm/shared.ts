// Answers shared by all callers that ask the same within a short time. No timer runs between calls.

type Answered<T> = { readonly askedAtMs: number; readonly answer: Promise<T> };

const MAX_KEYS = 1_000;

/** Asks again when the last answer for the key is older than `maxAgeMs`; meanwhile callers share the one on its way. */
export function sharedAnswers<T>(
  maxAgeMs: number,
  monotonicMs: () => number,
): (key: string, ask: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Answered<T>>();
  return (key, ask) => {
    const known = last.get(key);
    const nowMs = monotonicMs();
    if (known && nowMs - known.askedAtMs < maxAgeMs) return known.answer;
    if (last.size >= MAX_KEYS) last.clear();
    const answer = ask();
    last.set(key, { askedAtMs: nowMs, answer });
    return answer;
  };
}
