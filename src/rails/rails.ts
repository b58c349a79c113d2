// The rails of a service: which one gets a new charge, and which one has an existing charge.
import { AppError } from '../lib/errors.ts';
import { METHODS, type Method } from './methods/methods.ts';
import type { Rail } from './rail.ts';

/** Rails by their methods. */
type RailsOfMethods = { readonly [M in Method]?: Rail<M> };

/** The rails of a service. */
export type Rails = { readonly [M in Method]: Rail<M> } & {
  /** Rails of single accounts, used instead of those for all. */
  readonly ofAccounts?: ReadonlyMap<string, RailsOfMethods>;
  /** Rails that get no new charges, but still serve their existing ones. */
  readonly former?: readonly Rail[];
};

/** The rail for a new charge of an account. */
export function railFor<M extends Method>(rails: Rails, method: M, accountId: string): Rail<M> {
  // TypeScript does not see that both maps have Rail<M> under M.
  return (rails.ofAccounts?.get(accountId)?.[method] ?? rails[method]) as Rail<M>;
}

/** The rails that get new charges, each once. */
export function currentRails(rails: Rails): readonly Rail[] {
  const ofAccounts = [...(rails.ofAccounts?.values() ?? [])].flatMap(own =>
    METHODS.flatMap(method => own[method] ?? []),
  );
  return [...new Set<Rail>([...METHODS.map(method => rails[method]), ...ofAccounts])];
}

/** Every rail, each once. */
export function allRails(rails: Rails): readonly Rail[] {
  return [...new Set<Rail>([...currentRails(rails), ...(rails.former ?? [])])];
}

/** The same rails, each replaced by what the function returns. */
export function mapRails(rails: Rails, change: <M extends Method>(rail: Rail<M>) => Rail<M>): Rails {
  const known = new Map<Rail, Rail>();
  const changed = <M extends Method>(rail: Rail<M>): Rail<M> => {
    const made = known.get(rail) ?? change(rail);
    known.set(rail, made);
    return made as Rail<M>;
  };
  const ofMethods = <O extends RailsOfMethods>(own: O) => {
    const entries = METHODS.flatMap(method => (own[method] ? [[method, changed<Method>(own[method])] as const] : []));
    // Each stands under its own method, which TypeScript does not see.
    return Object.fromEntries(entries) as Pick<O, Method & keyof O>;
  };
  const { ofAccounts, former } = rails;
  return {
    ...ofMethods(rails),
    ...(ofAccounts && {
      ofAccounts: new Map([...ofAccounts].map(([accountId, own]) => [accountId, ofMethods(own)])),
    }),
    ...(former && { former: former.map(changed) }),
  };
}

/** Undefined for a rail that is no longer configured. */
export function findRail(rails: Rails, method: Method, name: string): Rail | undefined {
  return allRails(rails).find(candidate => candidate.method === method && candidate.name === name);
}

/** The rail on which a method was registered, even if the method has another rail now. */
export function railNamed(rails: Rails, method: Method, name: string): Rail {
  const rail = findRail(rails, method, name);
  if (!rail)
    throw new AppError('not_configured', `The rail ${name} of ${method} is not configured, and charges are on it.`);
  return rail;
}
