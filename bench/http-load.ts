// Load over HTTP/1.1: a number of connections, each with one request at a time. It writes bytes to plain sockets and parses
// as little as possible, because the load generator shares the machine with the service.
import { connect, type Socket } from 'node:net';
import { percentile } from './figures.ts';

type Load = {
  readonly url: string;
  readonly connections: number;
  /** The whole request with this index, as `get` and `post` build it. */
  request(index: number): string;
  /** Sent on every connection before the load: when it is answered, the service has accepted all connections. */
  readonly firstRequest?: string;
  /** The load ends after this time or after this number of requests. */
  readonly seconds: number;
  readonly requests?: number;
};

export type LoadResult = {
  readonly count: number;
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

const MAX_REQUESTS = 1_000_000;
const RESPONSE_TIMEOUT_MS = 120_000;

export function get(target: string, headers: Readonly<Record<string, string>> = {}): string {
  return `GET ${target} HTTP/1.1\r\n${headerLines(headers)}\r\n`;
}

export function post(target: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const length = Buffer.byteLength(body);
  return `POST ${target} HTTP/1.1\r\n${headerLines(headers)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = 'Host: 127.0.0.1\r\n';
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return lines;
}

/**
 * Fails on any answer that is not 2xx, because a rate of refusals means nothing. All connections are open before the first request, as
 * real callers keep theirs; opened during the load, they would send the first requests one or two at a time.
 */
export async function runLoad({
  url,
  connections,
  request,
  firstRequest,
  seconds,
  requests = MAX_REQUESTS,
}: Load): Promise<LoadResult> {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  if (firstRequest !== undefined) await Promise.all(opened.map(connection => connection.send(firstRequest)));
  const limit = Math.min(requests, MAX_REQUESTS);
  const latencies = new Float64Array(limit);
  let [sent, answered] = [0, 0];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;

  async function sendRequests(connection: HttpConnection): Promise<void> {
    while (sent < limit && performance.now() < endsAt) {
      const text = request(sent++);
      const sentAt = performance.now();
      const answer = await connection.send(text);
      latencies[answered++] = performance.now() - sentAt;
      if (answer.status < 200 || answer.status > 299) {
        throw new Error(`${text.split('\r\n', 1)[0]} was answered with ${answer.status}: ${answer.body()}`);
      }
    }
  }

  try {
    await Promise.all(opened.map(sendRequests));
  } finally {
    for (const connection of opened) connection.close();
  }
  const tookSeconds = (performance.now() - startedAt) / 1000;
  const sorted = latencies.subarray(0, answered).sort();
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { count: answered, rate: answered / tookSeconds, p50, p99 };
}

type HttpAnswer = { readonly status: number; body(): string };
export type HttpConnection = { send(request: string): Promise<HttpAnswer>; close(): void };

/** One keep-alive connection to the origin of a URL. One request at a time. */
export async function openConnection(url: string): Promise<HttpConnection> {
  const { hostname, port } = new URL(url);
  const socket = await openSocket(hostname, Number(port));
  let waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined;
  let chunks: Buffer[] = [];
  let [received, needed] = [0, 0];

  function fail(error: Error): void {
    waiting?.reject(error);
    waiting = undefined;
  }

  socket.on('data', chunk => {
    // A server may answer 408 on an idle connection before it closes it.
    if (!waiting) return;
    chunks.push(chunk);
    received += chunk.length;
    if (received < needed) return;
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    const length = answerLength(bytes);
    if (length === undefined || length > bytes.length) {
      // Parse again only when this much has arrived.
      needed = length ?? received + 1;
      chunks = [bytes];
      return;
    }
    chunks = [];
    [received, needed] = [0, 0];
    const { resolve } = waiting;
    waiting = undefined;
    resolve({ status: Number(bytes.toString('latin1', 9, 12)), body: () => bodyOf(bytes) });
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed before the answer')));
  socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy(new Error('the answer timed out')));

  return {
    send: request =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection was closed before the request'));
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

function openSocket(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** The length of the complete answer; undefined while the received bytes do not contain it. */
function answerLength(bytes: Buffer): number | undefined {
  const bodyAt = bodyOffset(bytes);
  if (bodyAt === undefined) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, bodyAt))?.[1];
  if (length !== undefined) return bodyAt + Number(length);
  // Chunked: the last chunk is empty. No answer measured here has a trailer.
  return bytes.subarray(-5).equals(LAST_CHUNK) ? bytes.length : undefined;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');

function bodyOffset(bytes: Buffer): number | undefined {
  const at = bytes.indexOf(BLANK_LINE);
  return at < 0 ? undefined : at + BLANK_LINE.length;
}

function bodyOf(bytes: Buffer): string {
  const bodyAt = bodyOffset(bytes)!;
  const text = bytes.subarray(bodyAt).toString('utf8');
  if (/\r\ncontent-length:/i.test(bytes.toString('latin1', 0, bodyAt))) return text;
  return text.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/gi, '').trimEnd();
}
