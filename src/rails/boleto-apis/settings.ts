// The settings of a boleto rail over a bank's API.

import type { BoletoAccount } from '@trilho/cnab';
import type { ClientSettings } from '../bank-client/settings.ts';
import { type BoletoProfile, type BoletoProfiles, boletoProfileOf } from './profile.ts';

export type BoletoApiSettings = ClientSettings & {
  readonly account: BoletoAccount & { readonly agencyDigit?: string };
  readonly holder: { readonly name: string; readonly document: string };
  /** Our numbers of boletos. */
  readonly firstNumber: bigint;
  readonly lastNumber: bigint;
  /** Whether a boleto carries a pix code. */
  readonly hasPixCode: boolean;
  /** Instead of those of the profile. */
  readonly scopes?: readonly string[];
  /** «Espécie», in the bank's own letters. */
  readonly species?: string;
  /** «Número do contrato de cobrança», at Sicoob, where a client has several. */
  readonly contractNumber?: string;
  readonly webhook?: { readonly url: string };
};

/** The profile with the overrides of the settings. */
export function profileFor(
  { environment, baseUrl, tokenUrl, scopes }: BoletoApiSettings,
  profiles: BoletoProfiles,
): BoletoProfile {
  const known = boletoProfileOf(profiles, environment);
  return {
    ...known,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(scopes && { scopes }),
  };
}
