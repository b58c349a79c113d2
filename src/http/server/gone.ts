// A caller that goes away while a stream lasts, or before it is set up.
import type { FastifyRequest } from 'fastify';

/** Whether the caller has gone. No `close` of its connection is to come then. */
export function hasGone({ raw }: FastifyRequest): boolean {
  return raw.socket.destroyed;
}

/** Aborts once the caller has gone, at once when it went before. */
export function abortWhenGone(request: FastifyRequest, stream: AbortController): void {
  const { socket } = request.raw;
  const abort = () => stream.abort();
  if (hasGone(request)) {
    abort();
    return;
  }
  socket.once('close', abort);
  stream.signal.addEventListener('abort', () => socket.off('close', abort));
}
