// Where banks report payments: a server on a port of its own, with no route of the API. The path names the rail and is
// secret. What comes is stored and answered; nothing of it is believed.
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
export type ReceivingRail = {
  readonly name: string;
  readonly pathToken: string;
  /** PEM of the authorities whose client certificates its bank shows; absent: the path alone proves it. */
  readonly clientCa?: string;
  /** The common name in the bank's certificate, where the authority issues certificates to others too. */
  readonly clientName?: string;
};

export type ReceiverSettings = {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsFiles;
  /** A proxy that ends TLS: it says in a header that it has verified the client's certificate. */
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
/** A bank has a few; without the limit one address could keep all banks out. */
const MAX_PER_ADDRESS = 100;
/** A bank wants its answer within a second, and otherwise sends again. */
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

/** A bank joins no trace of its own. The path is secret. */
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
      deps.log.warn('a notification was refused: its sender showed no certificate of the bank', {
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
          deps.log[level]('a notification was not stored; the bank sends it again', { rail: found.rail.name, error });
          end(503);
          span?.end({ 'http.response.status_code': 503 }, '503');
        }
      },
      () => request.destroy(),
    );
  };
}

/** A report stored after the time-out is stored once more when the bank repeats it, which changes nothing. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('database_timeout', 'The notification was not stored in time.')), ms);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

/** `/{token}`, `/{token}/pix`, and what a bank appends behind a `?`. */
function tokenIn(url: string): string {
  return url.split('?')[0]!.split('/')[1] ?? '';
}

/** Of one length for every text, so that they can be compared without telling how much of one is right. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function fingerprintsOf({ clientCa }: ReceivingRail): ReadonlySet<string> {
  const pems = clientCa?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return new Set(pems.map(pem => new X509Certificate(pem).fingerprint256));
}

/** Whether the sender is the bank, as far as it can be known: by its certificate, or by the word of the named proxy. */
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
  // Valid for one of the banks; and for this one.
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
