// The checks that any bank's API needs: certificate, connection, token, scopes.

import { type Check, checkValidity } from './check.ts';
import type { Answer } from './classify.ts';
import type { Client } from './client.ts';
import type { Connections } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { exchange } from './exchange.ts';
import type { ClientProfile } from './profile.ts';
import type { ClientDeps, SettingFault } from './settings.ts';
import type { Scopes } from './token.ts';

/** What the checks need of a loaded rail. */
type Opened = {
  readonly profile: ClientProfile;
  readonly credentials: Credentials;
  readonly connections: Connections;
  readonly client: Pick<Client, 'tokens'>;
};

const MAX_CLOCK_OFFSET_MS = 30_000;
const TIMEOUT_MS = 10_000;

/** A PSP does not say which one it refuses. */
const TOKEN_MEND =
  'Check clientId, clientSecret, profile, environment and tokenUrl, that certificateFile or pkcs12File is the certificate the PSP ' +
  'issued for this client, and that its contract has every scope.';

export const good = (name: string, detail: string): Check => ({ name, ok: true, detail });
export const bad = (name: string, detail: string, mend: string): Check => ({ name, ok: false, detail, mend });

export function faultCheck({ path, message }: SettingFault): Check {
  return bad('settings', `${path} ${message}.`, `Correct ${path} of this rail.`);
}

function certificateChecks({ credentials: { certificate } }: Opened, { clock }: ClientDeps): Check[] {
  if (!certificate) return [good('certificate', 'This environment of the PSP needs no client certificate.')];
  const renew = 'Ask the PSP for a new certificate and replace the file; no restart is needed.';
  const key = good('key', 'The private key belongs to the certificate.');
  return [checkValidity(certificate, clock.now(), renew), key];
}

/** Mutual TLS, and the clock of the PSP. */
async function connectionChecks({ connections, profile }: Opened, { clock }: ClientDeps): Promise<Check[]> {
  const request = { method: 'GET', url: new URL(profile.baseUrl), headers: { accept: 'application/json' } } as const;
  const { agent } = connections.current();
  const exchanged = await exchange(agent, request, AbortSignal.timeout(TIMEOUT_MS));
  if ('failure' in exchanged) {
    const mend =
      'Check baseUrl, the network, caFile, and that the certificate is the one the PSP issued for this client.';
    return [bad('connection', `No answer: ${exchanged.failure.reason}.`, mend)];
  }
  const connection = good(
    'connection',
    "The PSP answers, and a trusted authority vouches for its server's certificate.",
  );
  const theirMs = Date.parse(exchanged.answer.headers.date ?? '');
  if (Number.isNaN(theirMs)) return [connection, good('clock', 'The PSP does not send its time.')];
  // Its time has whole seconds.
  const offsetMs = clock.now().getTime() - theirMs;
  const isOff = Math.abs(offsetMs) > MAX_CLOCK_OFFSET_MS;
  const detail = `This clock is ${Math.round(Math.abs(offsetMs) / 1_000)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the PSP's.`;
  return [connection, isOff ? bad('clock', detail, 'Set the clock of this machine by NTP.') : good('clock', detail)];
}

/** A token for the first scopes, and whether every scope is granted. */
async function tokenChecks(opened: Opened, sets: readonly Scopes[]): Promise<Check[]> {
  const taken = await opened.client.tokens.take(sets[0] ?? [], AbortSignal.timeout(TIMEOUT_MS));
  if ('kind' in taken) return [bad('token', `${sentence(taken.reason)}.`, TOKEN_MEND)];
  return [good('token', 'The PSP gives a token.'), await scopesCheck(opened, sets)];
}

/** All checks in order; `rest` needs a token, and is skipped when an earlier check has failed. */
export async function clientChecks(
  opened: Opened,
  deps: ClientDeps,
  sets: readonly Scopes[],
  rest: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const local = [
    good('settings', 'The profile is known and every file can be read.'),
    ...certificateChecks(opened, deps),
  ];
  const connection = await connectionChecks(opened, deps);
  const isConnected = connection.every(({ name, ok }) => name !== 'connection' || ok);
  if (!isConnected) return [...local, ...connection];
  const tokens = await tokenChecks(opened, sets);
  const hasToken = tokens.every(({ name, ok }) => name !== 'token' || ok);
  return [...local, ...connection, ...tokens, ...(hasToken ? await rest() : [])];
}

/** A PSP may grant fewer scopes than requested without an error. */
async function scopesCheck({ client: { tokens } }: Opened, sets: readonly Scopes[]): Promise<Check> {
  const missing: string[] = [];
  let isTold = false;
  for (const scopes of sets) {
    const taken = await tokens.take(scopes, AbortSignal.timeout(TIMEOUT_MS));
    if ('kind' in taken) {
      missing.push(...scopes);
      break;
    }
    const { granted } = taken.token;
    if (granted) isTold = true;
    if (granted) missing.push(...scopes.filter(scope => !granted.includes(scope)));
  }
  if (missing.length > 0) {
    const mend = 'Enable them for this client at the PSP.';
    return bad('scopes', `The PSP does not grant ${missing.join(' ')}.`, mend);
  }
  return good('scopes', isTold ? 'Every scope is granted.' : 'The PSP does not say which scopes it grants.');
}

export function messageOf(answer: Answer): string {
  if (answer.kind === 'refused') return `it answered ${answer.status}${answer.code ? ` ${answer.code}` : ''}`;
  return 'reason' in answer ? answer.reason : 'unexpected answer';
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
