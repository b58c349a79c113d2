// A caller, a key or the session of a person, and what it may do.
import { actorOfPerson, reachOfPerson, type Session, scopesOf } from './people/person.ts';
import { type Reach, scopesWithin } from './reach.ts';
import type { Scope } from './scopes.ts';
import type { ApiKey } from './store-keys.ts';

export type Caller = {
  /** The one account that the caller acts for; absent for a person who works for all of them. */
  readonly accountId?: string;
  /** Whether the caller reaches all accounts. A key acts for its own account even then. */
  readonly reach: Reach;
  /** As in the audit log: `key:<id>` or `person:<id>`. */
  readonly actor: string;
  /** The scopes that apply at this reach. */
  readonly scopes: readonly Scope[];
  /** Of a person. */
  readonly session?: Session;
};

export function callerByKey({ id, accountId, reach, scopes }: ApiKey): Caller {
  return { accountId, reach, actor: `key:${id}`, scopes: scopesWithin(reach, scopes) };
}

export function callerBySession(session: Session): Caller {
  const { person } = session;
  const { accountId } = person;
  return {
    ...(accountId !== undefined && { accountId }),
    reach: reachOfPerson(person),
    actor: actorOfPerson(person),
    scopes: scopesOf(person),
    session,
  };
}

export function isOfOneAccount(caller: Caller | undefined): boolean {
  return caller?.reach === 'account';
}
