// The receiver's own TLS: its certificate and key, read again while it runs.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { StartError } from '../lib/errors.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { readSecretFile } from '../lib/settings/sealed-file.ts';

/** Read again when they change, so that a renewed certificate is used without a restart. */
export type TlsFiles = { readonly certificateFile: string; readonly privateKeyFile: string };

type Deps = { readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

const RENEW_EVERY_MS = 20_000;
/** The timeout of an idle connection. Until then it counts toward the limit of connections. */
const HANDSHAKE_TIMEOUT_MS = 5_000;

type TlsServer = {
  readonly server: Server;
  /** Reloads the certificate and its key. Fails when they do not match; the old ones stay in use. */
  readonly renew: () => void;
};

/** `ca`: the authorities of the banks that send a client certificate. */
export function createTlsServer(
  tls: TlsFiles,
  ca: readonly string[],
  limits: ServerOptions,
  listener: RequestListener,
): TlsServer {
  // Not every bank sends a client certificate, so this is checked by path in `isProven`.
  const clients = { requestCert: ca.length > 0, rejectUnauthorized: false, ...(ca.length > 0 && { ca: [...ca] }) };
  const secureContext = () => {
    const files = readFiles(tls);
    requirePair(files);
    return { ...files, ...clients, minVersion: 'TLSv1.2' as const };
  };
  const server = createServer({ ...limits, ...secureContext(), handshakeTimeout: HANDSHAKE_TIMEOUT_MS }, listener);
  return { server, renew: () => server.setSecureContext(secureContext()) };
}

/** A half-written pair of files is retried. */
export function startRenewing({ log, heartbeats }: Deps, renew: () => void): Loop {
  return startLoop({
    name: "reading the receiver's certificate",
    task: async () => renew(),
    pauseMs: RENEW_EVERY_MS,
    heartbeats,
    log,
  });
}

/** OpenSSL does not say which of the two files is wrong. */
function requirePair({ cert, key }: { readonly cert: Buffer; readonly key: Buffer }): void {
  const certificate = tryTo(() => new X509Certificate(cert));
  if (!certificate) throw new StartError('receiver.certificateFile holds no certificate in PEM.');
  const privateKey = tryTo(() => createPrivateKey(key));
  if (!privateKey) throw new StartError('receiver.privateKeyFile holds no private key in PEM without a password.');
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError('receiver.privateKeyFile does not belong to receiver.certificateFile.');
  }
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function readFiles({ certificateFile, privateKeyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  const read = (name: string, file: string) => {
    const content = tryTo(() => readSecretFile(file));
    if (!content) throw new StartError(`receiver.${name} cannot be read.`);
    return content;
  };
  return { cert: read('certificateFile', certificateFile), key: read('privateKeyFile', privateKeyFile) };
}
