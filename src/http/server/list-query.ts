// What a list is asked for, by the API and by a page of the dashboard alike.
import type { Static, TObject } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { type pageParameters, toPageQuery } from '../../api/paging.ts';
import type { PageQuery } from '../../lib/paging.ts';
import { accountOf } from './auth.ts';

type Asked = Static<TObject<typeof pageParameters>> & { readonly accountId?: string };

/** The filters as they were given, with the page, and with the account that the caller may see. */
export function listQuery<Q extends Asked>(query: Q, caller: Caller | undefined, defaultPageSize: number) {
  const { accountId: asked, from: _from, to: _to, page: _page, pageSize: _size, ...filters } = query;
  const accountId = accountOf(caller, asked);
  const seen: { readonly accountId?: string } = accountId === undefined ? {} : { accountId };
  const page: PageQuery = toPageQuery(query, defaultPageSize);
  return { ...filters, ...page, ...seen };
}
