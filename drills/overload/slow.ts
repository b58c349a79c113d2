// Slow callers: each holds a connection, sends or reads almost nothing, and stays as long as the service allows.
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Caller } from '../../bench/callers.ts';
import { get } from '../../bench/http-load.ts';
import { STREAM_STALL_TIMEOUT_MS } from '../../src/http/routes/event-stream.ts';

type SlowCallers = {
  readonly name: string;
  readonly count: number;
  /** How many connections the service keeps. */
  open(): number;
  stop(): void;
};

export type Kind = {
  readonly name: string;
  readonly count: number;
  /** What the connection of this index sends at once. */
  first(index: number): string;
  /** Sent a piece a second. */
  readonly drip?: string;
  readonly reads: boolean;
  /** How long the service waits for such a reader before it ends the connection; only data beyond the buffers waits. */
  readonly isCutAfterSeconds?: number;
};

const DRIP_MS = 1_000;
const AT_ONCE = 100;
/** More than the buffers of two sockets hold. */
const ANSWERS_UNREAD = 100;

export function kindsOf(callers: readonly Caller[]): Kind[] {
  const headersOf = (index: number) => callers[index % callers.length]!.headers;
  const headers = headersOf(0);
  const body = { ...headers, 'Content-Type': 'application/json', 'Content-Length': '1000' };
  return [
    {
      name: 'slow headers',
      count: 300,
      first: () => 'GET /charges HTTP/1.1\r\nHost: 127.0.0.1\r\n',
      drip: 'X',
      reads: true,
    },
    {
      name: 'slow bodies',
      count: 300,
      first: () => get('/charges', body).replace('GET', 'POST'),
      drip: ' ',
      reads: true,
    },
    { name: 'slow reads', count: 100, first: () => get('/openapi.json', headers).repeat(ANSWERS_UNREAD), reads: false },
    { name: 'idle connections', count: 3_000, first: () => '', reads: true },
    // Of two accounts: each may have a hundred.
    {
      name: 'streams with slow readers',
      count: 200,
      first: index => get('/events/stream', headersOf(index)),
      // Silent between requests. A caller that does not read notices only by writing that the connection has ended.
      drip: '\r\n',
      reads: false,
      isCutAfterSeconds: STREAM_STALL_TIMEOUT_MS / 1_000,
    },
  ];
}

export async function startSlow(url: string, { name, count, first, drip, reads }: Kind): Promise<SlowCallers> {
  const { port } = new URL(url);
  const open = new Set<Socket>();
  for (let made = 0; made < count; made++) {
    const socket = connect(Number(port), '127.0.0.1');
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    if (reads) socket.resume();
    const sent = first(made);
    if (sent !== '') socket.write(sent);
    if (made % AT_ONCE === 0) await wait(10);
  }
  const timer = setInterval(() => {
    if (drip !== undefined) for (const socket of open) socket.write(drip);
  }, DRIP_MS);
  return {
    name,
    count,
    open: () => open.size,
    stop: () => {
      clearInterval(timer);
      for (const socket of open) socket.destroy();
    },
  };
}
