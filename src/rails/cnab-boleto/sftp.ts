// The SFTP server of a bank or of a VAN: files go into one folder, returns come from another. The key of the server is pinned, so that no
// other server receives files or is trusted.
import { createHash, randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { MAX_FILE_BYTES } from '@trilho/cnab';
import type SftpClient from 'ssh2-sftp-client';
import { AppError } from '../../lib/errors.ts';
import { readSecretFile } from '../../lib/settings/sealed-file.ts';
import type { FileConnection, FileServer, FileToPut, RemoteFile } from '../file-server.ts';

/** One entry's `sftp` in the configuration file, already checked against its schema. */
export type SftpSettings = {
  readonly host: string;
  readonly port?: number;
  readonly user: string;
  readonly keyFile?: string;
  readonly passphraseFile?: string;
  readonly passwordFile?: string;
  /** `SHA256:` and 43 characters, as `ssh-keygen -l` prints it. */
  readonly hostKey: string;
  readonly sendFolder: string;
  readonly fetchFolder: string;
  readonly everyMinutes?: number;
  readonly sendAt?: readonly string[];
};

type Fault = { readonly path: string; readonly message: string };

const DEFAULT_PORT = 22;
const DEFAULT_MINUTES = 30;
const CONNECT_TIMEOUT_MS = 20_000;
/** The idle timeout of a connection. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVE_TRIES = 3;

/** Reads the secrets, so that a missing file stops the start. */
export function checkSftp(settings: SftpSettings): Fault[] {
  const secrets = [settings.keyFile, settings.passwordFile].filter(file => file !== undefined);
  if (secrets.length !== 1) return [{ path: 'sftp', message: 'needs one of keyFile and passwordFile' }];
  if (settings.passphraseFile !== undefined && settings.keyFile === undefined) {
    return [{ path: 'sftp.passphraseFile', message: 'goes with keyFile' }];
  }
  return (['keyFile', 'passphraseFile', 'passwordFile'] as const).flatMap(field => {
    const file = settings[field];
    const fault = file === undefined ? undefined : faultOf(file);
    return fault === undefined ? [] : [{ path: `sftp.${field}`, message: fault }];
  });
}

function faultOf(file: string): string | undefined {
  try {
    return readSecretFile(file).length === 0 ? 'is empty' : undefined;
  } catch (error) {
    return `cannot be read (${codeOf(error) ?? 'unknown'})`;
  }
}

export function sftpServer(agreement: string, settings: SftpSettings): FileServer {
  return {
    everyMs: (settings.everyMinutes ?? DEFAULT_MINUTES) * 60_000,
    ...(settings.sendAt && { sendAt: settings.sendAt }),
    connect: () => connect(agreement, settings),
  };
}

async function connect(agreement: string, settings: SftpSettings): Promise<FileConnection> {
  // Loaded with the first connection: most services never open one.
  const { default: Client } = await import('ssh2-sftp-client');
  const say = (field: string, message: string) =>
    new AppError('not_configured', `sftp.${field} of ${agreement} ${message}.`);
  let shownKey: string | undefined;
  // Without these handlers the package prints events that no call waits for; a failure still reaches the call that it interrupts.
  const quiet = () => {};
  const client = new Client(agreement, { error: quiet, end: quiet, close: quiet });
  try {
    await client.connect({
      host: settings.host,
      port: settings.port ?? DEFAULT_PORT,
      username: settings.user,
      ...secretsOf(settings, say),
      hostVerifier: (key: Buffer) => {
        shownKey = fingerprintOf(key);
        return shownKey === settings.hostKey;
      },
      readyTimeout: CONNECT_TIMEOUT_MS,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: KEEPALIVE_TRIES,
    });
  } catch (error) {
    await client.end().catch(quiet);
    if (shownKey !== undefined && shownKey !== settings.hostKey) {
      throw say('hostKey', `is not the key of the server, which shows ${shownKey}`);
    }
    if (isAuthentication(error)) throw say('user', 'is refused by the server, or its key or password');
    throw unavailable(agreement, error);
  }
  return connectionOf(client, agreement, settings, say);
}

type Say = (field: string, message: string) => AppError;

function secretsOf({ keyFile, passphraseFile, passwordFile }: SftpSettings, say: Say) {
  const read = (field: string, file: string): string => {
    try {
      return readSecretFile(file).toString('utf8');
    } catch (error) {
      throw say(field, `cannot be read (${codeOf(error) ?? 'unknown'})`);
    }
  };
  const line = (text: string) => text.replace(/\r?\n$/, '');
  if (passwordFile !== undefined) return { password: line(read('passwordFile', passwordFile)) };
  return {
    ...(keyFile !== undefined && { privateKey: read('keyFile', keyFile) }),
    ...(passphraseFile !== undefined && { passphrase: line(read('passphraseFile', passphraseFile)) }),
  };
}

function connectionOf(client: SftpClient, agreement: string, settings: SftpSettings, say: Say): FileConnection {
  const { sendFolder, fetchFolder } = settings;
  const guarded = async <T>(field: 'sendFolder' | 'fetchFolder', work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (isMissing(error)) throw say(field, 'is not there');
      if (isForbidden(error)) throw say(field, 'may not be used by this user');
      throw unavailable(agreement, error);
    }
  };
  return {
    check: async () => {
      await guarded('sendFolder', () => client.list(sendFolder));
      await guarded('fetchFolder', () => client.list(fetchFolder));
    },
    put: (file, signal) =>
      guarded('sendFolder', async () => {
        const { name, digest } = file;
        const place = posix.join(sendFolder, name);
        await removeDrafts(client, sendFolder, name);
        if (!(await client.exists(place))) return putAnew(client, sendFolder, file, signal);
        if (sha256(await contentOf(client, place)) !== digest)
          throw say('sendFolder', `has another file named ${name}`);
      }),
    list: () =>
      guarded('fetchFolder', async () => {
        const found = await client.list(
          fetchFolder,
          ({ type, name }) => type === '-' && !/^\.|\.part$|\.tmp$/i.test(name),
        );
        return found
          .map(({ name, size, modifyTime }): RemoteFile => ({ name, bytes: size, modifiedAt: new Date(modifyTime) }))
          .sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime() || (a.name < b.name ? -1 : 1));
      }),
    fetch: async ({ name, bytes }) => {
      if (bytes > MAX_FILE_BYTES) return undefined;
      try {
        return await contentOf(client, posix.join(fetchFolder, name));
      } catch (error) {
        // If the folder still answers, only this file is at fault.
        await guarded('fetchFolder', () => client.stat(fetchFolder));
        const why = isForbidden(error) ? 'permission denied' : (codeOf(error) ?? 'unknown');
        throw new Error(`the server does not deliver the file (${why})`);
      }
    },
    close: async () => {
      await client.end().catch(() => {});
    },
  };
}

