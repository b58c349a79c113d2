// The boleto APIs that some banks have beside pix: their paths, scopes and handlers.
import type { ProfileName } from '../profiles.ts';
import { INTER_ROUTES } from './inter.ts';
import type { TitleRoute } from './route.ts';
import { SICOOB_ROUTES } from './sicoob.ts';

export type TitleApi = { readonly prefix: string; readonly routes: readonly TitleRoute[] };

const APIS: { readonly [P in ProfileName]?: TitleApi } = {
  sicoob: { prefix: '/cobranca-bancaria/v3', routes: SICOOB_ROUTES },
  inter: { prefix: '/cobranca/v3', routes: INTER_ROUTES },
};

export function titleApiOf(profile: ProfileName): TitleApi | undefined {
  return APIS[profile];
}

export function titleScopes(profile: ProfileName): string[] {
  return [...new Set(APIS[profile]?.routes.map(({ scope }) => scope) ?? [])];
}
