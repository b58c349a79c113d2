// People of the dashboard: invited, listed, given a link, removed. Nobody invites somebody who may do more than they may.
import type { FastifyInstance } from 'fastify';
import { changeRole } from '../../accounts/people/change-role.ts';
import {
  invitePerson,
  type LoginLink,
  makeLoginLink,
  type PeopleDeps,
  removePerson,
} from '../../accounts/people/invite.ts';
import { scopesOf } from '../../accounts/people/person.ts';
import { type ListedPerson, listPeople } from '../../accounts/people/store-people.ts';
import { mayGrant } from '../../accounts/roles.ts';
import {
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
import { AppError } from '../../lib/errors.ts';
import { created, ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { accountOf } from '../server/auth.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'People';
const path = idOf('person');

export function peopleRoutes(app: FastifyInstance, deps: PeopleDeps): void {
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
      'Only this answer shows the link to the first login, which counts once within a day. A person must have shown a passkey within five minutes.',
    tag,
    body: PersonBody,
    answer: created(InvitedPerson, 'The person, with the link to log in by', INVITED_EXAMPLE),
    handle: async ({ body, caller }) => {
      const accountId = accountOf(caller, body.accountId);
      if (
        caller &&
        !mayGrant(caller.scopes, scopesOf({ role: body.role, ...(accountId !== undefined && { accountId }) }))
      ) {
        throw new AppError('missing_scope', 'A person can be given no role that may do more than you.');
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
    summary: 'Make a link to log in by',
    description:
      'For a person who has lost every passkey. It counts once within 15 minutes and replaces the one before. The person is shown who made it; by an approval the two count as one.',
    tag,
    path,
    answer: created(LoginLinkView, 'The link', LOGIN_LINK_EXAMPLE),
    handle: async ({ path: { id }, caller }) => {
      const people = await listPeople(deps.db, deps.clock.now(), caller?.accountId);
      const person = people.find(one => one.id === id);
      // Whoever has the link is that person.
      if (person && caller && !mayGrant(caller.scopes, scopesOf(person))) {
        throw new AppError('missing_scope', 'This person may do more than you.');
      }
      return linkView(await makeLoginLink(deps, id, { by: actorOf(caller), accountId: caller?.accountId }));
    },
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/people/:id',
    operationId: 'changeRole',
    summary: 'Change the role of a person',
    description:
      'It counts at once, also in sessions that are open. The last owner stays one. A person must have shown a passkey within five minutes.',
    tag,
    path,
    body: RoleBody,
    answer: ok(PersonView, 'The person', PERSON_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body: { role }, caller }) => {
      const readPerson = async () =>
        (await listPeople(deps.db, deps.clock.now(), caller?.accountId)).find(one => one.id === id);
      const person = await readPerson();
      if (!person) throw noSuchPerson();
      const roles = [person, { ...person, role }];
      if (caller && !roles.every(one => mayGrant(caller.scopes, scopesOf(one)))) {
        throw new AppError('missing_scope', 'This person may do more than you, or would.');
      }
      await changeRole(deps, id, { role, by: actorOf(caller), accountId: caller?.accountId });
      const changed = await readPerson();
      if (!changed) throw noSuchPerson();
      return personView(changed);
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
    answer: ok(PersonList, 'Who is left', { people: [PERSON_EXAMPLE] }),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => {
      const person = (await listPeople(deps.db, deps.clock.now(), caller?.accountId)).find(one => one.id === id);
      if (person && caller && !mayGrant(caller.scopes, scopesOf(person))) {
        throw new AppError('missing_scope', 'This person may do more than you.');
      }
      await removePerson(deps, id, caller?.accountId);
      const people = await listPeople(deps.db, deps.clock.now(), caller?.accountId);
      return { people: people.map(personView) };
    },
  });
}

function noSuchPerson(): AppError {
  return new AppError('not_found', 'There is no such person.');
}

function linkView({ url, expiresAt }: LoginLink) {
  return { url, expiresAt: expiresAt.toISOString() };
}

function personView(person: ListedPerson) {
  const { id, name, role, accountId, createdAt, passkeys, recoveryCodes, lastUsedAt, linkExpiresAt } = person;
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
  };
}
