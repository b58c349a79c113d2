// Random cases create webhooks by the hundred, and each event goes to all of them: those created since the first case are deleted
// now and then, so that a long run stays as fast as at its beginning.

/** By the requests of a caller. Another case may delete one first. */
export async function deleteWebhooks(
  url: string,
  except: readonly string[],
  known: Map<string, string[]>,
): Promise<void> {
  const kept = new Set(except);
  for (let page = 1; ; ) {
    const answer = await fetch(`${url}/webhooks?pageSize=100&page=${page}`);
    const { webhooks, hasMore } = (await answer.json()) as { webhooks: { id: string }[]; hasMore: boolean };
    const others = webhooks.filter(({ id }) => !kept.has(id));
    let deleted = 0;
    for (const { id } of others) if ((await fetch(`${url}/webhooks/${id}`, { method: 'DELETE' })).ok) deleted++;
    if (!hasMore) break;
    // Deleting makes room for later ones.
    if (deleted === 0) page++;
  }
  known.delete('webhooks');
}
