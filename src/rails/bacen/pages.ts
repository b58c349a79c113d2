// The pages of a list of a PSP, which may count them in its own way.
import { textAt } from '../bank-client/read-answer.ts';

const MAX_PAGES = 100_000;

/** The position of a reading in one window: the page, how many payments the earlier pages had, and the first of the last page. */
export type PagePosition = { readonly page: number; readonly listed: number; readonly firstId: string };
export const FIRST_PAGE: PagePosition = { page: 0, listed: 0, firstId: '' };

/**
 * The next page, by the PSP's own counts where it gives them: some use another page size. A PSP that answers every page with the same list
 * has no pages. `missing`: how many payments the PSP counts but does not list.
 */
export function pageAfter(
  body: unknown,
  firstId: string | undefined,
  count: number,
  { page, listed: before, firstId: idBefore }: PagePosition,
  pageSize: number,
): { readonly next?: PagePosition; readonly missing: number } {
  const isRepeat = page > 0 && firstId !== undefined && firstId === idBefore;
  const listed = before + (isRepeat ? 0 : count);
  const total = countAt(body, 'quantidadeTotalDeItens');
  const pages = countAt(body, 'quantidadeDePaginas');
  const hasMore =
    total === undefined && pages === undefined ? count >= pageSize : listed < (total ?? 0) || page + 1 < (pages ?? 0);
  if (hasMore && count > 0 && !isRepeat && page + 1 < MAX_PAGES) {
    return { next: { page: page + 1, listed, firstId: firstId ?? '' }, missing: 0 };
  }
  return { missing: Math.max(0, (total ?? 0) - listed) };
}

function countAt(body: unknown, name: string): number | undefined {
  const text = textAt(body, `parametros.paginacao.${name}`);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
