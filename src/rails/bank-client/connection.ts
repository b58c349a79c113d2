// The TLS connections of a rail. A renewed certificate or secret is used without a restart: the files are checked every few seconds, and
// new ones get new connections.
import { Agent } from 'node:https';
import { type Credentials, filesVersion, readCredentials } from './credentials.ts';
import type { ClientProfile } from './profile.ts';
import type { ClientDeps, ClientSettings } from './settings.ts';

export type Connection = {
  readonly agent: Agent;
  readonly credentials: Credentials;
  /** Counts the changes of the files. */
  readonly generation: number;
};

export type Connections = {
  /** The agent for the current files. */
  current(): Connection;
  /** Closes idle connections; those in use end with their call. */
  stop(): void;
};

const CHECK_MS = 5_000;
/** Below the idle limit of common servers and proxies, so that a kept connection is rarely closed just as it is used. */
const IDLE_MS = 20_000;

export function openConnections(
  settings: ClientSettings,
  profile: ClientProfile,
  first: Credentials,
  { clock, log }: ClientDeps,
): Connections {
  const maxSockets = settings.maxConcurrent ?? DEFAULT_MAX_CONCURRENT;
  const connect = (credentials: Credentials, generation: number): Connection => ({
    agent: new Agent({
      ...credentials.tls,
      minVersion: 'TLSv1.2',
      ...(profile.maxTlsVersion && { maxVersion: profile.maxTlsVersion }),
      keepAlive: true,
      maxSockets,
      maxFreeSockets: maxSockets,
      timeout: IDLE_MS,
    }),
    credentials,
    generation,
  });

  let connection = connect(first, 0);
  let version = filesVersion(settings);
  let checkedAtMs = clock.now().getTime();

  function renew(): void {
    const found = filesVersion(settings);
    if (found === version) return;
    const read = readCredentials(settings, profile);
    // A file that is just being written; the next check finds it complete.
    if ('faults' in read) {
      const reason = read.faults.map(({ path, message }) => `${path} ${message}`).join('; ');
      log.warn('the changed credentials of a rail cannot be used; it keeps those it has', {
        rail: settings.name,
        reason,
      });
      return;
    }
    version = found;
    retire(connection.agent);
    connection = connect(read.credentials, connection.generation + 1);
    log.info('the credentials of a rail were read anew', { rail: settings.name });
  }

  return {
    current: () => {
      const nowMs = clock.now().getTime();
      if (Math.abs(nowMs - checkedAtMs) >= CHECK_MS) {
        checkedAtMs = nowMs;
        renew();
      }
      return connection;
    },
    stop: () => retire(connection.agent),
  };
}

export const DEFAULT_MAX_CONCURRENT = 32;

/** `destroy` would cut calls that are under way. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
