// A proxy that terminates TLS before the receiver, as docs/live.md sets one up: it asks callers for the PSP's certificate and
// reports in a header whether it has verified one.
import { readFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Psp } from '@trilho/psp';

export type TlsProxy = { readonly url: string; stop(): Promise<void> };

export const VERIFIED = { header: 'x-client-verify', value: 'SUCCESS' } as const;

export async function startTlsProxy({ files }: Psp, receiverUrl: string): Promise<TlsProxy> {
  const tls = {
    cert: readFileSync(files.receiver.certificate),
    key: readFileSync(files.receiver.key),
    ca: readFileSync(files.webhookChain),
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer(tls, (request, response) => {
    const { authorized } = request.socket as TLSSocket;
    // A value from the caller is replaced.
    const headers = { ...request.headers, [VERIFIED.header]: authorized ? VERIFIED.value : 'NONE' };
    const { method = 'GET', url = '/' } = request;
    const onward = forward(new URL(url, receiverUrl), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
