// The open answers of each connection.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

export type OpenAnswers = {
  /** Whether an answer is still in progress. */
  isOwed(socket: Socket): boolean;
  /** Whether a refusal can be written without being mistaken for the answer to a complete request. */
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
    // Unreadable bytes may be the rest of the last request, which may already have its answer.
    mayRefuse: socket =>
      on(socket).every(({ request, response }) =>
        response.closed ? request.complete : !request.complete && !response.headersSent,
      ),
  };
}
