// What each connection was asked last and whether it was answered. Answers leave a connection in the order of its requests, so
// the last one stands for all before it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The answer to the request before it. */
  readonly before: ServerResponse | undefined;
};

export type Exchanges = {
  /** Call it once, before the server listens. */
  watch(server: Server): void;
  /** Whether an answer is still being made or sent. */
  isOwed(socket: Socket): boolean;
  /**
   * Calls back once every request that arrived whole has its answer, at once when none is owed. Says whether there is a
   * request of which only a part arrived and that has no answer yet, or none at all: only then may one more answer follow.
   */
  afterOwed(socket: Socket, done: (mayAnswer: boolean) => void): void;
};

export function createExchanges(): Exchanges {
  const last = new WeakMap<Socket, Exchange>();
  return {
    watch: server => {
      holdEnds(server, socket => last.get(socket));
      // Before the framework's own listener, which may answer at once.
      server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        last.set(request.socket, { request, response, before: last.get(request.socket)?.response });
      });
    },
    isOwed: socket => {
      const exchange = last.get(socket);
      return exchange !== undefined && !isSent(exchange.response);
    },
    afterOwed: (socket, done) => {
      const exchange = last.get(socket);
      if (!exchange) return done(true);
      const { request, response, before } = exchange;
      // An answer that was begun before its request had arrived, such as a refusal, is the only one to that request.
      const isUnanswered = !request.complete && !response.headersSent;
      const owed = isUnanswered ? before : response;
      const next = () => done(isUnanswered || request.complete);
      if (!owed || isSent(owed)) next();
      else owed.once('close', next);
    },
  };
}

/**
 * A caller may say that it sends nothing more and still read: `shutdown(SHUT_WR)`, `nc -N`. Node would give its requests up at
 * that, while they are carried out. So the end is told to Node's listeners once the answer is sent. A stream ends at once, since a
 * caller that has gone looks the same; so does what was handed over as a tunnel, whose parser is gone.
 */
function holdEnds(server: Server, lastOf: (socket: Socket) => Exchange | undefined): void {
  const handedOver = new WeakSet<object>();
  server.prependListener('connect', (_request, socket) => handedOver.add(socket));
  server.on('connection', (socket: Socket) => {
    const listeners = socket.listeners('end');
    socket.removeAllListeners('end');
    const pass = () => {
      if (handedOver.has(socket)) socket.end();
      else for (const listener of listeners) listener.call(socket);
    };
    socket.on('end', () => {
      const response = lastOf(socket)?.response;
      const isStream = response?.headersSent && !response.writableEnded;
      const isPartial = lastOf(socket)?.request.complete === false;
      if (!response || isSent(response) || isStream || isPartial) pass();
      else response.once('close', pass);
    });
  });
}

/** Handed over to the operating system, or given up with its connection. */
function isSent(response: ServerResponse): boolean {
  return response.writableFinished || response.closed;
}
