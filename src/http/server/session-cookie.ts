// The cookie of a session, and whether a change by it comes from a page of this service.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_MAX_MS } from '../../accounts/people/person.ts';
import { AppError } from '../../lib/errors.ts';

/** A browser keeps it for https and for its own machine, for this host alone, out of reach of scripts. */
export const SESSION_COOKIE = '__Host-trilho';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${SESSION_MAX_MS / 1000}`);
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
}

/** The session that a request brings; undefined without one, or with two that differ. */
export function sessionTokenOf({ headers }: FastifyRequest): string | undefined {
  const values = (headers.cookie ?? '').split(';').flatMap(pair => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === SESSION_COOKIE ? [value.join('=').trim()] : [];
  });
  const [token, ...others] = new Set(values);
  return others.length === 0 && token !== '' ? token : undefined;
}

/**
 * Refuses a change that a page of another site may have sent: a browser adds the cookie by itself. Every browser says where a
 * request comes from, in Sec-Fetch-Site or, where it is older, in Origin. https://www.w3.org/TR/fetch-metadata/
 */
export function requireSameOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isSame = site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isSame) throw new AppError('cross_site_request', 'A change by a session must come from a page of this service.');
}
