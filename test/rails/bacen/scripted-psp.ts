// A PSP that answers as a test scripts it, for faults of the connection.
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import {
  type CertificateFiles,
  type KeyFolder,
  openKeyFolder,
} from '../../../packages/psp/src/certificates/key-folder.ts';
import type { BacenSettings } from '../../../src/rails/bacen/settings.ts';
import { dynamicBrCode } from '../../../src/rails/br-code.ts';
import type { PaymentRequest } from '../../../src/rails/rail.ts';
import { putPrismBefore } from '../../harness/test-psp.ts';

type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of the client's certificate. */
  readonly serial: string | undefined;
};

type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; an object as JSON. */
  readonly body?: string | object;
};

/** `cut`: the connection ends without an answer; `cut-body`: within it; `hang`: no answer at all. */
export type Action = Reply | 'cut' | 'cut-body' | 'hang';
type Script = (seen: Seen) => Action | Promise<Action>;

export type ScriptedPsp = {
  readonly keys: KeyFolder;
  readonly client: CertificateFiles;
  readonly settings: BacenSettings;
  /** Calls of the API, without those for a token. */
  readonly calls: Seen[];
  readonly tokenCalls: Seen[];
  answer(script: Script | Action): void;
  answerToken(script: Script | Action): void;
};

export const PIX_KEY = 'recebedor@example.com';

export async function startScriptedPsp(
  t: TestContext,
  server: { readonly maxVersion?: 'TLSv1.2'; readonly refusesClients?: boolean } = {},
): Promise<ScriptedPsp> {
  const keys = await openKeyFolder(undefined);
  const client = await keys.clientFiles('trilho');
  const calls: Seen[] = [];
  const tokenCalls: Seen[] = [];
  let script: Script = () => ({ status: 404 });
  let tokenScript: Script = () => ({ body: { access_token: `token-${tokenCalls.length}`, expires_in: 3600 } });

  const listener = createServer(
    {
      key: keys.server.keyPem,
      cert: keys.server.certificatePem,
      // A server that trusts another authority refuses every client.
      ca: server.refusesClients ? keys.foreignWebhook.certificatePem : keys.ca.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
      ...(server.maxVersion && { maxVersion: server.maxVersion }),
    },
    async (request, response) => {
      const url = new URL(request.url ?? '/', 'https://psp');
      const seen: Seen = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: await text(request),
        serial: (request.socket as TLSSocket).getPeerX509Certificate()?.serialNumber,
      };
      const isToken = url.pathname === '/oauth/token';
      (isToken ? tokenCalls : calls).push(seen);
      const action = await (isToken ? tokenScript : script)(seen);
      if (action === 'hang') return;
      if (action === 'cut') return void request.socket.destroy();
      if (action === 'cut-body') {
        response.writeHead(200, { 'content-length': '100' }).write('{"status":');
        return void setImmediate(() => request.socket.destroy());
      }
      const { status = 200, headers = {}, body = '' } = action;
      const json = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(json);
    },
  );
  listener.on('tlsClientError', () => {});
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const origin = `https://localhost:${(listener.address() as AddressInfo).port}`;
  const own = {
    profile: 'bacen',
    url: `${origin}/api`,
    tokenUrl: `${origin}/oauth/token`,
    files: { folder: keys.folder, ca: keys.caFile, webhookChain: keys.webhookChainFile, receiver: keys.receiver },
  } as const;
  // A refused handshake is never followed by a call.
  const { url, tokenUrl, remove } = server.refusesClients
    ? { ...own, remove: async () => {} }
    : await putPrismBefore(own, 'scripted');
  t.after(async () => {
    listener.closeAllConnections();
    await new Promise(resolve => listener.close(resolve));
    await remove();
    await keys.close();
  });

  return {
    keys,
    client,
    settings: {
      name: 'custom:test',
      profile: 'custom',
      environment: 'production',
      baseUrl: url,
      tokenUrl,
      pixKey: PIX_KEY,
      clientId: 'trilho',
      clientSecret: 'hunter2-secret',
      certificateFile: client.certificate,
      privateKeyFile: client.key,
      caFile: keys.caFile,
      perSecond: 0,
    },
    calls,
    tokenCalls,
    answer: given => {
      script = typeof given === 'function' ? given : () => given;
    },
    answerToken: given => {
      tokenScript = typeof given === 'function' ? given : () => given;
    },
  };
}

export const NOW = '2026-11-16T12:00:00Z';
/** A code as a PSP makes it for a location. */
export function codeAt(location: string): string {
  const emv = dynamicBrCode(location, { receiverName: 'Loja', receiverCity: 'Recife' });
  assert(emv);
  return emv;
}
export const CODE = codeAt('pix.example.com/qr/v2/abc');

export const TXID = '019a8b5e3c707d2a9f416b0c5d8e2a17';

/** A charge of R$ 159,90 with a due day. */
export function paymentRequest(changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    id: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
    amountCents: 15_990n,
    createdAt: new Date(NOW),
    expireAt: new Date('2026-12-20T23:59:59-03:00'),
    dueDay: '2026-12-10',
    expireDay: '2026-12-20',
    description: 'Order 1050',
    payer: { name: 'Maria da Silva', document: '52998224725' },
    ...changes,
  };
}

/** To be paid within the half hour. */
export function quoteRequest(changes: Partial<PaymentRequest> = {}): PaymentRequest {
  const expireAt = new Date('2026-11-16T12:30:00Z');
  return paymentRequest({ expireAt, dueDay: '2026-11-16', expireDay: '2026-11-16', ...changes });
}
