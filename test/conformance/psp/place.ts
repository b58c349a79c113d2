// A PSP behind Prism, and calls to it with the certificate of the original caller.
import { X509Certificate } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import type { ProfileName, PspFiles } from '@trilho/psp';

/** A PSP as another process reports it. */
export type Place = {
  /** The test file that started it. */
  readonly file: string;
  readonly profile: ProfileName;
  readonly url: string;
  readonly tokenUrl: string;
  readonly files: PspFiles;
  /** A scripted PSP answers as its test says, also as no PSP should. */
  readonly answers: 'simulated' | 'scripted';
};

export type Call = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

export type PspClient = {
  /** Undefined when the PSP cut the connection or ended without an answer. */
  send(call: Call): Promise<Answer | undefined>;
};

type PspClients = {
  /** The PSP is shown the caller's certificate, or no certificate. */
  of(request: IncomingMessage): PspClient;
  close(): void;
};

export function openClients({ url, files }: Place): PspClients {
  const { origin } = new URL(url);
  const ca = readFileSync(files.ca);
  const agents = new Map<string, https.Agent>();

  function agentOf(certificate: X509Certificate | undefined): https.Agent {
    const name = certificate?.fingerprint256 ?? 'none';
    const known = agents.get(name);
    if (known) return known;
    const agent = new https.Agent({ keepAlive: true, ca, ...(certificate && pairOf(files.folder, certificate)) });
    agents.set(name, agent);
    return agent;
  }

  return {
    of: ({ socket }) => {
      const agent = agentOf(socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined);
      return { send: call => sendTo(origin, agent, call) };
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** The PSP keeps every certificate that it issued in its folder, with its key. */
function pairOf(folder: string, certificate: X509Certificate): { cert: Buffer; key: Buffer } {
  const keyOf = (file: string) => path.join(folder, file.replace(/\.pem$/, '-key.pem'));
  const file = globSync('*.pem', { cwd: folder })
    .filter(name => existsSync(keyOf(name)))
    .find(
      name => new X509Certificate(readFileSync(path.join(folder, name))).fingerprint256 === certificate.fingerprint256,
    );
  if (file === undefined) throw new Error(`${folder} does not hold the certificate ${certificate.subject}`);
  return { cert: readFileSync(path.join(folder, file)), key: readFileSync(keyOf(file)) };
}

function sendTo(origin: string, agent: https.Agent, call: Call): Promise<Answer | undefined> {
  const { method, path: place, headers, body } = call;
  return new Promise(resolve => {
    const request = https.request(origin + place, { method, headers: withoutHops(headers), agent }, response => {
      const { statusCode = 0, headers: answered } = response;
      buffer(response).then(
        read => resolve({ status: statusCode, headers: withoutHops(answered), body: read }),
        () => resolve(undefined),
      );
    });
    request.once('error', () => resolve(undefined));
    request.end(body);
  });
}

/** Without hop-by-hop headers. */
export function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const {
    host: _,
    connection: __,
    'keep-alive': ___,
    'transfer-encoding': ____,
    'content-length': _____,
    ...others
  } = headers;
  return others;
}
