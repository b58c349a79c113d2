// Calls the receivers of notifications, with the PSP's client certificate, another one, or no certificate.
import http from 'node:http';
import https from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Made } from './certificates/make.ts';

export type Presented = 'psp' | 'foreign' | 'none';

export type WebhookClient = {
  /** Resolves to the status of the answer; rejects when there is no answer. */
  post(url: string, body: string, presented?: Presented): Promise<number>;
  close(): void;
};

type Deps = {
  readonly psp: Made;
  readonly foreign: Made;
  /** PEM texts of the authorities that receivers' certificates may come from, beside those of the machine. */
  readonly trust: readonly string[];
  readonly timeoutMs: number;
};

const MAX_SOCKETS = 32;

export function createWebhookClient({ psp, foreign, trust, timeoutMs }: Deps): WebhookClient {
  const ca = [...trust, ...rootCertificates];
  const agent = (made?: Made) =>
    new https.Agent({
      // A call without the right certificate is refused at the handshake and keeps no connection.
      keepAlive: made === psp,
      maxSockets: MAX_SOCKETS,
      ca,
      ...(made && { cert: made.certificatePem, key: made.keyPem }),
    });
  const agents = { psp: agent(psp), foreign: agent(foreign), none: agent() };
  const plain = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });

  const post = (url: string, body: string, presented: Presented = 'psp') =>
    new Promise<number>((resolve, reject) => {
      const isPlain = url.startsWith('http:');
      const options: https.RequestOptions = {
        method: 'POST',
        agent: isPlain ? plain : agents[presented],
        timeout: timeoutMs,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      };
      const answered = (response: http.IncomingMessage) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      };
      const request = isPlain ? http.request(url, options, answered) : https.request(url, options, answered);
      request.once('timeout', () => request.destroy(new Error('no answer in time')));
      request.once('error', reject);
      request.end(body);
    });

  return {
    post,
    close: () => {
      for (const one of [agents.psp, agents.foreign, agents.none, plain]) one.destroy();
    },
  };
}
