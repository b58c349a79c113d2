// The connections of a server: how many one address may have, and how all of them end when the server stops.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './limits.ts';

/** How long requests in flight may go on once a stop was asked for. */
const DRAIN_LIMIT_MS = 10_000;
const CLOSE_IDLE_EVERY_MS = 50;

/** Closes what one address opens beyond the limit. `isTrusted`: an address that speaks for others, such as a proxy. */
export function limitConnections(server: Server, perAddress: number, isTrusted: (address: string) => boolean): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isTrusted(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= perAddress) {
      socket.destroy();
      return;
    }
    counts.set(network, count + 1);
    socket.once('close', () => {
      const left = counts.get(network)! - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });
}

/**
 * Call it before the server listens. Returns how it stops: what has sent nothing, and what is kept for a next request, is closed;
 * requests in flight end, for a while.
 */
export function drainOf(server: Server, close: () => Promise<unknown>): () => Promise<void> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return async () => {
    const limit = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, DRAIN_LIMIT_MS);
    const closeIdle = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, CLOSE_IDLE_EVERY_MS);
    await close();
    clearInterval(closeIdle);
    clearTimeout(limit);
  };
}
