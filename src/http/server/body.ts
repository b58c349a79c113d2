// Reads a JSON body: only UTF-8, so that what is stored is what was sent.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { findJsonFault, placeOf } from '../../lib/json-faults.ts';
import { dotted } from '../../lib/schema-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON text of the body, for numbers that must be read digit for digit. */
    bodyText: string | undefined;
  }
}

/** The body of a request. */
export type Given = { readonly body: unknown; readonly bodyText?: string | undefined };

const decoder = new TextDecoder('utf-8', { fatal: true });
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

export function readBodies(app: FastifyInstance): void {
  app.decorateRequest('bodyText', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    readJson(request, bytes),
  );
}

function readJson(request: FastifyRequest, bytes: Buffer): unknown {
  const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported();
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw unsupported();
  // No body, for a route that does not need one.
  if (bytes.length === 0) return undefined;
  const text = attempt(
    () => decoder.decode(bytes),
    () => 'The body is not valid UTF-8.',
  );
  request.bodyText = text;
  return parseBody(text);
}

/** Refuses a repeated key in one object: JSON.parse would take the last value, and the caller may mean the first. */
function parseBody(text: string): unknown {
  const value = attempt(
    () => JSON.parse(text) as unknown,
    () => `The body is not valid JSON: ${placeOf(text, findJsonFault(text)?.at ?? 0)}.`,
  );
  // Most bodies are exactly what JSON.stringify writes. They have no repeated key, and the search would cost ten times as much.
  if (isWrittenPlainly(value, text)) return value;
  const fault = findJsonFault(text);
  if (!fault?.repeatedKey) return value;
  const message = `is repeated in its object: ${placeOf(text, fault.at)}`;
  throw invalidRequest([{ path: dotted(fault.repeatedKey), code: 'repeated', message }]);
}

function isWrittenPlainly(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Nested deeper than the stack.
    return false;
  }
}

function attempt<T>(read: () => T, otherwise: () => string): T {
  try {
    return read();
  } catch {
    // The parser's own message quotes the body.
    throw new AppError('malformed_request', otherwise());
  }
}

function unsupported(): Error {
  return Object.assign(new Error('a body that is not plain JSON in UTF-8'), { statusCode: 415 });
}
