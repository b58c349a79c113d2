// Requests that arrive together: on one connection and in one write, so that the service reads them in one turn of its event loop.
// With `fetch` each has a connection of its own, and how many are read in one turn depends on the machine.
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Answer, toAnswer } from './service.ts';

/** Without an answer for this long the test fails. */
const SILENCE_MS = 60_000;

export type Post = { readonly body: unknown; readonly headers?: Record<string, string> };

/** Answers in the order of the requests. */
export async function postAtOnce(url: string, path: string, posts: readonly Post[]): Promise<Answer[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('no answer came')));
  const requests = posts.map((post, index) => requestOf(path, post, index === posts.length - 1));
  socket.write(requests.join(''));
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  return Promise.all(answersIn(Buffer.concat(pieces)));
}

function requestOf(path: string, { body, headers = {} }: Post, isLast: boolean): string {
  const text = JSON.stringify(body);
  const all = {
    host: 'localhost',
    connection: isLast ? 'close' : 'keep-alive',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

function* answersIn(bytes: Buffer): Generator<Promise<Answer>> {
  for (let at = 0; at < bytes.length; ) {
    const bodyAt = bytes.indexOf('\r\n\r\n', at) + 4;
    const [statusLine, ...lines] = bytes.toString('latin1', at, bodyAt - 4).split('\r\n');
    const headers = new Headers(lines.map(line => line.split(/: (.*)/s, 2) as [string, string]));
    at = bodyAt + Number(headers.get('content-length'));
    const status = Number(statusLine!.split(' ')[1]);
    yield toAnswer(new Response(bytes.subarray(bodyAt, at), { status, headers }));
  }
}
