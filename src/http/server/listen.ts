// Starts listening.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../../lib/errors.ts';

type Address = { readonly host: string; readonly port: number };

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

/** The address, such as `http://127.0.0.1:3000`. */
export function urlOf(server: FastifyInstance): string {
  const { address, family } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${portOf(server)}`;
}

export function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port;
}
