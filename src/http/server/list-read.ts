// Lists that may be read from a replica. The answer says how old it may be; a caller who needs the present asks for it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Sql } from '../../storage/database.ts';
import type { Replica } from '../../storage/replica.ts';

export type ListReadDeps = { readonly db: Sql; readonly replica: Replica };

/** In the answer of a list that a replica may give. */
export const DATA_AS_OF = {
  'Data-As-Of': {
    description:
      'Only when a replica answered: all that was written before this moment is in the answer, and rows and totals fit each other.',
    type: 'string',
  },
};

export const FreshHeaders = Type.Object({
  'Cache-Control': Type.Optional(
    Type.String({ maxLength: 255, description: '`no-cache`: the answer is of this moment, from no replica.' }),
  ),
});

export type ListReadOptions = {
  /** True: the caller looks for one object, which may be new. */
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
