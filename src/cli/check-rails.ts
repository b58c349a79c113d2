// What the doctor finds about each rail: its settings, certificate, token, scopes, key and webhook, and the address of its receiver.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RailRecord } from '../charges/store/rails.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Check } from '../rails/bank-client/check.ts';
import { webhookAddress } from '../rails/bank-client/webhook.ts';
import { calledEntries } from '../rails/entries.ts';
import type { BankEntry, DiagnoseOptions } from '../rails/kind.ts';
import { checkReceiver } from './check-receiver.ts';

export type CheckedRail = { readonly name: string; readonly checks: readonly Check[] };

/** `records` is absent when the database did not answer: then checks that need the path of a rail are skipped. */
export function checkRails(
  config: Config,
  log: Log,
  records: readonly RailRecord[] | undefined,
  options: DiagnoseOptions,
): Promise<CheckedRail[]> {
  const isAsked = records !== undefined;
  return Promise.all(
    calledEntries(config).map(async ({ entry, called, bank }) => {
      const { name } = entry;
      const pathToken = records?.find(record => record.name === name)?.pathToken;
      const webhookUrl = bank.webhook && pathToken !== undefined && webhookAddress(bank.webhook.url, pathToken);
      const asked = { ...options, ...(webhookUrl && { webhookUrl }) };
      const diagnosed = await called.diagnose(entry, { clock: systemClock, log }, asked);
      return { name, checks: [...diagnosed, ...(await wayBack(config, bank, pathToken, isAsked))] };
    }),
  );
}

async function wayBack(
  { receiver }: Config,
  { webhook, caFile }: BankEntry,
  pathToken: string | undefined,
  isAsked: boolean,
): Promise<Check[]> {
  if (!webhook) return [];
  const authority = authorityCheck(webhook.clientCaFile);
  if (!receiver) {
    const detail = 'The rail has a webhook, but no receiver is configured.';
    return [...authority, { name: 'receiver', ok: false, detail, mend: 'Set receiver in TRILHO_CONFIG.' }];
  }
  if (!isAsked) return authority;
  if (pathToken === undefined) {
    const detail = 'The service has not started with this rail yet, so it has no path.';
    return [...authority, { name: 'receiver', ok: false, detail, mend: 'Start the service once.' }];
  }
  return [...authority, await checkReceiver(webhook.url, pathToken, caFile && textOf(caFile))];
}

/** The authority behind the client certificate of the PSP's notifications. */
function authorityCheck(file: string | undefined): Check[] {
  if (file === undefined) return [];
  const name = 'webhook authority';
  const mend = 'Replace webhook.clientCaFile with the chain that the PSP publishes, and restart the service.';
  try {
    const until = new Date(new X509Certificate(readFileSync(file)).validTo);
    const day = until.toISOString().slice(0, 10);
    if (until < systemClock.now()) return [{ name, ok: false, detail: `It expired on ${day}.`, mend }];
    return [{ name, ok: true, detail: `It is valid until ${day}.` }];
  } catch {
    return [{ name, ok: false, detail: 'webhook.clientCaFile holds no certificate that can be read.', mend }];
  }
}

/** One that cannot be read is named by the diagnosis. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
