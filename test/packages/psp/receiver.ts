// A webhook receiver over TLS that requires the PSP's client certificate and keeps the requests.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Psp } from '../../../packages/psp/src/psp.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any body.
type HeardCall = { readonly path: string; readonly json: any };

type TlsReceiver = {
  readonly url: string;
  readonly received: HeardCall[];
  /** What is answered from now on. */
  answer(status: number): void;
};

export async function startTlsReceiver(
  t: TestContext,
  psp: Psp,
  { demandsCertificate = true }: { demandsCertificate?: boolean } = {},
): Promise<TlsReceiver> {
  const received: HeardCall[] = [];
  let status = 200;
  const server = https.createServer(
    {
      cert: readFileSync(psp.files.receiver.certificate),
      key: readFileSync(psp.files.receiver.key),
      ca: readFileSync(psp.files.webhookChain),
      requestCert: true,
      rejectUnauthorized: demandsCertificate,
    },
    (request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', chunk => {
        text += chunk;
      });
      request.once('end', () => {
        received.push({ path: request.url ?? '', json: JSON.parse(text) });
        response.writeHead(status).end();
      });
    },
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(
    () =>
      new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/hook`,
    received,
    answer: next => {
      status = next;
    },
  };
}
