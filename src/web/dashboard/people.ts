// Who may log in: people, their roles, and their login links.
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import { mayApproveLink, needsApproval } from '../../accounts/people/login-links.ts';
import { scopesOf } from '../../accounts/people/person.ts';
import type { LinkRequest } from '../../accounts/people/store-link-requests.ts';
import { type ListedPerson, listPeople } from '../../accounts/people/store-people.ts';
import { mayGrant, ROLES } from '../../accounts/roles.ts';
import { readActorNames } from '../../accounts/store-actors.ts';
import { AppError, noSuch } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import { type Html, html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct } from './act.ts';
import { isRecord, textOf } from './api-call.ts';
import type { ListDeps } from './charges.ts';
import { accountField } from './choices.ts';
import { filled } from './form.ts';
import { when } from './formats.ts';
import { actorName, facts, table } from './parts.ts';
import { may, shell } from './shell.ts';

export function peoplePages(app: FastifyInstance, deps: ListDeps & ActDeps): void {
  const peopleOf = (accountId: string | undefined) => listPeople(deps.db, deps.clock.now(), accountId);

  app.get('/dashboard/people', { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const mayWrite = may(caller, 'people:write');
    const people = await peopleOf(caller?.accountId);
    const names = await readActorNames(
      deps.db,
      people.flatMap(({ invitedBy, letInBy, linkRequest }) =>
        [invitedBy, ...letInBy, linkRequest?.askedBy ?? []].flat(),
      ),
    );
    const approvable = new Set((await approvableLinks(deps, caller, people)).map(({ personId }) => personId));
    const rows = people.map(person => [
      person.name,
      person.role,
      person.accountId ?? 'all accounts',
      person.passkeys,
      person.recoveryCodes,
      person.lastUsedAt
        ? when(person.lastUsedAt)
        : person.linkExpiresAt
          ? html`invited until ${when(person.linkExpiresAt)}`
          : 'never',
      [
        actorName(names, person.invitedBy),
        person.letInBy.length > 0 && [', links by ', person.letInBy.map(by => actorName(names, by)).join(', ')],
      ],
      mayWrite &&
        html`<a class="button secondary small" href="/dashboard/people/${person.id}/role">Role</a> <a class="button secondary small" href="/dashboard/people/${person.id}/link">Login link</a> <a class="button secondary small" href="/dashboard/people/${person.id}/remove">Remove</a>${person.linkRequest && html`<br>${actorName(names, person.linkRequest.askedBy)} asks for a login link: ${requestActs(person.id, approvable.has(person.id))}`}`,
    ]);
    const page = shell(deps, request, {
      title: 'People',
      section: 'people',
      acts: mayWrite && html`<a class="button" href="/dashboard/people/invite">Invite a person</a>`,
      body: table({
        caption: 'People',
        head: ['Name', 'Role', 'Works for', '#Passkeys', '#Codes left', 'Last seen', 'Invited by', ''],
        rows,
        empty: deps.mode === 'sandbox' ? 'A sandbox needs no login and has no people.' : 'No person was invited yet.',
      }),
    });
    return sendHtml(request, reply, page);
  });

  async function requirePerson(id: string, accountId: string | undefined): Promise<ListedPerson> {
    const person = (await peopleOf(accountId)).find(one => one.id === id);
    if (!person) throw noSuch('person');
    return person;
  }

  async function personOf(id: string, accountId: string | undefined): Promise<Html> {
    return factsOf(await requirePerson(id, accountId));
  }

  async function requestFacts(id: string, accountId: string | undefined): Promise<Html> {
    const person = await requirePerson(id, accountId);
    const { linkRequest } = person;
    if (!linkRequest) throw new AppError('wrong_state', 'No login link waits for an approval for this person.');
    const names = await readActorNames(deps.db, [linkRequest.askedBy]);
    return html`${factsOf(person)}${facts([
      ['Asked by', actorName(names, linkRequest.askedBy)],
      ['Asked', when(linkRequest.askedAt)],
      ['Until', when(linkRequest.expiresAt)],
    ])}`;
  }

  defineAct(app, deps, {
    url: '/people/invite',
    section: 'people',
    countsForms: true,
    ask: async request => ({
      title: 'Invite a person',
      text: html`<p>They get a link that logs them in once, within a day. Give it to no one else.</p>`,
      fields: [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'role', label: 'Role', type: 'select', options: ROLES.map(value => ({ value, label: value })) },
        ...(await accountField(deps, request, {
          label: 'Works for',
          emptyLabel: 'all accounts',
          hint: 'Left empty: all.',
        })),
      ],
      button: 'Create the invitation',
      back: '/dashboard/people',
    }),
    call: fields => ({ method: 'POST', url: '/people', body: filled(fields, ['name', 'role', 'accountId']) }),
    done: ({ link }) => linkPage(isRecord(link) ? textOf(link['url']) : ''),
  });

  defineAct(app, deps, {
    url: '/people/:id/link',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => {
      const person = await requirePerson(id, caller?.accountId);
      const needsSecond = caller !== undefined && (await needsApproval(deps.db, person, caller.actor));
      return {
        title: needsSecond ? 'Ask for a login link?' : 'Create a login link?',
        text: html`<p>The first to open it is logged in as this person. It works once, for 15 minutes.${needsSecond && ' Another owner must approve it within a day, sees it, and gives it to the person.'} The person sees who created it, and from then on neither of you can approve for the other.</p>${factsOf(person)}`,
        button: needsSecond ? 'Ask for the link' : 'Create the link',
        back: '/dashboard/people',
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/people/${encodeURIComponent(id)}/login-link`, body: {} }),
    done: ({ url }) => (url === undefined ? WAITS : linkPage(textOf(url))),
  });

  defineAct(app, deps, {
    url: '/people/:id/link/approve',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Approve this login link?',
      text: html`<p>You will see the link; the first to open it is logged in as this person. Ask the person whether they need it, and give it to no one else, not even to the owner who asked for it. Once it is used, neither of you two can approve for this person, nor this person for you.</p>${await requestFacts(id, caller?.accountId)}`,
      button: 'Approve and show the link',
      back: '/dashboard/people',
    }),
    call: (_, { id = '' }) => ({
      method: 'POST',
      url: `/people/${encodeURIComponent(id)}/login-link/approve`,
      body: {},
    }),
    done: ({ url }) => linkPage(textOf(url)),
  });

  defineAct(app, deps, {
    url: '/people/:id/link/refuse',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Refuse this login link?',
      text: html`<p>No link is created. It can be asked for again.</p>${await requestFacts(id, caller?.accountId)}`,
      button: 'Refuse the link',
      back: '/dashboard/people',
    }),
    call: (_, { id = '' }) => ({
      method: 'POST',
      url: `/people/${encodeURIComponent(id)}/login-link/refuse`,
      body: {},
    }),
    done: () => '/dashboard/people',
  });

  defineAct(app, deps, {
    url: '/people/:id/role',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Another role for this person?',
      text: html`<p>It takes effect at once, even in open sessions. The person sees that it changed.</p>${await personOf(id, caller?.accountId)}`,
      fields: [{ name: 'role', label: 'Role', type: 'select', options: ROLES.map(value => ({ value, label: value })) }],
      button: 'Change the role',
      back: '/dashboard/people',
    }),
    call: (fields, { id = '' }) => ({
      method: 'PATCH',
      url: `/people/${encodeURIComponent(id)}`,
      body: filled(fields, ['role']),
    }),
    done: () => '/dashboard/people',
  });

  defineAct(app, deps, {
    url: '/people/:id/remove',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Remove this person?',
      text: html`<p>Every session ends at once; passkeys, links and codes stop working. The audit log keeps what the person did.</p>${await personOf(id, caller?.accountId)}`,
      button: 'Remove the person',
      back: '/dashboard/people',
    }),
    call: (_, { id = '' }) => ({ method: 'DELETE', url: `/people/${encodeURIComponent(id)}` }),
    done: () => '/dashboard/people',
  });
}

function linkPage(url: string) {
  return {
    title: 'The link',
    shown: html`<section class="card"><p>It is shown only once. The first to open it is logged in as that person.</p><p><code class="long">${url}</code></p><p><a class="button" href="/dashboard/people">I have passed it on</a></p></section>`,
  };
}

const WAITS = {
  title: 'The link waits for an approval',
  shown: html`<section class="card"><p>Another owner finds it under Needs you, approves it within a day, and gives the link to the person.</p><p><a class="button" href="/dashboard/people">Back to people</a></p></section>`,
};

function factsOf(person: ListedPerson): Html {
  return facts([
    ['Name', person.name],
    ['Role', person.role],
    ['Works for', person.accountId ?? 'all accounts'],
  ]);
}

/** The requests that this person may approve. */
export async function approvableLinks(
  { db }: { readonly db: Sql },
  caller: Caller | undefined,
  people: readonly ListedPerson[],
): Promise<readonly LinkRequest[]> {
  if (!caller || !may(caller, 'people:write')) return [];
  const approvable: LinkRequest[] = [];
  for (const person of people) {
    const { linkRequest } = person;
    if (!linkRequest || !mayGrant(caller.scopes, scopesOf(person))) continue;
    if (await mayApproveLink(db, linkRequest, caller.actor)) approvable.push(linkRequest);
  }
  return approvable;
}

/** Buttons for a waiting login link. */
export function requestActs(personId: string, mayApprove: boolean): Html {
  const button = (verb: string, label: string) =>
    html`<a class="button secondary small" href="/dashboard/people/${personId}/link/${verb}">${label}</a> `;
  return html`${mayApprove && button('approve', 'Approve')}${button('refuse', 'Refuse')}`;
}
