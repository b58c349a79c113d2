// Prism before any number of simulated PSPs, of this process and of others: callers use mTLS as with the PSP, and each request
// and answer is validated against Bacen's document. Prism itself speaks plain HTTP and has one upstream, so each PSP has a front
// that terminates TLS, and one back that presents the certificate again:
//
//   caller ─mTLS→ front ─http→ Prism ─http→ back ─mTLS→ PSP
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PROFILES } from '@trilho/psp';
import { FAULT_HEADER } from '../../../packages/psp/src/call-faults.ts';
import { createRouter } from '../../../packages/psp/src/router.ts';
import { type Called, type Finding, readFindings } from './findings.ts';
import { patchDocument } from './patches.ts';
import { type Answer, type Call, openClients, type Place, type PspClient, withoutHops } from './place.ts';
import { startPrism } from './prism.ts';

export type Placed = {
  /** Instead of the PSP's own; the CA and the client certificates remain the PSP's. */
  readonly url: string;
  readonly tokenUrl: string;
  /** Ends it. The PSP must have ended, so that no call waits for it any more. */
  remove(): Promise<void>;
};

export type Validator = {
  before(place: Place): Promise<Placed>;
  /** Every call that went through the document. */
  calls(): readonly Called[];
  /** How many calls are not in the document: for tokens, and to the bare address. */
  outside(): number;
  findings(): readonly Finding[];
  stop(): Promise<void>;
};

const DOCUMENT = 'bacen-pix-api-2.9.0.openapi.yaml';
/** Which call a request of Prism belongs to. */
const CALL_HEADER = 'x-validated-call';
const FINDINGS_HEADER = 'sl-violations';
/** The answer for Prism when the PSP gave none; its findings about it are ignored. */
const NO_ANSWER = 503;

/** The path before the first resource: a test with a scripted PSP may use any path. */
const SCRIPTED_PREFIX = /^.*?(?=\/(?:cob[rv]?|pix|loc|(?:solic)?rec|locrec|webhook(?:rec|cobr)?)(?:\/|$))/;

/** A call on its way through Prism. */
type Exchange = {
  readonly client: PspClient;
  /** As the caller sent it, with the PSP's prefix before the paths of the document. */
  readonly sent: Call;
  hasReachedPsp: boolean;
  answer: Answer | undefined;
};

