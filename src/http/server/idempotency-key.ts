// The Idempotency-Key header: the caller's own id of one request, the same when it is repeated.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Fault } from '../../lib/errors.ts';

const NAME = 'Idempotency-Key';
const PRINTABLE = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

export const IdempotencyHeaders = Type.Object({
  [NAME]: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Your own id of this request: a repeat has the same.' }),
  ),
});

export function readIdempotencyKey(request: FastifyRequest): { value?: string; faults: Fault[] } {
  const value = request.headers['idempotency-key'];
  if (value === undefined) return { faults: [] };
  if (typeof value === 'string' && PRINTABLE.test(value)) return { value, faults: [] };
  return { faults: [{ path: NAME, code: 'not_allowed', message: 'must have 1 to 255 printable ASCII characters' }] };
}
