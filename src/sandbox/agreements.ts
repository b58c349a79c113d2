// A sandbox with agreements: their boletos go to simulated banks by file, through the same code as in live.
import { StartError } from '../lib/errors.ts';
import { isAbsent } from '../rails/absent.ts';
import type { AgreementEntry } from '../rails/agreement-entry.ts';
import type { ClientDeps } from '../rails/bank-client/settings.ts';
import { liveRails } from '../rails/live-rails.ts';
import type { Rails } from '../rails/rails.ts';
import type { Customer } from './cnab-bank/customer.ts';
import { sandboxRails } from './rails.ts';

/** Boletos of accounts without an agreement stay with the sandbox bank, and so do those that are on it. */
export function sandboxRailsWith(boletos: readonly AgreementEntry[], deps: ClientDeps): Rails {
  if (boletos.length === 0) return sandboxRails;
  const index = boletos.findIndex(({ test }) => !test);
  if (index >= 0) throw new StartError(`boletos[${index}] has no test: a sandbox takes no agreement with a real bank.`);
  const served = boletos.findIndex(({ sftp }) => sftp);
  if (served >= 0) throw new StartError(`boletos[${served}].sftp is for live.`);
  const { rails } = liveRails({ rails: [], boletos: boletos.map(({ test: _, ...entry }) => entry) }, deps);
  const isGeneral = !isAbsent(rails.boleto);
  return {
    ...rails,
    pix: sandboxRails.pix,
    boleto: isGeneral ? rails.boleto : sandboxRails.boleto,
    former: [...(rails.former ?? []), ...(isGeneral ? [sandboxRails.boleto] : [])],
  };
}

/** The customers of the simulated banks, by the names of their agreements. */
export function customersOf(boletos: readonly (Customer & { readonly name: string })[]): ReadonlyMap<string, Customer> {
  return new Map(boletos.map(entry => [entry.name, entry]));
}
