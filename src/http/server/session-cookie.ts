// The cookie of a session, and the check that a change comes from a page of this service.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_MAX_MS } from '../../accounts/people/person.ts';
import { AppError } from '../../lib/errors.ts';

/** Only for https and localhost, only for this host, and not readable by scripts. */
export const SESSION_COOKIE = '__Host-trilho';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${SESSION_MAX_MS / 1000}`);
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
}

/** The session of a request; undefined without one, or with two that differ. */
export function sessionTokenOf({ headers }: FastifyRequest): string | undefined {
  const values = (headers.cookie ?? '').split(';').flatMap(pair => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === SESSION_COOKIE ? [value.join('=').trim()] : [];
  });
  const [token, ...others] = new Set(values);
  return others.length === 0 && token !== '' ? token : undefined;
}

/**
 * Refuses a change that a page of another site may have sent, since a browser adds the cookie by itself. Every browser states the source of
 * a request in Sec-Fetch-Site or, if older, in Origin. https://www.w3.org/TR/fetch-metadata/
 */
export function requireSameOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isSame = site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isSame) throw new AppError('cross_site_request', 'A change by a session must come from a page of this service.');
}