/**
 * Under a name that programs at the bank skip, so that they never read half a file. Each attempt has its own, so two never write to the
 * same file.
 */
const draftOf = (name: string) => `.${name}.${randomBytes(6).toString('hex')}.part`;
const isDraftOf = (name: string, draft: string) => draft.startsWith(`.${name}.`) && draft.endsWith('.part');

async function putAnew(
  client: SftpClient,
  folder: string,
  { name, digest, parts }: FileToPut,
  signal: AbortSignal,
): Promise<void> {
  const draft = posix.join(folder, draftOf(name));
  try {
    const hash = createHash('sha256');
    await client.put(Readable.from(hashed(parts, hash)), draft);
    if (hash.digest('hex') !== digest) throw new Error('the stored bytes of a file do not have its digest');
    signal.throwIfAborted();
    await client.rename(draft, posix.join(folder, name));
  } catch (error) {
    await client.delete(draft).catch(() => {});
    throw error;
  }
}

/** Leftovers of an interrupted attempt. A server that does not let us remove them still accepts the file. */
async function removeDrafts(client: SftpClient, folder: string, name: string): Promise<void> {
  const left = await client.list(folder, entry => isDraftOf(name, entry.name)).catch(() => []);
  for (const draft of left) await client.delete(posix.join(folder, draft.name)).catch(() => {});
}

async function* hashed(parts: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
}

async function contentOf(client: SftpClient, place: string): Promise<Buffer> {
  const content = await client.get(place);
  return Buffer.isBuffer(content) ? content : Buffer.alloc(0);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** As OpenSSH prints it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The error's message may name paths and users: only its code is reported. */
function unavailable(agreement: string, error: unknown): AppError {
  const code = codeOf(error);
  const why = code === undefined ? '' : ` (${code})`;
  return new AppError('rail_unavailable', `The SFTP server of ${agreement} does not answer${why}.`);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '');
const isAuthentication = (error: unknown) =>
  /authentication methods failed|Cannot parse privateKey|no passphrase/i.test(messageOf(error));
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT' || /no such file/i.test(messageOf(error));
const isForbidden = (error: unknown) => codeOf(error) === 'EACCES' || /permission denied/i.test(messageOf(error));

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
