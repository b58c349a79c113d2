// One HTTPS request and its whole answer, within a deadline. A failure says whether the request may have arrived.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** `reason` is our own text, with at most an error code of the PSP. */
type HttpFailure = { readonly mayHaveArrived: boolean; readonly reason: string };

export type Exchanged = { readonly answer: HttpAnswer } | { readonly failure: HttpFailure };

/** A page of a thousand pix is well below this. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Never rejects; a request that Node itself refuses to send is a failure too. A GET on a kept-alive connection that the server closed is
 * sent once more on a new one; other methods are not: the server may have executed them.
 */
export async function exchange(agent: Agent, request: HttpRequest, signal: AbortSignal): Promise<Exchanged> {
  const first = await exchangeOnce(agent, request, signal);
  const mayRepeat = request.method === 'GET' && 'failure' in first && first.isStale && !signal.aborted;
  return mayRepeat ? exchangeOnce(agent, request, signal) : first;
}

type ExchangedOnce = { readonly answer: HttpAnswer } | { readonly failure: HttpFailure; readonly isStale: boolean };

function exchangeOnce(agent: Agent, request: HttpRequest, signal: AbortSignal): Promise<ExchangedOnce> {
  const { method, url, headers, body } = request;
  return new Promise<ExchangedOnce>(resolve => {
    // Until the handshake is done nothing of the request leaves this machine.
    let isConnected = false;
    let isAnswered = false;
    const fail = (error: unknown) => {
      // With TLS 1.3 a server asks for a certificate after the handshake, before it reads a request. On a kept-alive connection it has
      // already read one.
      const isRefusedAtOnce = isTlsAlert(error) && !outgoing.reusedSocket && !isAnswered;
      const mayHaveArrived = isConnected && !isRefusedAtOnce;
      const isStale = outgoing.reusedSocket && !isAnswered;
      resolve({ failure: { mayHaveArrived, reason: reasonOf(error, signal) }, isStale });
    };
    const outgoing = httpsRequest(url, {
      method,
      agent,
      signal,
      headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    });
    outgoing.once('socket', socket => {
      if (outgoing.reusedSocket) isConnected = true;
      else (socket as TLSSocket).once('secureConnect', () => (isConnected = true));
    });
    outgoing.once('response', response => {
      isAnswered = true;
      readAll(response).then(
        text => resolve({ answer: { status: response.statusCode ?? 0, headers: response.headers, text } }),
        fail,
      );
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  }).catch(error => ({ failure: { mayHaveArrived: false, reason: reasonOf(error, signal) }, isStale: false }));
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw Object.assign(new Error('too large'), { code: 'TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * With TLS 1.3 a server refuses a client certificate after the client's side of the handshake; what was sent is not read.
 */
function isTlsAlert(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return code.startsWith('ERR_SSL_') && code.includes('ALERT');
}

/** Messages for certificate problems of either side. */
const CERTIFICATE_CODES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate of the PSP's server has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: 'no trusted authority signed the certificate of the PSP; see caFile',
  SELF_SIGNED_CERT_IN_CHAIN: 'no trusted authority signed the certificate of the PSP; see caFile',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no trusted authority signed the certificate of the PSP; see caFile',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'no trusted authority signed the certificate of the PSP; see caFile',
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate of the PSP's server is for another name",
};

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer within the deadline';
  const code = codeOf(error);
  if (code === undefined || !/^[A-Z0-9_]{1,60}$/.test(code)) return 'the connection failed';
  const message = CERTIFICATE_CODES[code];
  if (message !== undefined) return message;
  if (isTlsAlert(error)) return `the PSP refused the certificate of this client (${code})`;
  return `the connection failed (${code})`;
}
