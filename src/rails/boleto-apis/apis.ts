// The APIs of banks for boletos, by the profiles that settings name. To add one: a folder that exports a BoletoApi, and a line here.
import type { BoletoApi } from './api.ts';
import { interApi } from './inter/api.ts';
import { sicoobApi } from './sicoob/api.ts';

const APIS: Readonly<Record<string, BoletoApi>> = { sicoob: sicoobApi, inter: interApi };

export const BOLETO_API_PROFILES: readonly string[] = Object.keys(APIS);

export function boletoApiOf(profile: string): BoletoApi | undefined {
  return Object.hasOwn(APIS, profile) ? APIS[profile] : undefined;
}
