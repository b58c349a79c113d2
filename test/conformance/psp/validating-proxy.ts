// A PSP with Prism in between: callers speak mTLS to it as they would to the PSP, and every request and answer is held
// against Bacen's document. Prism itself speaks plain HTTP, so a front takes the certificate off and a back puts it on:
//
//   caller ─mTLS→ front ─http→ Prism ─http→ back ─mTLS→ PSP
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Psp } from '../../../src/sandbox/psp/psp.ts';
import { patchDocument } from './patches.ts';
import { startPrism } from './prism.ts';

export type Violation = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Where: `request` or `response` first. */
  readonly location: readonly string[];
  readonly message: string;
};

export type ValidatingProxy = {
  /** In place of `psp.url` and `psp.tokenUrl`; the CA and the client certificates are the PSP's. */
  readonly url: string;
  readonly tokenUrl: string;
  /** What was wrong so far. */
  violations(): readonly Violation[];
  /** How many calls went through the document. */
  calls(): number;
  stop(): Promise<void>;
};

const DOCUMENT = 'bacen-pix-api-2.9.0.openapi.yaml';
/** What Prism writes its findings into. */
const FINDINGS = 'sl-violations';

/** `folder` holds Bacen's document. The PSP must be one of profile `bacen`, since the others differ from the norm. */
export async function startValidatingProxy(psp: Psp, folder: string): Promise<ValidatingProxy> {
  const work = await mkdtemp(path.join(tmpdir(), 'trilho-prism-'));
  const document = path.join(work, 'document.yaml');
  await writeFile(document, patchDocument(readFileSync(path.join(folder, DOCUMENT), 'utf8')));
  const { origin, pathname: base } = new URL(psp.url);
  const { certificate, key } = psp.client.certificate;
  const [ca, cert, keyText] = [psp.files.ca, certificate, key].map(file => readFileSync(file));
  const agent = new https.Agent({ keepAlive: true, ca, cert, key: keyText });
  const found: Violation[] = [];
  let calls = 0;

  const back = http.createServer((request, response) => {
    const { url = '/' } = request;
    forward(request, response, `${origin}${url.startsWith('/qr/') ? '' : base}${url}`, agent);
  });
  await listen(back);
  const prism = await startPrism(document, `http://127.0.0.1:${portOf(back)}`);
  const front = https.createServer(
    {
      ca,
      cert: readFileSync(psp.files.receiver.certificate),
      key: readFileSync(psp.files.receiver.key),
      requestCert: true,
    },
    (request, response) => {
      const { url = '/' } = request;
      const isOfDocument = url.startsWith(`${base}/`) || url.startsWith('/qr/v2/');
      if (!isOfDocument) return forward(request, response, origin + url, agent);
      calls++;
      const inside = url.startsWith(`${base}/`) ? url.slice(base.length) : url;
      return forward(request, response, `http://127.0.0.1:${prism.port}${inside}`, undefined, answer => {
        const findings = answer.headers[FINDINGS];
        if (typeof findings === 'string') {
          const status = answer.statusCode ?? 0;
          for (const one of JSON.parse(findings))
            found.push({ method: request.method ?? '', path: inside, status, ...one });
        }
      });
    },
  );
  await listen(front);
  const here = `https://localhost:${portOf(front)}`;
  return {
    url: here + base,
    tokenUrl: here + new URL(psp.tokenUrl).pathname,
    violations: () => [...found],
    calls: () => calls,
    stop: async () => {
      agent.destroy();
      await Promise.all([close(front), close(back), prism.stop()]);
      await rm(work, { recursive: true, force: true });
    },
  };
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  agent?: https.Agent,
  look?: (answer: IncomingMessage) => void,
): void {
  const { host: _, connection: __, ...headers } = request.headers;
  const options = { method: request.method ?? 'GET', headers, ...(agent && { agent }) };
  const pass = (answer: IncomingMessage) => {
    look?.(answer);
    const { [FINDINGS]: ___, ...kept } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, kept);
    answer.pipe(response);
  };
  const onward = url.startsWith('https:') ? https.request(url, options, pass) : http.request(url, options, pass);
  onward.once('error', () => response.destroy());
  request.pipe(onward);
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
