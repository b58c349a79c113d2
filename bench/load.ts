// Load over HTTP/1.1: so many connections, each with one request at a time. Bytes on plain sockets and the least of a
// parser, since whoever asks shares the machine with whoever answers.
import { connect, type Socket } from 'node:net';
import { percentile } from './figures.ts';

export type Load = {
  readonly url: string;
  readonly connections: number;
  /** The whole request of a turn, as `get` and `post` make it. */
  request(turn: number): string;
  /** Asked on every connection before the first request: whoever was stopped comes back, and has accepted all of them. */
  readonly greeting?: string;
  /** It ends with the first of these. */
  readonly seconds: number;
  readonly requests?: number;
};

export type LoadResult = {
  readonly count: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
};

const MOST_SAMPLES = 1_000_000;
/** An answer that does not come is a fault of the run. */
const SILENCE_MS = 120_000;

export function get(target: string, headers: Record<string, string> = {}): string {
  return `GET ${target} HTTP/1.1\r\n${head(headers)}\r\n`;
}

export function post(target: string, body: string, headers: Record<string, string> = {}): string {
  const length = Buffer.byteLength(body);
  return `POST ${target} HTTP/1.1\r\n${head(headers)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

function head(headers: Record<string, string>): string {
  let lines = 'Host: 127.0.0.1\r\n';
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return lines;
}

/**
 * Every answer must be a 2xx: a rate of refusals says nothing. Connections are open before the first request, as callers keep them:
 * were they opened meanwhile, requests would come one or two at a time.
 */
export async function load({
  url,
  connections,
  request,
  greeting,
  seconds,
  requests = MOST_SAMPLES,
}: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(hostname, Number(port))));
  if (greeting !== undefined) await Promise.all(lines.map(line => line.ask(greeting)));
  const most = Math.min(requests, MOST_SAMPLES);
  const latencies = new Float64Array(most);
  let [sent, done] = [0, 0];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;

  async function takeTurns(line: Line): Promise<void> {
    while (sent < most && performance.now() < endsAt) {
      const text = request(sent++);
      const askedAt = performance.now();
      const answer = await line.ask(text);
      latencies[done++] = performance.now() - askedAt;
      if (answer.status < 200 || answer.status > 299) {
        throw new Error(`${text.split('\r\n', 1)[0]} was answered with ${answer.status}: ${answer.body()}`);
      }
    }
  }

  try {
    await Promise.all(lines.map(takeTurns));
  } finally {
    for (const line of lines) line.close();
  }
  const took = (performance.now() - startedAt) / 1000;
  const sorted = latencies.subarray(0, done).sort();
  return { count: done, rate: done / took, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

export type Answer = { readonly status: number; body(): string };
export type Line = { ask(request: string): Promise<Answer>; close(): void };

/** One connection that is kept. One question at a time. */
export async function openLine(host: string, port: number): Promise<Line> {
  const socket = await opened(host, port);
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  let pieces: Buffer[] = [];
  let [held, needed] = [0, 0];

  function fail(error: Error): void {
    waiting?.reject(error);
    waiting = undefined;
  }

  socket.on('data', piece => {
    // A server that tires of a silent connection may say so before it closes it.
    if (!waiting) return;
    pieces.push(piece);
    held += piece.length;
    if (held < needed) return;
    const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces);
    const end = endOfAnswer(bytes);
    if (end === undefined || end > bytes.length) {
      // No use in looking again before so much is there.
      needed = end ?? held + 1;
      pieces = [bytes];
      return;
    }
    pieces = [];
    [held, needed] = [0, 0];
    const { resolve } = waiting;
    waiting = undefined;
    resolve({ status: Number(bytes.toString('latin1', 9, 12)), body: () => bodyOf(bytes) });
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed before the answer')));
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('no answer came')));

  return {
    ask: request =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection was closed before the question'));
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

function opened(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** How long the answer is, as far as its beginning tells; undefined when that is not there yet. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const bodyAt = startOfBody(bytes);
  if (bodyAt === undefined) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, bodyAt))?.[1];
  if (length !== undefined) return bodyAt + Number(length);
  // In chunks: the last one is empty. None of the answers we ask for has a trailer.
  return bytes.subarray(-5).equals(LAST_CHUNK) ? bytes.length : undefined;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');

function startOfBody(bytes: Buffer): number | undefined {
  const at = bytes.indexOf(BLANK_LINE);
  return at < 0 ? undefined : at + BLANK_LINE.length;
}

function bodyOf(bytes: Buffer): string {
  const bodyAt = startOfBody(bytes)!;
  const text = bytes.subarray(bodyAt).toString('utf8');
  if (/\r\ncontent-length:/i.test(bytes.toString('latin1', 0, bodyAt))) return text;
  return text.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/gi, '').trimEnd();
}
