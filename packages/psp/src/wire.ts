// Input and output: bodies with a limit, JSON, HTML pages, and the client of a certificate.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Reply } from './core.ts';
import { ApiRefusal } from './problem.ts';

const MAX_BODY_BYTES = 256 * 1024;

export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.once('end', () => {
      if (size > MAX_BODY_BYTES) reject(new ApiRefusal('CorpoGrandeDemais'));
      else resolve(Buffer.concat(chunks).toString());
    });
    request.once('error', reject);
  });
}

export function parseJson(contentType: string | undefined, text: string): unknown {
  const refuse = (razao: string) => new ApiRefusal('RequisicaoInvalida', [{ razao, propriedade: 'body' }]);
  if (!/^application\/(?:[\w.]+\+)?json\b/.test(contentType ?? '')) {
    throw refuse('O Content-Type deve ser application/json.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('O corpo não é JSON.');
  }
}

/** Path and query of a URL without its host. */
export function splitUrl(url: string): [path: string, query: URLSearchParams] {
  const at = url.indexOf('?');
  return at < 0 ? [url, new URLSearchParams()] : [url.slice(0, at), new URLSearchParams(url.slice(at + 1))];
}

/** A body of text is sent as it is, anything else as JSON. */
export function writeReply(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...(text !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    ...headers,
  });
  response.end(text);
}

/** A proxy in front of the PSP answers with a page. */
export function htmlReply(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const title = `${status} ${reason}`;
  return {
    status,
    body: `<html>\n<head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center></body>\n</html>\n`,
    headers: { ...headers, 'content-type': 'text/html' },
  };
}

const names = new WeakMap<TLSSocket, string>();

/** The common name of a certificate that the PSP's CA signed and that is valid today, or an empty text. Read once a connection. */
export function commonNameOf({ socket }: IncomingMessage): string {
  const tls = socket as TLSSocket;
  const known = names.get(tls);
  if (known !== undefined) return known;
  const subject = tls.authorized ? (tls.getPeerX509Certificate()?.subject ?? '') : '';
  const [, commonName = ''] = /^CN=(.+)$/m.exec(subject) ?? [];
  names.set(tls, commonName);
  return commonName;
}
