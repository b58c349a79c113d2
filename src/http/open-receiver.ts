// Opens the receiver as the settings say: its certificate, and the authorities of each rail's bank.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readRails } from '../charges/store-rails.ts';
import type { Config } from '../config/config.ts';
import type { ReceiverSettings } from '../config/receiver-settings.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { type Receiver, type ReceiverDeps, startReceiver } from './receiver.ts';

const DEFAULT_HOST = '127.0.0.1';

/** The server to which banks send notifications, for every rail that listens to its bank. */
export async function openReceiver(
  deps: ReceiverDeps & { readonly db: Database },
  { rails, boletos }: Config,
  { host = DEFAULT_HOST, port, certificateFile, privateKeyFile, proxy }: ReceiverSettings,
): Promise<Receiver> {
  const records = await readRails(deps.db);
  const ofBoletos = boletos.map(({ name, api }, index) => ({
    name,
    webhook: api?.webhook,
    place: `boletos[${index}].api`,
  }));
  const ofPix = rails.map(({ name, webhook }, index) => ({ name, webhook, place: `rails[${index}]` }));
  const receiving = [...ofPix, ...ofBoletos.filter(({ webhook }) => webhook)].flatMap(({ name, webhook, place }) => {
    const record = records.find(candidate => candidate.name === name);
    if (!record) return [];
    const clientCa = webhook?.clientCaFile && readCertificates(`${place}.webhook.clientCaFile`, webhook.clientCaFile);
    const { clientName } = webhook ?? {};
    return {
      name,
      pathToken: record.pathToken,
      ...(clientCa && { clientCa }),
      ...(clientName !== undefined && { clientName }),
    };
  });
  const tls = certificateFile && privateKeyFile ? { certificateFile, privateKeyFile } : undefined;
  return startReceiver(deps, { host, port, ...(tls && { tls }), ...(proxy && { proxy }) }, receiving);
}

/** Rails whose banks should send notifications need one; another node may have it, so it is no fault. */
export function warnOfNoReceiver({ rails, boletos, receiver }: Config, log: Log): void {
  if (receiver) return;
  const [place] = [
    ...rails.flatMap(({ webhook }, index) => (webhook ? `rails[${index}].webhook` : [])),
    ...boletos.flatMap(({ api }, index) => (api?.webhook ? `boletos[${index}].api.webhook` : [])),
  ];
  if (place === undefined) return;
  log.warn(`this node takes no notifications: ${place} is set, but receiver in TRILHO_CONFIG is not`);
}

function readCertificates(setting: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new StartError(`${setting} cannot be read.`);
  }
  try {
    new X509Certificate(text);
  } catch {
    throw new StartError(`${setting} holds no certificate in PEM.`);
  }
  return text;
}
