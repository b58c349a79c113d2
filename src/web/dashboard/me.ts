// The page of the logged-in person: passkeys, recovery codes, sessions; and showing a passkey again.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { makeRecoveryCodes } from '../../accounts/people/enter.ts';
import {
  assertionOptions,
  confirmByPasskey,
  registerPasskey,
  registrationOptions,
  removePasskey,
} from '../../accounts/people/passkeys.ts';
import { isFresh, mayAddPasskey, SESSION_IDLE_MS, type Session } from '../../accounts/people/person.ts';
import { endOtherSessions, endSession } from '../../accounts/people/sessions.ts';
import { listNotices, markNoticesSeen, type NoticeKind } from '../../accounts/people/store-notices.ts';
import { listPasskeys } from '../../accounts/people/store-passkeys.ts';
import { countRecoveryCodes } from '../../accounts/people/store-people.ts';
import { type ListedSession, listSessions } from '../../accounts/people/store-sessions.ts';
import { reader } from '../../http/server/reader.ts';
import { clearSessionCookie } from '../../http/server/session-cookie.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { type Html, html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { fieldsOf, textField } from './form.ts';
import { when } from './formats.ts';
import { plainPage } from './frame.ts';
import { type LoginDeps, nextOf, readAssertion } from './login.ts';
import { table } from './parts.ts';
import { type ShellDeps, shell } from './shell.ts';

const HIDDEN = { schema: { hide: true } } as const;

/** The parts of an answer that are read here; the package checks the rest. */
const Registration = Type.Object({
  id: Type.String(),
  rawId: Type.String(),
  type: Type.Literal('public-key'),
  response: Type.Object({ clientDataJSON: Type.String(), attestationObject: Type.String() }),
  clientExtensionResults: Type.Object({}),
});
const registrationReader = reader(Registration, 'body');

export function meRoutes(app: FastifyInstance, deps: LoginDeps & ShellDeps): void {
  app.get('/dashboard/me', HIDDEN, async (request, reply) => {
    const session = requireSession(request);
    return sendHtml(request, reply, await mePage(deps, request, session));
  });

  app.post('/dashboard/me/passkeys/options', HIDDEN, async request =>
    registrationOptions(deps, requireSession(request)),
  );

  app.post('/dashboard/me/passkeys', HIDDEN, async request => {
    const reading = registrationReader(request.body);
    if (!reading.isWhole) throw invalidRequest(reading.faults);
    await registerPasskey(deps, requireSession(request), reading.value);
    return { next: '/dashboard/me' };
  });

  app.post('/dashboard/me/passkeys/remove', HIDDEN, async (request, reply) => {
    const session = requireSession(request);
    requireFresh(deps, session);
    await removePasskey(deps, session, textField(fieldsOf(request), 'id'));
    return reply.redirect('/dashboard/me', 303);
  });

  app.post('/dashboard/me/recovery-codes', HIDDEN, async (request, reply) => {
    const session = requireSession(request);
    requireFresh(deps, session);
    const codes = await makeRecoveryCodes(deps, session);
    const page = plainPage(
      deps.assets,
      'Recovery codes',
      html`<h1>Your recovery codes</h1>
<p>Each logs you in once, when no passkey is at hand. They are shown only once; earlier codes no longer work.</p>
<ol class="codes">${codes.map(code => html`<li><code>${code}</code></li>`)}</ol>
<p class="no-print"><a class="button" href="/dashboard/me">I have saved them</a></p>`,
    );
    return sendHtml(request, reply, page);
  });

  app.post('/dashboard/me/sessions/end', HIDDEN, async (request, reply) => {
    const id = textField(fieldsOf(request), 'id');
    await endOtherSessions(deps, requireSession(request), id === '' ? undefined : id);
    return reply.redirect('/dashboard/me', 303);
  });

  app.post('/dashboard/me/notices/seen', HIDDEN, async (request, reply) => {
    await markNoticesSeen(deps.db, requireSession(request).tokenHash, deps.clock.now());
    return reply.redirect('/dashboard/me', 303);
  });

  app.get('/dashboard/confirm', HIDDEN, async (request, reply) => {
    const { hasPasskey } = requireSession(request);
    const next = nextOf(request);
    const body = hasPasskey
      ? html`<p>Keys, people, accounts, approvals and large refunds outlive a session, so they ask for your passkey again every five minutes.</p>
<p id="passkey-note" class="note" role="status" hidden></p>
<button class="button" type="button" data-passkey="confirm" data-next="${next}">Show my passkey</button>
<noscript><p class="muted">A passkey needs JavaScript.</p></noscript>`
      : html`<p>Keys, people, accounts, approvals and large refunds ask for a passkey. <a href="/dashboard/me">Add one</a> first.</p>`;
    return sendHtml(request, reply, plainPage(deps.assets, 'Is it you?', html`<h1>Is it you?</h1>${body}`));
  });

  app.post('/dashboard/confirm/options', HIDDEN, async request => assertionOptions(deps, requireSession(request)));

  app.post('/dashboard/confirm', HIDDEN, async request => {
    await confirmByPasskey(deps, requireSession(request), readAssertion(request.body));
    return { next: nextOf(request) };
  });

  app.post('/dashboard/logout', HIDDEN, async (request, reply) => {
    const session = requireSession(request);
    await endSession(deps, session);
    clearSessionCookie(reply);
    return reply.redirect('/dashboard/login', 303);
  });
}

