// Logging in by a passkey, a one-time link or a recovery code. Nothing here needs a session.
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { enterByLink, enterByRecoveryCode, whoseLink } from '../../accounts/people/enter.ts';
import { assertionOptions, enterByPasskey, type PasskeyDeps, whosePasskey } from '../../accounts/people/passkeys.ts';
import { networkOf } from '../../http/server/limits.ts';
import { reader } from '../../http/server/reader.ts';
import { requireSameOrigin, setSessionCookie } from '../../http/server/session-cookie.ts';
import { attemptLimit } from '../../lib/attempt-limit.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import type { Mode } from '../../lib/mode.ts';
import type { Assets } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { fieldsOf, textField } from './form.ts';
import { plainPage } from './frame.ts';

export type LoginDeps = PasskeyDeps & {
  readonly assets: Assets;
  readonly mode: Mode;
  /** The machine's time, which a sandbox does not move. */
  readonly machineClock: Clock;
};

const HIDDEN = { schema: { hide: true } } as const;

const ATTEMPTS_PER_ADDRESS = 10;
const ADDRESS_WINDOW_MS = 60_000;
const FAILURES_PER_PERSON = 5;
const PERSON_WINDOW_MS = 15 * 60_000;

/** The parts of an answer that are read here; the package checks the rest. */
const Assertion = Type.Object({
  id: Type.String({ maxLength: 1_400, pattern: '^[A-Za-z0-9_-]+$' }),
  rawId: Type.String(),
  type: Type.Literal('public-key'),
  response: Type.Object({
    clientDataJSON: Type.String(),
    authenticatorData: Type.String(),
    signature: Type.String(),
    userHandle: Type.Optional(Type.String()),
  }),
  clientExtensionResults: Type.Object({}),
});
const assertionReader = reader(Assertion, 'body');

/** Checks the form of a passkey's answer. */
export function readAssertion(body: unknown): AuthenticationResponseJSON {
  const reading = assertionReader(body);
  if (!reading.isWhole) throw invalidRequest(reading.faults);
  return reading.value;
}

export function loginRoutes(app: FastifyInstance, deps: LoginDeps): void {
  const addresses = attemptLimit(ATTEMPTS_PER_ADDRESS, ADDRESS_WINDOW_MS, deps.machineClock);
  const failures = attemptLimit(FAILURES_PER_PERSON, PERSON_WINDOW_MS, deps.machineClock);

  /** Runs before any lookup. */
  function admit(request: FastifyRequest, reply: FastifyReply): void {
    requireSameOrigin(request, deps.publicUrl());
    if (addresses.take(networkOf(request.ip))) return;
    reply.header('retry-after', ADDRESS_WINDOW_MS / 1000);
    throw new AppError('rate_limited', 'Too many attempts to log in from this address; wait a minute.');
  }

  app.get('/dashboard/login', HIDDEN, async (request, reply) => {
    if (deps.mode === 'sandbox') return reply.redirect('/dashboard', 303);
    return sendHtml(request, reply, loginPage(deps, nextOf(request)));
  });

  app.post('/dashboard/login/options', HIDDEN, async (request, reply) => {
    admit(request, reply);
    return assertionOptions(deps);
  });

  app.post('/dashboard/login', HIDDEN, async (request, reply) => {
    requireSameOrigin(request, deps.publicUrl());
    const answer = readAssertion(request.body);
    const personId = await whosePasskey(deps, answer);
    if (personId !== undefined && !failures.hasLeft(personId)) {
      throw new AppError('rate_limited', 'Too many failed attempts of this person; wait 15 minutes.');
    }
    try {
      const { token } = await enterByPasskey(deps, answer);
      setSessionCookie(reply, token);
      return { next: nextOf(request) };
    } catch (error) {
      if (personId !== undefined && error instanceof AppError && error.code === 'unauthorized') failures.take(personId);
      throw error;
    }
  });

  app.post('/dashboard/recover', HIDDEN, async (request, reply) => {
    admit(request, reply);
    const entered = await enterByRecoveryCode(deps, textField(fieldsOf(request), 'code'));
    if (!entered) {
      const page = loginPage(deps, nextOf(request), 'This code is unknown or was already used.');
      return sendHtml(request, reply, page, { status: 401 });
    }
    setSessionCookie(reply, entered.token);
    return reply.redirect('/dashboard/me', 303);
  });

  /** A chat app may fetch the link for a preview, so opening it only shows a button. */
  app.get<{ Params: { token: string } }>('/dashboard/enter/:token', HIDDEN, async (request, reply) => {
    const person = await whoseLink(deps, request.params.token);
    if (!person) return sendHtml(request, reply, usedLinkPage(deps), { status: 404 });
    const page = plainPage(
      deps.assets,
      'Log in',
      html`<h1>Welcome, ${person.name}</h1>
<p>This link logs you in once, as <strong>${person.role}</strong>${person.accountId !== undefined && html` of ${person.accountId}`}.</p>
<form method="post"><button class="button">Log in</button></form>`,
    );
    return sendHtml(request, reply, page);
  });

  app.post<{ Params: { token: string } }>('/dashboard/enter/:token', HIDDEN, async (request, reply) => {
    admit(request, reply);
    const entered = await enterByLink(deps, request.params.token);
    if (!entered) return sendHtml(request, reply, usedLinkPage(deps), { status: 404 });
    setSessionCookie(reply, entered.token);
    return reply.redirect('/dashboard/me', 303);
  });
}

/** Where the person wanted to go: a page of the dashboard, and nothing else. */
export function nextOf({ query }: FastifyRequest): string {
  const next = typeof query === 'object' && query !== null && 'next' in query ? query.next : undefined;
  return typeof next === 'string' && /^\/dashboard(?:[/?][\x21-\x7e]*)?$/.test(next) ? next : '/dashboard';
}

function loginPage({ assets }: LoginDeps, next: string, fault?: string): Html {
  return plainPage(
    assets,
    'Log in',
    html`<h1>Log in</h1>
${fault !== undefined && html`<p class="note bad" role="alert">${fault}</p>`}
<p id="passkey-note" class="note" role="status" hidden></p>
<button class="button" type="button" data-passkey="login" data-next="${next}">Use a passkey</button>
<noscript><p class="muted">A passkey needs JavaScript. A recovery code and a link do not.</p></noscript>
<details>
<summary>Use a recovery code</summary>
<form method="post" action="/dashboard/recover">
<label>Recovery code <input name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="60"></label>
<button class="button secondary">Log in by code</button>
</form>
</details>
<p class="muted small">No passkey and no code left? The operator of the service can create a link: <code>trilho people login</code>.</p>`,
  );
}

function usedLinkPage({ assets }: LoginDeps): Html {
  return plainPage(
    assets,
    'This link is no longer valid',
    html`<h1>This link is no longer valid</h1>
<p>It was used, replaced or has expired. <a href="/dashboard/login">Log in</a> by a passkey, or ask for a new link.</p>`,
  );
}
