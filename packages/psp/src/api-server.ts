// The HTTPS server: certificates, tokens, faults, routes. Plain node:https, since every charge of a benchmark passes here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { insteadOf, sendReply } from './call-faults.ts';
import type { KeyFolder } from './certificates/key-folder.ts';
import type { Call, Core, Handler, Reply, Seen } from './core.ts';
import { type Fault, TOKEN_PATH } from './faults.ts';
import { JWKS_PATH, type PayloadKind, type Payloads } from './payload.ts';
import { ApiRefusal, writeRefusal } from './problem.ts';
import { createRouter } from './router.ts';
import type { TitleApi } from './titles/routes.ts';
import type { Tokens } from './tokens.ts';
import { commonNameOf, htmlReply, parseJson, readBody, splitUrl, writeReply } from './wire.ts';
import { createRateLimit } from './write-rate.ts';

export type RequestRecord = {
  readonly at: string;
  readonly method: string;
  /** Below the base; `token` for the token endpoint. */
  readonly path: string;
  /** 0 without an answer. */
  readonly status: number;
  readonly clientId?: string;
};

export type ApiServer = {
  readonly server: https.Server;
  requests(): readonly RequestRecord[];
  close(): Promise<void>;
};

type Deps = {
  readonly core: Core;
  readonly keys: KeyFolder;
  readonly tokens: Tokens;
  readonly payloads: Payloads;
  readonly titleApi: TitleApi | undefined;
};

/** A request as far as it is read before its token is. */
type Arrived = {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly text: string;
  readonly fault: Fault | undefined;
};

const MAX_REQUESTS = 10_000;
const KEEP_ALIVE_MS = 75_000;

export function createApiServer({ core, keys, tokens, payloads, titleApi }: Deps): ApiServer {
  const { profile } = core;
  const router = createRouter(profile, titleApi);
  const writes = createRateLimit(profile.writesPerSecond);
  const requests: RequestRecord[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const [fullPath, query] = splitUrl(request.url ?? '/');
    const text = await readBody(request);
    core.agenda.run(core.now());
    if (fullPath.startsWith('/qr/')) return writeReply(response, servePayload(method, fullPath, query));
    if (profile.certificate && !commonNameOf(request)) return refuseCertificate(request, response);
    const below = fullPath === profile.token.path ? TOKEN : router.below(fullPath);
    if (!below) throw new ApiRefusal('NaoEncontrado');
    const fault = core.faults.onCall(method, below.path);
    const record = remember(method, below.path);
    const instead = insteadOf(fault);
    if (instead === 'silence') return;
    if (instead === 'cut') return void request.socket.destroy();
    const reply = await carryOut(below, { request, method, query, text, fault }, instead, record);
    record.status = await sendReply(core, fault, reply, request, response);
  }

  async function carryOut(
    below: { prefix: string; path: string },
    arrived: Arrived,
    instead: ApiRefusal | Reply | undefined,
    record: { clientId?: string },
  ): Promise<Reply> {
    try {
      if (instead instanceof ApiRefusal) throw instead;
      if (instead) return instead;
      if (below === TOKEN) return tokenReply(arrived);
      const { call, handle } = readCall(below, arrived);
      record.clientId = call.client.clientId;
      return await handle(core, call);
    } catch (error) {
      return refusalReply(error);
    }
  }

  function servePayload(method: string, path: string, query: URLSearchParams): Reply {
    if (method !== 'GET') throw new ApiRefusal('MetodoNaoPermitido');
    if (path === JWKS_PATH) return { status: 200, body: payloads.jwks };
    const [, kind = 'cob', accessToken = ''] = /^\/qr\/v2(?:\/(cobv|rec))?\/([0-9a-f]{32})$/.exec(path) ?? [];
    return payloads.serve(accessToken, kind as PayloadKind, query);
  }

  function tokenReply({ request, method, query, text, fault }: Arrived): Reply {
    if (method !== 'POST') throw new ApiRefusal('MetodoNaoPermitido');
    const { authorization, 'content-type': contentType } = request.headers;
    return tokens.give({ authorization, contentType, query, body: text, certificateOf: commonNameOf(request), fault });
  }

  function readCall(
    { prefix, path }: { prefix: string; path: string },
    { request, method, query, text, fault }: Arrived,
  ): { call: Call; handle: Handler } {
    const { headers } = request;
    const token = tokens.find(headers.authorization);
    if (!token) throw new ApiRefusal('TokenInvalido');
    const { client, scopes } = token;
    if (profile.certificate && commonNameOf(request) !== client.clientId) throw new ApiRefusal('AcessoNegado');
    requireExtras(core, headers, query, client.clientId);
    const { route, params } = router.find(method, prefix, path);
    if (!scopes.has(route.scope)) throw new ApiRefusal('AcessoNegado');
    const isCreating = method === 'PUT' || method === 'POST';
    if (isCreating && !writes.take())
      throw new ApiRefusal('MuitasRequisicoes', [], { headers: { 'retry-after': '1' } });
    const hasBody = (isCreating && !route.isWithoutBody) || method === 'PATCH';
    const body = hasBody ? parseJson(headers['content-type'], text) : undefined;
    return { call: { client, params, query, headers, body, seen: seenBy(fault) }, handle: route.handle };
  }

  function seenBy(fault: Fault | undefined): Seen {
    if (fault?.kind !== 'stale-read') return undefined;
    return fault.delayMs === undefined ? 'previous' : { atMs: core.now().getTime() - fault.delayMs };
  }

  function refuseCertificate(request: IncomingMessage, response: ServerResponse): void {
    if (profile.certificateRefusal === 'cut') request.socket.destroy();
    else writeReply(response, htmlReply(400, 'No required SSL certificate was sent'));
  }

  function refusalReply(error: unknown): Reply {
    // Not one of ours: a bug of the simulator, which a test must see.
    if (!(error instanceof ApiRefusal)) process.emitWarning(error as Error);
    const refusal = error instanceof ApiRefusal ? error : new ApiRefusal('ErroInternoDoServidor');
    const { contentType, body } = writeRefusal(refusal, profile.errors);
    return { status: refusal.status, body, headers: { ...refusal.headers, 'content-type': contentType } };
  }

  function remember(method: string, path: string): { status: number; clientId?: string } {
    const record = { at: core.now().toISOString(), method, path, status: 0 };
    requests.push(record);
    if (requests.length > MAX_REQUESTS) requests.shift();
    return record;
  }

  const server = https.createServer(
    {
      key: keys.server.keyPem,
      cert: keys.server.certificatePem,
      ca: [keys.ca.certificatePem],
      requestCert: true,
      // Locations are read without a certificate, so the refusal comes after the handshake.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      maxVersion: profile.tlsMax,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      answer(request, response).catch(error => {
        if (!response.headersSent && !response.destroyed) writeReply(response, refusalReply(error));
      });
    },
  );

  return {
    server,
    requests: () => [...requests],
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const TOKEN = { prefix: '', path: TOKEN_PATH };

/** The headers and parameters that a profile's PSP requires beside the token. */
function requireExtras(core: Core, headers: Call['headers'], query: URLSearchParams, clientId: string): void {
  for (const { name, value } of core.profile.headers) {
    const given = headers[name];
    if (!given || (value === 'clientId' && given !== clientId)) throw new ApiRefusal('AcessoNegado');
  }
  if (core.profile.query.some(name => !query.get(name))) throw new ApiRefusal('AcessoNegado');
}
