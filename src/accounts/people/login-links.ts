// Login links for people who cannot use a passkey now. Anyone with the link is logged in as the person, so where there is a second owner,
// one owner alone does not get the link of another person: the second owner approves it and gets it.
import { setAuditObject } from '../../lib/audit-context.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import { requireLasting } from '../lasting.ts';
import { isSamePair, requireSecondKey } from '../second-key.ts';
import { type LoginLink, linkTo, type PeopleDeps } from './invite.ts';
import {
  actorOfPerson,
  hashOfSecret,
  LINK_REQUEST_LIFE_MS,
  LOGIN_LINK_LIFE_MS,
  newSecret,
  type Person,
} from './person.ts';
import {
  deleteLinkRequest,
  type LinkRequest,
  listOtherOwners,
  lockLinkRequest,
  putLinkRequest,
} from './store-link-requests.ts';
import { insertNotices } from './store-notices.ts';
import { findPerson, putLink } from './store-people.ts';

/** The actor, and the one account that they act for. */
type By = { readonly by: string; readonly accountId?: string | undefined };

export type AskedLink = { readonly link: LoginLink } | { readonly request: LinkRequest };

/**
 * Makes a link at once where there is no second owner, and for a person's own link; it replaces the previous one. Otherwise makes a
 * request, which a second owner approves or refuses within a day. Refuses a key that expires.
 */
export async function askForLoginLink(deps: PeopleDeps, id: string, { by, accountId }: By): Promise<AskedLink> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const person = await personOf(tx, id, accountId);
    await requireLasting(tx, by);
    if (!(await needsApproval(tx, person, by))) return { link: await writeLink(deps, tx, id, { by, now }) };
    const request = {
      personId: id,
      askedBy: by,
      askedAt: now,
      expiresAt: new Date(now.getTime() + LINK_REQUEST_LIFE_MS),
    };
    await putLinkRequest(tx, request);
    return { request };
  });
}

/** Makes a link at once: anyone who can use the command line can reach the database. */
export async function makeLoginLink(deps: PeopleDeps, id: string): Promise<LoginLink> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    await personOf(tx, id);
    return writeLink(deps, tx, id, { by: 'operator', now });
  });
}

/**
 * Makes the requested link and returns it to the approver: the requester never gets it, so a stolen session gains nothing by asking.
 * Refuses keys, the person of the link, and everyone who shares a maker with the requester. Of several at once, one gets the link.
 */
export async function approveLoginLink(deps: PeopleDeps, id: string, { by, accountId }: By): Promise<LoginLink> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const person = await personOf(tx, id, accountId);
    const { askedBy } = await openRequest(tx, id, now);
    if (!by.startsWith('person:')) {
      throw new AppError(
        'fresh_login_needed',
        'Only a person can approve a login link, with a passkey shown in the last five minutes.',
      );
    }
    if (by === actorOfPerson(person)) throw new AppError('second_key_needed', 'Another person must approve your link.');
    await requireSecondKey(
      tx,
      by,
      [askedBy],
      'The person who asked for this link, and the keys and people they created or invited, cannot approve it.',
    );
    return writeLink(deps, tx, id, { by, askedBy, now });
  });
}

/** Ends the request: for those who may approve it, and for the requester. */
export async function refuseLoginLink({ db, clock }: PeopleDeps, id: string, { accountId }: Omit<By, 'by'>) {
  await db.transaction(async tx => {
    await personOf(tx, id, accountId);
    await openRequest(tx, id, clock.now());
    await deleteLinkRequest(tx, id);
  });
}

/** Whether this caller may approve a request, by its requester and its person. */
export async function mayApproveLink(sql: Sql, { personId, askedBy }: LinkRequest, by: string): Promise<boolean> {
  return by !== actorOfPerson({ id: personId }) && !(await isSamePair(sql, [by], [askedBy]));
}

/** Whether another owner could approve it who shares no maker with the requester. */
export async function needsApproval(sql: Sql, person: Person, by: string): Promise<boolean> {
  if (by === actorOfPerson(person)) return false;
  for (const owner of await listOtherOwners(sql, { personId: person.id, accountId: person.accountId, by })) {
    if (!(await isSamePair(sql, [owner], [by]))) return true;
  }
  return false;
}

type Link = { readonly by: string; readonly askedBy?: string; readonly now: Date };

async function writeLink(deps: PeopleDeps, tx: Sql, personId: string, { by, askedBy, now }: Link): Promise<LoginLink> {
  const token = newSecret();
  const expiresAt = new Date(now.getTime() + LOGIN_LINK_LIFE_MS);
  await deleteLinkRequest(tx, personId);
  await putLink(tx, { personId, tokenHash: hashOfSecret(token), expiresAt, madeBy: by, askedBy });
  for (const one of askedBy === undefined ? [by] : [askedBy, by]) {
    await insertNotices(tx, [personId], { at: now, what: 'login_link', by: one });
  }
  return { url: linkTo(deps, token), expiresAt };
}

async function personOf(tx: Sql, id: string, accountId?: string): Promise<Person> {
  setAuditObject(id);
  return requireFound(await findPerson(tx, id, accountId), 'person');
}

async function openRequest(tx: Sql, id: string, now: Date): Promise<LinkRequest> {
  const request = await lockLinkRequest(tx, id, now);
  if (!request) throw new AppError('wrong_state', 'No login link waits for an approval for this person.');
  return request;
}
