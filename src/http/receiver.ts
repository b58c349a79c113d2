// Receives notifications of banks: a server on its own port, without routes of the API. The path identifies the rail and is secret.
// Notifications are stored and answered, but not trusted.
import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { type NotificationBatches, storeNotification } from '../charges/receive/notifications.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, isOutage, StartError } from '../lib/errors.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { runInTrace, type Span, type Tracing } from '../lib/tracing.ts';
import { createTlsServer, startRenewing, type TlsFiles } from './receiver-tls.ts';
import { drainOf, limitConnections } from './server/connections.ts';

/** A rail whose bank reports payments. */
type ReceivingRail = {
  readonly name: string;
  readonly pathToken: string;
  /** PEM of the authorities of the bank's client certificate; when absent, the path alone authenticates it. */
  readonly clientCa?: string;
  /** The common name in the bank's certificate, when the authority also issues certificates to others. */
  readonly clientName?: string;
};

type ReceiverSettings = {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsFiles;
  /** A proxy that ends TLS: a header says that it verified the client certificate. */
  readonly proxy?: { readonly addresses: readonly string[]; readonly header: string; readonly value: string };
};

export type ReceiverDeps = {
  readonly notificationBatches: NotificationBatches;
  readonly clock: Clock;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  readonly tracing?: Tracing | undefined;
};

export type Receiver = { readonly url: string; stop(): Promise<void> };

const MAX_BODY_BYTES = 64 * 1024;
const TIMEOUTS = {
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 16_384,
};
const MAX_CONNECTIONS = 1_000;
/** A bank needs few; without the limit one address could block all banks. */
const MAX_PER_ADDRESS = 100;
/** A bank expects an answer within a second, and otherwise retries. */
const STORE_WITHIN_MS = 900;
const RETRY_AFTER_SECONDS = 2;

export async function startReceiver(
  deps: ReceiverDeps,
  settings: ReceiverSettings,
  rails: readonly ReceivingRail[],
): Promise<Receiver> {
  const listener = answerWith(deps, settings, rails);
  const { tls } = settings;
  const ca = rails.flatMap(({ clientCa }) => clientCa ?? []);
  const secured = tls && createTlsServer(tls, ca, TIMEOUTS, listener);
  const server = secured?.server ?? createServer(TIMEOUTS, listener);
  server.maxConnections = MAX_CONNECTIONS;
  const { proxy } = settings;
  limitConnections(server, MAX_PER_ADDRESS, address => proxy?.addresses.includes(plainAddress(address)) ?? false);
  const drain = drainOf(server, () => new Promise<void>(resolve => server.close(() => resolve())));
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: Error) => reject(listenFault(error, settings));
    server.once('error', refuse);
    server.listen(settings.port, settings.host, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const renewal = secured && startRenewing(deps, secured.renew);
  return {
    url: `${settings.tls ? 'https' : 'http'}://${settings.host}:${port}`,
    stop: async () => {
      await renewal?.stop();
      await drain();
    },
  };
}

function listenFault(error: unknown, { host, port }: ReceiverSettings): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') return new StartError(`receiver.port ${port} on ${host} is in use; set another.`);
  if (code === 'EACCES') return new StartError(`receiver.port ${port} on ${host} may not be used by this user.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`receiver.host ${host} is not an address of this machine.`);
  }
  return error;
}

/** Traces of banks are not continued. The path is secret. */
function startSpan(tracing: Tracing | undefined, { name }: ReceivingRail): Span | undefined {
  return tracing?.start({
    name: 'POST /:token',
    kind: 'server',
    attributes: { 'http.request.method': 'POST', 'http.route': '/:token', 'trilho.rail': name },
  });
}

function answerWith(deps: ReceiverDeps, settings: ReceiverSettings, rails: readonly ReceivingRail[]): RequestListener {
  const known = rails.map(rail => ({ rail, digest: digestOf(rail.pathToken), authorities: fingerprintsOf(rail) }));
  return (request, response) => {
    const end = (status: number) => {
      const wait = status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...wait };
      response.writeHead(status, headers).end('{}\n');
    };
    const digest = digestOf(tokenIn(request.url ?? ''));
    const found = known.find(candidate => timingSafeEqual(candidate.digest, digest));
    if (!found) return end(404);
    if (request.method !== 'POST') return end(405);
    if (!isProven(request, found.rail, found.authorities, settings)) {
      deps.log.warn('a notification was refused: its sender has no client certificate of the bank', {
        rail: found.rail.name,
      });
      return end(403);
    }
    void readBody(request).then(
      async body => {
        if (body === undefined) return end(413);
        const span = startSpan(deps.tracing, found.rail);
        try {
          const store = () => storeNotification(deps, found.rail.name, body);
          await within(STORE_WITHIN_MS, runInTrace(deps.tracing, span?.context, store));
          end(200);
          span?.end({ 'http.response.status_code': 200 });
        } catch (error) {
          const level = isOutage(error) ? 'info' : 'error';
          deps.log[level]('a notification was not stored; the bank retries', { rail: found.rail.name, error });
          end(503);
          span?.end({ 'http.response.status_code': 503 }, '503');
        }
      },
      () => request.destroy(),
    );
  };
}

/** A notification stored after the timeout is stored again when the bank retries, which is harmless. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('database_timeout', 'The notification was not stored in time.')), ms);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

/** `/{token}`, `/{token}/pix`, and a query that a bank appends. */
function tokenIn(url: string): string {
  return url.split('?')[0]!.split('/')[1] ?? '';
}

/** Digests have one length, so that a comparison in constant time does not reveal how much of a token is right. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function fingerprintsOf({ clientCa }: ReceivingRail): ReadonlySet<string> {
  const pems = clientCa?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return new Set(pems.map(pem => new X509Certificate(pem).fingerprint256));
}

/** Whether the sender is authenticated as the bank: by its certificate, or by the trusted proxy. */
function isProven(
  request: IncomingMessage,
  { clientCa, clientName }: ReceivingRail,
  authorities: ReadonlySet<string>,
  { tls, proxy }: ReceiverSettings,
): boolean {
  if (proxy) {
    if (!proxy.addresses.includes(plainAddress(request.socket.remoteAddress ?? ''))) return false;
    return clientCa === undefined || request.headers[proxy.header] === proxy.value;
  }
  if (!tls || clientCa === undefined) return true;
  const socket = request.socket as TLSSocket;
  // Valid for one of the banks, and for this one.
  if (!socket.authorized) return false;
  const certificate = socket.getPeerCertificate(true);
  return isIssuedBy(certificate, authorities) && (clientName === undefined || certificate.subject.CN === clientName);
}

function isIssuedBy(certificate: DetailedPeerCertificate, authorities: ReadonlySet<string>): boolean {
  for (let current = certificate; current?.fingerprint256; current = current.issuerCertificate) {
    if (authorities.has(current.fingerprint256)) return true;
    if (current === current.issuerCertificate) return false;
  }
  return false;
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:/, '');
}

/** Undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8').replaceAll('\u0000', '');
}