/** `folder` holds Bacen's document. */
export async function startValidator(folder: string): Promise<Validator> {
  const work = await mkdtemp(path.join(tmpdir(), 'trilho-prism-'));
  const document = path.join(work, 'document.yaml');
  await writeFile(document, patchDocument(readFileSync(path.join(folder, DOCUMENT), 'utf8')));
  const calls: Called[] = [];
  const findings: Finding[] = [];
  let outside = 0;
  const exchanges = new Map<string, Exchange>();
  const fronts = new Set<() => Promise<void>>();

  const back = http.createServer(async (request, response) => {
    const exchange = exchanges.get(String(request.headers[CALL_HEADER]))!;
    exchange.hasReachedPsp = true;
    request.resume();
    // Prism passes on what it has parsed, in which large numbers, for example, have lost digits.
    exchange.answer = await exchange.client.send(exchange.sent);
    const { status = NO_ANSWER, headers: answered = {}, body } = exchange.answer ?? {};
    response.writeHead(status, answered).end(body);
  });
  await listen(back);
  const prism = await startPrism(document, `http://127.0.0.1:${portOf(back)}`);
  let made = 0;

  /** Sends a call through Prism and records its findings. The PSP gets the request, and the caller the answer, byte by byte. */
  async function validate(place: Place, exchange: Exchange, call: Call): Promise<Answer | undefined> {
    const id = String(++made);
    exchanges.set(id, exchange);
    const said = await askPrism(prism.port, { ...call, headers: { ...call.headers, [CALL_HEADER]: id } });
    exchanges.delete(id);
    const { answer, hasReachedPsp } = exchange;
    const fault = answer?.headers[FAULT_HEADER];
    const called: Called = {
      file: place.file,
      profile: place.profile,
      answers: place.answers,
      method: call.method,
      path: call.path,
      status: answer?.status ?? 0,
      ...(typeof fault === 'string' && { fault }),
    };
    calls.push(called);
    if (!hasReachedPsp) {
      findings.push({ ...called, direction: 'request', at: '', message: `Prism kept it: ${said.status} ${said.body}` });
    }
    const found = readFindings(said.headers[FINDINGS_HEADER]?.toString());
    const relevant = found.filter(({ direction }) => direction === 'request' || answer !== undefined);
    findings.push(...relevant.map(finding => ({ ...called, ...finding })));
    return answer;
  }

  async function before(place: Place): Promise<Placed> {
    const { files, profile: name, url, tokenUrl, answers } = place;
    const profile = PROFILES[name];
    const router = createRouter(profile);
    const clients = openClients(place);
    const open = new Set<Promise<void>>();

    /** Of a request that never gets to Prism. */
    const note = ({ method = '', url: target = '' }: IncomingMessage, message: string) => {
      const called = { file: place.file, profile: name, answers, method, path: target, status: 0 };
      findings.push({ ...called, direction: 'request', at: '', message });
    };
    const prefixOf = (pathname: string) =>
      answers === 'scripted' ? SCRIPTED_PREFIX.exec(pathname)?.[0] : router.below(pathname)?.prefix;

    async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const { method = '', url: target = '' } = request;
      const client = clients.of(request);
      const call: Call = { method, path: target, headers: withoutHops(request.headers), body: await buffer(request) };
      const [pathname = ''] = target.split('?');
      const isPayload = pathname.startsWith('/qr/v2/');
      const isToken = pathname === profile.token.path;
      const prefix = isPayload ? '' : prefixOf(pathname);
      // Calls for a token, and to the bare address that `doctor` tries, are not in the document.
      const isOutside = isToken || pathname === new URL(url).pathname;
      if (isOutside) outside++;
      else if (prefix === undefined) note(request, 'is below no path of this PSP');
      const answer =
        isOutside || prefix === undefined
          ? await client.send(call)
          : await validate(
              place,
              { client, sent: call, hasReachedPsp: false, answer: undefined },
              { ...call, path: target.slice(prefix.length) },
            );
      if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
      else request.socket.destroy();
    }

    const front = https.createServer(
      {
        ca: readFileSync(files.ca),
        cert: readFileSync(files.receiver.certificate),
        key: readFileSync(files.receiver.key),
        requestCert: true,
        // The PSP refuses them itself.
        rejectUnauthorized: false,
        maxVersion: profile.tlsMax,
      },
      (request, response) => {
        const passing = pass(request, response)
          .catch(error => {
            // A test may kill a caller in the middle of a request.
            if (!request.destroyed) note(request, `was not validated: ${error}`);
            request.socket.destroy();
          })
          .finally(() => open.delete(passing));
        open.add(passing);
      },
    );
    await listen(front);
    const here = `https://localhost:${portOf(front)}`;
    const remove = async () => {
      fronts.delete(remove);
      await Promise.all(open);
      clients.close();
      await close(front);
    };
    fronts.add(remove);
    return { url: here + new URL(url).pathname, tokenUrl: here + new URL(tokenUrl).pathname, remove };
  }

  return {
    before,
    calls: () => [...calls],
    outside: () => outside,
    findings: () => [...findings],
    stop: async () => {
      await Promise.all([...fronts].map(remove => remove()));
      await Promise.all([close(back), prism.stop()]);
      await rm(work, { recursive: true, force: true });
    },
  };
}

function askPrism(port: number, { method, path: target, headers, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
      // A new connection each: Prism closes idle ones without a warning.
      agent: false,
    } as const;
    const request = http.request(`http://127.0.0.1:${port}${target}`, options, response => {
      const { statusCode: status = 0, headers: answered } = response;
      buffer(response).then(read => resolve({ status, headers: answered, body: read }), reject);
    });
    request.once('error', reject);
    request.end(body);
  });
}

function listen(server: Server | https.Server): Promise<void> {
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve()));
}

function portOf(server: Server | https.Server): number {
  return (server.address() as AddressInfo).port;
}

function close(server: Server | https.Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
