// Calls a simulated PSP as an integration would: its certificate, a token, JSON over TLS. It uses no code of the service.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { TestContext } from 'node:test';
import type { CertificateFiles } from '../../../packages/psp/src/certificates/key-folder.ts';
import type { Psp, PspOptions } from '../../../packages/psp/src/psp.ts';
import { startPsp } from '../../../packages/psp/src/start.ts';

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer.
  readonly json: any;
};

type CallOptions = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the client's; null for no certificate. */
  readonly certificate?: CertificateFiles | null;
  readonly p12?: CertificateFiles;
  readonly signal?: AbortSignal;
};

export type Caller = {
  readonly psp: Psp;
  /** A call of any URL, with the certificate and without a token. */
  raw(method: string, url: string, options?: CallOptions & { readonly text?: string }): Promise<Answer>;
  /** A call below the base, with a token of all scopes. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  token(): Promise<string>;
};

export async function startCaller(t: TestContext, options: PspOptions = {}): Promise<Caller> {
  const psp = await startPsp(options);
  const agents: https.Agent[] = [];
  t.after(async () => {
    for (const agent of agents) agent.destroy();
    await psp.stop();
  });
  const ca = readFileSync(psp.files.ca);
  const open = (certificate: CertificateFiles | null) => {
    const own = certificate && { cert: readFileSync(certificate.certificate), key: readFileSync(certificate.key) };
    const agent = new https.Agent({ keepAlive: true, ca, ...own });
    agents.push(agent);
    return agent;
  };
  const usual = open(psp.client.certificate);

  const raw: Caller['raw'] = (method, url, { body, text, headers, certificate, p12, signal } = {}) =>
    new Promise((resolve, reject) => {
      const agent = certificate === undefined ? usual : open(certificate);
      const pfx = p12 && { pfx: readFileSync(p12.p12), passphrase: p12.p12Password, ca, agent: false as const };
      const json = body === undefined ? undefined : JSON.stringify(body);
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const request = https.request(
        url,
        { method, agent, headers: { ...type, ...headers }, ...(signal && { signal }), ...pfx },
        response => {
          let received = '';
          response.setEncoding('utf8');
          response.on('data', chunk => {
            received += chunk;
          });
          response.once('end', () => {
            const isJson = /json/.test(response.headers['content-type'] ?? '');
            const { statusCode = 0, headers } = response;
            resolve({ status: statusCode, headers, text: received, json: isJson ? JSON.parse(received) : undefined });
          });
          response.once('error', reject);
        },
      );
      request.once('error', reject);
      request.end(text ?? json);
    });

  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const { clientId, clientSecret } = psp.client;
  const basic = { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
  const token = async () => {
    const answer = await raw('POST', psp.tokenUrl, {
      headers: { ...form, ...basic },
      text: 'grant_type=client_credentials',
    });
    return answer.json.access_token as string;
  };
  let kept: Promise<string> | undefined;
  return {
    psp,
    raw,
    token,
    call: async (method, path, body, headers) => {
      const send = async () => {
        kept ??= token();
        return raw(method, psp.url + path, {
          ...(body !== undefined && { body }),
          headers: { authorization: `Bearer ${await kept}`, ...headers },
        });
      };
      const answer = await send();
      if (answer.status !== 401) return answer;
      // A test moved the clock.
      kept = undefined;
      return send();
    },
  };
}

export const KEY = 'recebedor@example.com';

let made = 0;
/** Another one each time. */
export function newTxid(): string {
  return `t${String(++made).padStart(31, '0')}`;
}

export function cobBody(more: object = {}): object {
  return { calendario: { expiracao: 3600 }, valor: { original: '37.00' }, chave: KEY, ...more };
}

export function cobvBody(more: object = {}): object {
  return {
    calendario: { dataDeVencimento: '2030-12-10', validadeAposVencimento: 30 },
    devedor: { cpf: '12345678909', nome: 'Francisco da Silva' },
    valor: { original: '100.00' },
    chave: KEY,
    ...more,
  };
}
