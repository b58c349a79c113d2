// A sandbox with agreements: their boletos go to simulated banks by file, through the same code as in live.
import { StartError } from '../lib/errors.ts';
import { isAbsent } from '../rails/absent.ts';
import type { AgreementEntry } from '../rails/agreement-entry.ts';
import type { ClientDeps } from '../rails/bank-client/settings.ts';
import { cnabBoletoKind } from '../rails/cnab-boleto/kind.ts';
import { liveRails } from '../rails/live-rails.ts';
import { METHODS } from '../rails/methods/methods.ts';
import type { Rails } from '../rails/rails.ts';
import type { Customer } from './cnab-bank/customer.ts';
import { sandboxRails } from './rails.ts';

/** The kinds whose entries a sandbox accepts, since it simulates their banks. For the others the sandbox bank is used. */
const SIMULATED_KINDS = [cnabBoletoKind];

/** Boletos of accounts without an agreement use the sandbox bank, and existing boletos of it stay there. */
export function sandboxRailsWith(boletos: readonly AgreementEntry[], deps: ClientDeps): Rails {
  if (boletos.length === 0) return sandboxRails;
  const index = boletos.findIndex(({ test }) => !test);
  if (index >= 0)
    throw new StartError(`boletos[${index}] has no test: a sandbox accepts no agreement with a real bank.`);
  const served = boletos.findIndex(({ sftp }) => sftp);
  if (served >= 0) throw new StartError(`boletos[${served}].sftp is only for live.`);
  const agreements = boletos.map(({ test: _, ...entry }) => entry);
  const { rails } = liveRails({ rails: [], boletos: agreements }, deps, SIMULATED_KINDS);
  const offered = METHODS.filter(method => !isAbsent(rails[method]));
  const general = Object.fromEntries(offered.map(method => [method, rails[method]]));
  return {
    ...rails,
    ...sandboxRails,
    ...general,
    former: [...(rails.former ?? []), ...offered.map(method => sandboxRails[method])],
  };
}

/** The customers of the simulated banks, by the names of their agreements. */
export function customersOf(boletos: readonly (Customer & { readonly name: string })[]): ReadonlyMap<string, Customer> {
  return new Map(boletos.map(entry => [entry.name, entry]));
}
