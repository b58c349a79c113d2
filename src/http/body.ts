// Reading a JSON body: UTF-8 and nothing else, so that what is stored is what was sent.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** The text of each body while somebody holds it, for those who need a number as it was written. */
const texts = new WeakMap<object, string>();
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

export async function readJson(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported();
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw unsupported();
  // No body at all, for an address that needs none.
  if (bytes.length === 0) return undefined;
  const text = attempt(() => decoder.decode(bytes), 'The body is not valid UTF-8.');
  const body: unknown = attempt(() => JSON.parse(text), 'The body is not valid JSON.');
  if (typeof body === 'object' && body !== null) texts.set(body, text);
  return body;
}

/** The JSON text that a body was read from; undefined for what was not read here. */
export function textOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null ? texts.get(body) : undefined;
}

function attempt<T>(read: () => T, otherwise: string): T {
  try {
    return read();
  } catch {
    // The parser's own message quotes the body.
    throw new AppError('malformed_request', otherwise);
  }
}

function unsupported(): Error {
  return Object.assign(new Error('a body that is not plain JSON in UTF-8'), { statusCode: 415 });
}
