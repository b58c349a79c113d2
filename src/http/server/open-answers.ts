// Which answers a connection waits for.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

export type OpenAnswers = {
  /** Whether an answer is still being made or sent. */
  isOwed(socket: Socket): boolean;
  /** Whether a refusal can be written, so that it is not taken for the answer to a request that was read whole. */
  mayRefuse(socket: Socket): boolean;
};

/** Call it before the server listens. */
export function watchAnswers(server: Server): OpenAnswers {
  const exchanges = new WeakMap<Socket, readonly Exchange[]>();
  const on = (socket: Socket) => exchanges.get(socket) ?? [];
  // Before the framework's own listener, which may answer at once.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    exchanges.set(socket, [...on(socket).filter(one => !one.response.closed), { request, response }]);
  });
  return {
    isOwed: socket => on(socket).some(({ response }) => !response.closed),
    // What cannot be read may be the rest of the last request, which may have its answer already.
    mayRefuse: socket =>
      on(socket).every(({ request, response }) =>
        response.closed ? request.complete : !request.complete && !response.headersSent,
      ),
  };
}
