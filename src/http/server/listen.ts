// Where the server listens, and how it stops.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../../lib/errors.ts';

type Address = { readonly host: string; readonly port: number };

/** How long requests in flight may go on once a stop was asked for. */
const DRAIN_LIMIT_MS = 10_000;
const CLOSE_IDLE_EVERY_MS = 50;

/** Throws a StartError that names the setting when the address cannot be used. */
export async function listen(server: FastifyInstance, { host, port }: Address): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} on ${host} is in use; set PORT to another.`);
    if (code === 'EACCES')
      throw new StartError(`Port ${port} on ${host} may not be used by this user; set PORT to another.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`HOST ${host} is not an address of this machine.`);
    throw error;
  }
}

/** Lets requests in flight end, for a while, and closes. */
export async function drain(server: FastifyInstance): Promise<void> {
  const limit = setTimeout(() => server.server.closeAllConnections(), DRAIN_LIMIT_MS);
  // A connection stays open after its answer, for the next request; now it need not.
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await server.close();
  clearInterval(closeIdle);
  clearTimeout(limit);
}

/** Where it listens, such as `http://127.0.0.1:3000`. */
export function urlOf(server: FastifyInstance): string {
  const { address, family } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${portOf(server)}`;
}

export function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port;
}
