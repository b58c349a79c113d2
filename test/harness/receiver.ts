// A webhook receiver: a real HTTP server that keeps the requests it gets and answers as a test sets it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Over } from './process.ts';

export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body.
  readonly json: any;
};

/** How it answers: with a status, or as a function does it. */
type Behaviour = number | ((response: ServerResponse, received: Received) => void);

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** Connections that were opened, with or without a request. */
  connections(): number;
  /** The most requests that were open at the same time. */
  mostAtOnce(): number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
};

export async function startReceiver(t: Over, behaviour: Behaviour = 200, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  let [now, most] = [0, 0];
  const server = createServer((request, response) => {
    most = Math.max(most, ++now);
    response.once('close', () => now--);
    let text = '';
    request.setEncoding('utf8');
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        json: text ? JSON.parse(text) : undefined,
      };
      received.push(one);
      if (typeof behaviour === 'function') behaviour(response, one);
      else response.writeHead(behaviour).end('received');
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.after(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    connections: () => connections,
    mostAtOnce: () => most,
    behave: next => {
      behaviour = next;
    },
    close,
  };
}
