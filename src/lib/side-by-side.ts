/** Does something with every item, so many at a time at most. What is done must not throw. */
export async function sideBySide<T>(items: readonly T[], most: number, act: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const takeTurns = async () => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, takeTurns));
}
