// A list that is read page by page.
import type { List } from './operation.ts';

export type AnyPage = {
  readonly hasMore: boolean;
  readonly currentPage?: number;
  readonly cursor?: string;
};

/** The first page as a promise, and what follows it, which is read when it is wanted. */
export function listOf(
  items: string,
  readPage: (next: { readonly page?: number; readonly after?: string }) => Promise<AnyPage>,
): List<AnyPage, unknown> {
  const first = readPage({});

  async function* pages() {
    for (let page = await first; ; page = await readPage(nextOf(page))) {
      yield page;
      if (!page.hasMore) return;
    }
  }

  async function* all() {
    for await (const page of pages()) yield* (page as unknown as Record<string, readonly unknown[]>)[items] ?? [];
  }

  return Object.assign(first, { pages, [Symbol.asyncIterator]: all });
}

function nextOf({ cursor, currentPage = 1 }: AnyPage) {
  return cursor === undefined ? { page: currentPage + 1 } : { after: cursor };
}
