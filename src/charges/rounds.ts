// What concerns the same charge comes one after the other, what concerns different ones together.

/** The items in rounds: each holds one of every charge at most, and those of one charge keep their order. */
export function inRounds<T extends { readonly chargeId: string }>(items: readonly T[]): T[][] {
  const rounds: T[][] = [];
  const counts = new Map<string, number>();
  for (const item of items) {
    const round = counts.get(item.chargeId) ?? 0;
    counts.set(item.chargeId, round + 1);
    rounds[round] ??= [];
    rounds[round].push(item);
  }
  return rounds;
}
