// The folder with the PSP's keys and certificates. Missing ones are created; existing ones are reused.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CertificateInput, type Made, makeCertificate, readMade } from './make.ts';
import { makePkcs12 } from './pkcs12.ts';

/** Paths of PEM, PEM and PKCS#12, and the password of the last as text. */
export type CertificateFiles = {
  readonly certificate: string;
  readonly key: string;
  readonly p12: string;
  readonly p12Password: string;
};

const P12_PASSWORD = 'trilho';

export type IssueInput = {
  readonly clientId: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Signed by a CA that the PSP does not know. */
  readonly foreign?: boolean;
};

export type KeyFolder = {
  readonly folder: string;
  readonly caFile: string;
  readonly webhookChainFile: string;
  readonly server: Made;
  readonly ca: Made;
  /** Client certificate of notifications. */
  readonly webhook: Made;
  /** The same, of a CA that no receiver should trust. */
  readonly foreignWebhook: Made;
  /** Signs the payload behind a location. */
  readonly signing: Made;
  /** A server certificate that the PSP trusts, for a webhook receiver. */
  readonly receiver: CertificateFiles;
  /** The certificate of a client, made at the first call. */
  clientFiles(clientId: string): Promise<CertificateFiles>;
  /** One more certificate of a client. */
  issue(input: IssueInput): Promise<CertificateFiles>;
  /** Removes the folder if it was a temporary one. */
  close(): Promise<void>;
};

type Authorities = Awaited<ReturnType<typeof makeAuthorities>>;
type Keep = (name: string, make: () => Promise<Made>) => Promise<Made>;

async function makeAuthorities(keep: Keep) {
  const make = (input: CertificateInput) => () => makeCertificate(input);
  const [ca, webhookCa, foreignCa] = await Promise.all([
    keep('ca', make({ commonName: 'Simulated PSP CA', use: 'ca' })),
    keep('webhook-ca', make({ commonName: 'Simulated PSP webhook CA', use: 'ca' })),
    keep('foreign-ca', make({ commonName: 'Foreign CA', use: 'ca' })),
  ]);
  const [server, receiver, signing, webhook, foreignWebhook] = await Promise.all([
    keep('server', make({ commonName: 'localhost', use: 'server', issuer: ca })),
    keep('receiver', make({ commonName: 'localhost', use: 'server', issuer: ca })),
    keep('signing', make({ commonName: 'Simulated PSP payloads', use: 'signing', issuer: ca })),
    keep('webhook', make({ commonName: 'Simulated PSP webhooks', use: 'client', issuer: webhookCa })),
    keep('foreign-webhook', make({ commonName: 'Simulated PSP webhooks', use: 'client', issuer: foreignCa })),
  ]);
  return { ca, webhookCa, foreignCa, server, receiver, signing, webhook, foreignWebhook };
}

/** Tests of one process share keys, which are slow to create. */
let shared: Promise<Authorities> | undefined;

export async function openKeyFolder(given: string | undefined): Promise<KeyFolder> {
  const folder = path.resolve(given ?? (await mkdtemp(path.join(tmpdir(), 'trilho-psp-'))));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string | Buffer) => writeFile(at(name), text, { mode: 0o600 });

  const writeMade = async (name: string, made: Made) => {
    await Promise.all([write(`${name}.pem`, made.certificatePem), write(`${name}-key.pem`, made.keyPem)]);
    return made;
  };
  const keep: Keep = async (name, make) => {
    if (!existsSync(at(`${name}.pem`)) || !existsSync(at(`${name}-key.pem`))) return writeMade(name, await make());
    const [certificate, key] = await Promise.all(['.pem', '-key.pem'].map(end => readFile(at(name + end), 'utf8')));
    return readMade(certificate!, key!);
  };
  shared ??= given === undefined ? makeAuthorities((_, make) => make()) : undefined;
  const authorities = given === undefined ? await shared! : await makeAuthorities(keep);
  if (given === undefined) {
    await Promise.all(Object.entries(authorities).map(([name, made]) => writeMade(fileNameOf(name), made)));
  }

  const filesOf = async (name: string, made: Made): Promise<CertificateFiles> => {
    if (!existsSync(at(`${name}.p12`))) await write(`${name}.p12`, await makePkcs12(made, P12_PASSWORD));
    return {
      certificate: at(`${name}.pem`),
      key: at(`${name}-key.pem`),
      p12: at(`${name}.p12`),
      p12Password: P12_PASSWORD,
    };
  };
  const clientCertificate = ({ clientId, foreign, notBefore, notAfter }: IssueInput) =>
    makeCertificate({
      commonName: clientId,
      use: 'client',
      issuer: foreign ? authorities.foreignCa : authorities.ca,
      ...(notBefore && { notBefore }),
      ...(notAfter && { notAfter }),
    });
  let issued = 0;

  return {
    ...authorities,
    folder,
    caFile: at('ca.pem'),
    webhookChainFile: at('webhook-ca.pem'),
    receiver: await filesOf('receiver', authorities.receiver),
    clientFiles: async clientId => {
      const name = `client-${slug(clientId)}`;
      return filesOf(name, await keep(name, () => clientCertificate({ clientId })));
    },
    issue: async input => {
      const made = await clientCertificate(input);
      const name = `issued-${++issued}-${slug(input.clientId)}`;
      // An earlier start may have left a file of this name.
      await rm(at(`${name}.p12`), { force: true });
      return filesOf(name, await writeMade(name, made));
    },
    close: async () => {
      if (given === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

function fileNameOf(authority: string): string {
  return authority.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** A client id as part of a file name. */
function slug(clientId: string): string {
  return clientId.replace(/[^\w-]/g, '_').slice(0, 60);
}
