// Opens the receiver by the settings: its certificate, and the authorities of each rail's bank.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readRails } from '../charges/store/rails.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { CalledEntry } from '../rails/entries.ts';
import type { ReceiverSettings } from '../rails/receiver-entry.ts';
import type { Database } from '../storage/database.ts';
import { type Receiver, type ReceiverDeps, startReceiver } from './receiver.ts';

const DEFAULT_HOST = '127.0.0.1';

/** The server to which banks send notifications, for every rail with a webhook. */
export async function openReceiver(
  deps: ReceiverDeps & { readonly db: Database },
  entries: readonly CalledEntry[],
  { host = DEFAULT_HOST, port, certificateFile, privateKeyFile, proxy }: ReceiverSettings,
): Promise<Receiver> {
  const records = await readRails(deps.db);
  const heard = entries.filter(({ called, entry }) => called.isHeard(entry));
  const receiving = heard.flatMap(({ entry: { name }, bank: { webhook }, bankPlace }) => {
    const record = records.find(candidate => candidate.name === name);
    if (!record) return [];
    const clientCa =
      webhook?.clientCaFile && readCertificates(`${bankPlace}.webhook.clientCaFile`, webhook.clientCaFile);
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

/** Rails whose banks should send notifications need a receiver; another node may have it, so this is only a warning. */
export function warnOfNoReceiver(
  entries: readonly CalledEntry[],
  receiver: ReceiverSettings | undefined,
  log: Log,
): void {
  const waiting = entries.find(({ bank }) => bank.webhook);
  if (receiver || !waiting) return;
  log.warn(
    `this node receives no notifications: ${waiting.bankPlace}.webhook is set, but receiver in TRILHO_CONFIG is not`,
  );
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
