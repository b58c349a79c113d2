// Invites people and removes them.
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, noSuch, requireFound } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database } from '../../storage/database.ts';
import { requireLasting } from '../lasting.ts';
import type { Role } from '../roles.ts';
import { accountExists } from '../store.ts';
import { hashOfSecret, INVITE_LIFE_MS, newSecret, type Person } from './person.ts';
import { findPerson, insertPerson, lockOwners, putLink, removePersonRows } from './store-people.ts';

export type PeopleDeps = {
  readonly db: Database;
  readonly clock: Clock;
  /** The public URL of the service, without a slash at its end. */
  publicUrl(): string;
};

type NewPerson = {
  readonly name: string;
  readonly role: Role;
  readonly accountId?: string;
  /** The actor, as in the audit log. */
  readonly invitedBy: string;
};

/** A one-time login link: anyone who has it is logged in as the person. */
export type LoginLink = { readonly url: string; readonly expiresAt: Date };

/** Adds a person and returns the link to their first login, which is shown once. Refuses an account that does not exist, and a key that expires. */
export async function invitePerson(
  deps: PeopleDeps,
  { invitedBy, ...input }: NewPerson,
): Promise<{ person: Person; link: LoginLink }> {
  const createdAt = deps.clock.now();
  const person: Person = { ...input, id: uuidV7(createdAt), createdAt };
  const token = newSecret();
  const expiresAt = new Date(createdAt.getTime() + INVITE_LIFE_MS);
  await deps.db.transaction(async tx => {
    setAuditObject(person.id);
    await requireLasting(tx, invitedBy);
    const { accountId } = person;
    if (accountId !== undefined && !(await accountExists(tx, accountId))) {
      throw noSuch('account');
    }
    await insertPerson(tx, person, invitedBy);
    await putLink(tx, { personId: person.id, tokenHash: hashOfSecret(token), expiresAt, madeBy: invitedBy });
  });
  return { person, link: { url: linkTo(deps, token), expiresAt } };
}

/** From the commit on, every node refuses the person. The last owner of all accounts stays, because only an owner can invite another. */
export async function removePerson(deps: PeopleDeps, id: string, accountId?: string): Promise<Person> {
  const at = deps.clock.now();
  return deps.db.transaction(async tx => {
    setAuditObject(id);
    const person = requireFound(await findPerson(tx, id, accountId), 'person');
    const owners = await lockOwners(tx);
    if (owners.length === 1 && owners[0] === id) {
      throw new AppError('wrong_state', 'This is the last owner: invite another one first.');
    }
    await removePersonRows(tx, id, at);
    return person;
  });
}

export function linkTo({ publicUrl }: PeopleDeps, token: string): string {
  return `${publicUrl()}/dashboard/enter/${token}`;
}
