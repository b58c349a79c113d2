// Routes of people of the dashboard: invite, list, make login links, remove. A caller cannot invite a person who may do more than they may.
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import { changeRole } from '../../accounts/people/change-role.ts';
import { invitePerson, type LoginLink, type PeopleDeps, removePerson } from '../../accounts/people/invite.ts';
import {
  type AskedLink,
  approveLoginLink,
  askForLoginLink,
  refuseLoginLink,
} from '../../accounts/people/login-links.ts';
import { scopesOf } from '../../accounts/people/person.ts';
import { type ListedPerson, listPeople } from '../../accounts/people/store-people.ts';
import { mayGrant } from '../../accounts/roles.ts';
import {
  ASKED_LINK_EXAMPLE,
  AskedLinkView,
  INVITED_EXAMPLE,
  InvitedPerson,
  LOGIN_LINK_EXAMPLE,
  LoginLinkView,
  PERSON_EXAMPLE,
  PersonBody,
  PersonList,
  PersonView,
  RoleBody,
} from '../../api/people.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import { created, ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { accountOf } from '../server/auth.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'People';
const path = idOf('person');

export function peopleRoutes(app: FastifyInstance, deps: PeopleDeps): void {
  async function findListed(caller: Caller | undefined, id: string): Promise<ListedPerson | undefined> {
    return (await listPeople(deps.db, deps.clock.now(), caller?.accountId)).find(one => one.id === id);
  }

  /** Refuses a person who may do more than the caller. */
  async function requireNoMore(caller: Caller | undefined, id: string): Promise<void> {
    const person = await findListed(caller, id);
    if (person && caller && !mayGrant(caller.scopes, scopesOf(person))) {
      throw new AppError('missing_scope', 'This person may do more than you.');
    }
  }

  async function requireView(caller: Caller | undefined, id: string) {
    const person = requireFound(await findListed(caller, id), 'person');
    return personView(person);
  }

  defineRoute(app, {
    method: 'GET',
    url: '/people',
    operationId: 'listPeople',
    summary: 'List people',
    description: 'Everybody who may log in to the dashboard, oldest first.',
    tag,
    answer: ok(PersonList, 'The people', { people: [PERSON_EXAMPLE] }),
    handle: async ({ caller }) => {
      const people = await listPeople(deps.db, deps.clock.now(), caller?.accountId);
      return { people: people.map(personView) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/people',
    operationId: 'invitePerson',
    summary: 'Invite a person',
    description:
      'Only this answer shows the link for the first login, which works once within a day. A person must have shown a passkey within five minutes; a key that expires is refused.',
    tag,
    body: PersonBody,
    answer: created(InvitedPerson, 'The person, with the link to log in by', INVITED_EXAMPLE),
    handle: async ({ body, caller }) => {
      const accountId = accountOf(caller, body.accountId);
      if (
        caller &&
        !mayGrant(caller.scopes, scopesOf({ role: body.role, ...(accountId !== undefined && { accountId }) }))
      ) {
        throw new AppError('missing_scope', 'You cannot give a person a role that may do more than you.');
      }
      const { person, link } = await invitePerson(deps, {
        name: body.name,
        role: body.role,
        ...(accountId !== undefined && { accountId }),
        invitedBy: actorOf(caller),
      });
      const { id, name, role } = person;
      return { id, name, role, ...(accountId !== undefined && { accountId }), link: linkView(link) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/people/:id/login-link',
    operationId: 'makeLoginLink',
    summary: 'Create a login link',
    description:
      'For a person who has lost every passkey. It works once within 15 minutes and replaces the previous one. Where there is a second owner, the link of another person is not created at once: it waits up to a day until an owner who shares no maker with the requester approves it, who then gets the link. The person sees who asked and who approved; once the link is used, these count as makers of the person in approvals. A key that expires is refused.',
    tag,
    path,
    answer: created(AskedLinkView, 'The link, or the request for it', ASKED_LINK_EXAMPLE),
    handle: async ({ path: { id }, caller }) => {
      // Anyone with the link can log in as the person.
      await requireNoMore(caller, id);
      return askedView(await askForLoginLink(deps, id, byOf(caller)));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/people/:id/login-link/approve',
    operationId: 'approveLoginLink',
    summary: 'Approve a login link',
    description:
      'Creates the link that another owner asked for. Only this answer shows it, and the requester never sees it: give it to the person. Only for a person who has shown a passkey within five minutes, is not the requester or the person of the link, and shares no maker with the requester.',
    tag,
    path,
    answer: created(LoginLinkView, 'The link', LOGIN_LINK_EXAMPLE),
    problems: ['wrong_state', 'second_key_needed'],
    handle: async ({ path: { id }, caller }) => {
      await requireNoMore(caller, id);
      return linkView(await approveLoginLink(deps, id, byOf(caller)));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/people/:id/login-link/refuse',
    operationId: 'refuseLoginLink',
    summary: 'Refuse a login link',
    description: 'Ends the request. The requester may withdraw it in the same way.',
    tag,
    path,
    answer: ok(PersonView, 'The person', PERSON_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => {
      await requireNoMore(caller, id);
      await refuseLoginLink(deps, id, byOf(caller));
      return requireView(caller, id);
    },
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/people/:id',
    operationId: 'changeRole',
    summary: 'Change the role of a person',
    description:
      'It takes effect at once, even in open sessions. The last owner stays an owner. A person must have shown a passkey within five minutes; a key that expires is refused.',
    tag,
    path,
    body: RoleBody,
    answer: ok(PersonView, 'The person', PERSON_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body: { role }, caller }) => {
      const person = requireFound(await findListed(caller, id), 'person');
      const roles = [person, { ...person, role }];
      if (caller && !roles.every(one => mayGrant(caller.scopes, scopesOf(one)))) {
        throw new AppError('missing_scope', 'This person may do more than you, or would afterwards.');
      }
      await changeRole(deps, id, { role, ...byOf(caller) });
      return requireView(caller, id);
    },
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/people/:id',
    operationId: 'removePerson',
    summary: 'Remove a person',
    description: 'Ends every session and takes away every passkey, link and recovery code. The last owner stays.',
    tag,
    path,
    answer: ok(PersonList, 'The remaining people', { people: [PERSON_EXAMPLE] }),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => {
      await requireNoMore(caller, id);
      await removePerson(deps, id, caller?.accountId);
      const people = await listPeople(deps.db, deps.clock.now(), caller?.accountId);
      return { people: people.map(personView) };
    },
  });
}

function byOf(caller: Caller | undefined) {
  return { by: actorOf(caller), accountId: caller?.accountId };
}

function askedView(asked: AskedLink) {
  if ('link' in asked) return { waitsForApproval: false, ...linkView(asked.link) };
  return { waitsForApproval: true, expiresAt: asked.request.expiresAt.toISOString() };
}

function linkView({ url, expiresAt }: LoginLink) {
  return { url, expiresAt: expiresAt.toISOString() };
}

function personView(person: ListedPerson) {
  const { id, name, role, accountId, createdAt, passkeys, recoveryCodes, lastUsedAt, linkExpiresAt } = person;
  const { invitedBy, letInBy, linkRequest } = person;
  return {
    id,
    name,
    role,
    ...(accountId !== undefined && { accountId }),
    createdAt: createdAt.toISOString(),
    passkeys,
    recoveryCodes,
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(linkExpiresAt && { linkExpiresAt: linkExpiresAt.toISOString() }),
    ...(linkRequest && {
      linkRequest: {
        askedBy: linkRequest.askedBy,
        askedAt: linkRequest.askedAt.toISOString(),
        expiresAt: linkRequest.expiresAt.toISOString(),
      },
    }),
    invitedBy,
    letInBy: [...letInBy],
  };
}