/** A sandbox has no sessions. */
function requireSession({ caller }: FastifyRequest): Session {
  if (!caller?.session) throw new AppError('not_found', 'A sandbox needs no login and has no such page.');
  return caller.session;
}

/** The first codes of a person who has just logged in by a link or a code need no passkey yet. */
function requireFresh({ clock }: LoginDeps, session: Session): void {
  const now = clock.now();
  if (isFresh(session, now) || (!session.hasPasskey && mayAddPasskey(session, now))) return;
  throw new AppError('fresh_login_needed', 'Show your passkey again: the last time is more than five minutes ago.');
}

async function mePage(deps: LoginDeps & ShellDeps, request: FastifyRequest, session: Session) {
  const { person } = session;
  const now = deps.clock.now();
  const [passkeys, codes, sessions, notices] = await Promise.all([
    listPasskeys(deps.db, person.id),
    countRecoveryCodes(deps.db, person.id),
    listSessions(deps.db, person.id, now, new Date(now.getTime() - SESSION_IDLE_MS)),
    listNotices(deps.db, person.id),
  ]);
  const rows = passkeys.map(({ id, createdAt, lastUsedAt }) => [
    when(createdAt),
    lastUsedAt ? when(lastUsedAt) : 'never',
    html`<details><summary>Remove</summary><form method="post" action="/dashboard/me/passkeys/remove"><p>It can no longer be used to log in.</p>
<input type="hidden" name="id" value="${id}"><button class="button secondary small">Remove the passkey</button></form></details>`,
  ]);
  return shell(deps, request, {
    title: person.name,
    section: 'me',
    body: html`<p class="muted">${person.role}, ${person.accountId ?? 'all accounts'}</p>
<section class="card"><h2>Passkeys</h2>
${
  passkeys.length === 0
    ? html`<p class="note warn">You have no passkey yet: without one you need a new link for every login.</p>`
    : table({ caption: 'Passkeys', head: ['Added', 'Last used', ''], rows })
}
<p id="passkey-note" class="note" role="status" hidden></p>
<p><button class="button" type="button" data-passkey="register" data-next="/dashboard/me">Add a passkey</button></p>
<noscript><p class="muted">A passkey needs JavaScript.</p></noscript></section>
<section class="card"><h2>Recovery codes</h2>
<p>${codes === 0 ? 'You have no codes.' : `${codes} left.`} Each logs you in once when no passkey is at hand.${codes > 0 && ' New ones replace them.'}</p>
<form method="post" action="/dashboard/me/recovery-codes"><button class="button secondary">Create ten new codes</button></form></section>
<section class="card"><h2>This session</h2>
<p>Since ${when(session.createdAt)}. It ends 12 hours after the last use, and on ${when(session.expiresAt)} at the latest.</p>
<form method="post" action="/dashboard/logout"><button class="button secondary">Log out</button></form></section>
${sessionsCard(sessions, session)}
${noticesCard(notices, session)}`,
  });
}

function sessionsCard(sessions: readonly ListedSession[], { tokenHash }: Session): Html {
  const others = sessions.filter(({ id }) => id !== tokenHash.toString('hex'));
  const rows = others.map(({ id, createdAt, lastUsedAt, provenBy }) => [
    when(createdAt),
    when(lastUsedAt),
    provenBy.replace('_', ' '),
    html`<form method="post" action="/dashboard/me/sessions/end"><input type="hidden" name="id" value="${id}"><button class="button secondary small">End</button></form>`,
  ]);
  return html`<section class="card"><h2>Other sessions</h2>
${table({ caption: 'Other sessions', head: ['Since', 'Last used', 'By', ''], rows, empty: 'You are logged in only here.' })}
${others.length > 1 && html`<form method="post" action="/dashboard/me/sessions/end"><button class="button secondary">End all others</button></form>`}</section>`;
}

const NOTICES: Readonly<Record<NoticeKind, string>> = {
  login_link: 'A login link for you was created',
  passkey: 'A passkey was added',
  key: 'An API key was created',
  role: 'Your role was changed',
};

function noticesCard(notices: Awaited<ReturnType<typeof listNotices>>, { person, hasNews }: Session): Html {
  const rows = notices.map(({ at, what, by, name }) => [
    when(at),
    NOTICES[what],
    by === `person:${person.id}` ? 'you' : (name ?? (by === 'operator' ? 'the command line' : by)),
  ]);
  return html`<section class="card" id="notices"><h2>What changed</h2>
<p>In the last 90 days. If you do not recognise a line, end your other sessions, remove passkeys that are not yours, and contact the operator of the service.</p>
${table({ caption: 'What changed', head: ['When', 'What', 'By'], rows, empty: 'Nothing.' })}
${hasNews && html`<form method="post" action="/dashboard/me/notices/seen"><button class="button secondary">I have seen it</button></form>`}</section>`;
}
