// Lists that may be read from a replica. The answer states its age; a caller who needs the present can ask for it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Sql } from '../../storage/database.ts';
import type { Replica } from '../../storage/replica.ts';

export type ListReadDeps = { readonly db: Sql; readonly replica: Replica };

/** A header of lists that a replica may answer. */
export const DATA_AS_OF = {
  'Data-As-Of': {
    description:
      'Only when a replica answered: the answer has everything written before this moment, and rows and totals match.',
    type: 'string',
  },
};

export const FreshHeaders = Type.Object({
  'Cache-Control': Type.Optional(
    Type.String({ maxLength: 255, description: '`no-cache`: the answer is current and not from a replica.' }),
  ),
});

export type ListReadOptions = {
  /** True when the caller looks for one object, which may be new. */
  readonly isFresh?: boolean;
};

/** Reads a list from the replica unless the caller needs the present. */
export async function readList<T>(
  { db, replica }: ListReadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (db: Sql) => Promise<T>,
  { isFresh = false }: ListReadOptions = {},
): Promise<T> {
  if (isFresh || asksForPresent(request)) return work(db);
  const { value, asOf } = await replica.read(work);
  if (asOf) nameAge(reply, asOf);
  return value;
}

export function asksForPresent({ headers }: FastifyRequest): boolean {
  return /\bno-(cache|store)\b|\bmax-age=0\b/i.test(headers['cache-control'] ?? '');
}

export function nameAge(reply: FastifyReply, asOf: Date): void {
  reply.header('data-as-of', asOf.toISOString());
}
