// Hooks that wait for nothing. A promise for each of them costs every request a turn.
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What it throws is what the request is answered with, as in any other hook. */
export function atOnce(look: (request: FastifyRequest, reply: FastifyReply) => void) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    look(request, reply);
    done();
  };
}
