// The connections of a server: limits those of one address, and closes all when the server stops.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './limits.ts';

/** How long requests in flight may take once a stop was requested. */
const DRAIN_LIMIT_MS = 10_000;
const CLOSE_IDLE_EVERY_MS = 50;

/** Closes connections of one address beyond the limit. `isTrusted`: an address on behalf of others, such as a proxy. */
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
 * Call it before the server listens. Returns a function that stops it: idle connections are closed, and requests in flight get some time
 * to finish.
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
