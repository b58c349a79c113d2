// Makes the rail of an agreement whose bank has an API, or returns every fault with its setting.
import { createClient } from '../bank-client/client.ts';
import { openConnections } from '../bank-client/connection.ts';
import { readCredentials } from '../bank-client/credentials.ts';
import type { ClientDeps, ClientSettings, SettingFault } from '../bank-client/settings.ts';
import type { WebhookAdmin } from '../bank-client/webhook.ts';
import type { Rail } from '../rail.ts';
import type { BoletoApi, OpenedApi } from './api.ts';
import { boletoApiOf } from './apis.ts';
import { type BoletoApiSettings, profileFor } from './settings.ts';

type Api = Omit<ClientSettings, 'name' | 'accountNumber'> &
  Pick<BoletoApiSettings, 'scopes' | 'species' | 'contractNumber' | 'webhook'> & {
    readonly pixCode?: boolean;
  };

/** An entry of `boletos` with `api`, already checked against its schema. */
export type BoletoApiEntry = BoletoApiSettings['account'] & {
  readonly name: string;
  readonly bank: string;
  readonly holderName: string;
  readonly holderDocument: string;
  readonly firstNumber?: string;
  readonly lastNumber?: string;
  readonly api: Api;
};

type BoletoApiRail = Rail<'boleto'> & {
  certificateEnd(): Date | undefined;
  /** Absent where the bank sends no notifications. */
  readonly webhook?: WebhookAdmin;
  /** Closes idle connections. */
  stop(): void;
};

type Faults = { readonly faults: readonly SettingFault[] };

/** Reads the files of a rail and makes its client; nothing is sent. */
export function openBoletoApi(entry: BoletoApiEntry, deps: ClientDeps): { readonly opened: OpenedApi } | Faults {
  const bankApi = boletoApiOf(entry.api.profile);
  if (!bankApi) return { faults: [{ path: 'api.profile', message: 'is not a known profile' }] };
  const settings = settingsOf(entry, bankApi);
  const profile = profileFor(settings, bankApi.profiles);
  const faults = [...checkEntry(entry, settings, bankApi)];
  const read = readCredentials(settings, profile);
  // The account number is set beside `api`, and was checked there.
  if ('faults' in read) faults.push(...read.faults.filter(({ path }) => path !== 'accountNumber').map(inApi));
  if (faults.length > 0 || 'faults' in read) return { faults };
  const connections = openConnections(settings, profile, read.credentials, deps);
  const client = createClient(settings, profile, connections, deps);
  return { opened: { api: bankApi, settings, profile, credentials: read.credentials, connections, client } };
}

export function loadBoletoApiRail(entry: BoletoApiEntry, deps: ClientDeps): { readonly rail: BoletoApiRail } | Faults {
  const result = openBoletoApi(entry, deps);
  if ('faults' in result) return result;
  const { api, settings, connections, client } = result.opened;
  const rail: BoletoApiRail = {
    ...api.railOf(settings, client, deps),
    ...(api.webhookOf && { webhook: api.webhookOf(client) }),
    certificateEnd: () => {
      const { certificate } = connections.current().credentials;
      return certificate && new Date(certificate.validTo);
    },
    stop: connections.stop,
  };
  return { rail };
}

/** The settings of an agreement that every API uses. */
function settingsOf(entry: BoletoApiEntry, { numberDigits }: BoletoApi): BoletoApiSettings {
  const { name, holderName, holderDocument, firstNumber = '1', lastNumber, api } = entry;
  const { agency, agencyDigit, accountNumber, accountDigit, carteira, beneficiaryCode, modality } = entry;
  const account = { agency, agencyDigit, accountNumber, accountDigit, carteira, beneficiaryCode, modality };
  const { pixCode = true, ...client } = api;
  const largest = 10n ** BigInt(numberDigits) - 1n;
  return {
    ...client,
    name,
    account: Object.fromEntries(Object.entries(account).filter(([, value]) => value !== undefined)),
    holder: { name: holderName, document: holderDocument },
    firstNumber: BigInt(firstNumber),
    lastNumber: lastNumber === undefined ? largest : BigInt(lastNumber),
    hasPixCode: pixCode,
    ...(accountNumber !== undefined && { accountNumber: accountNumber + (accountDigit ?? '') }),
  };
}

function* checkEntry(
  { bank }: BoletoApiEntry,
  { profile: name, account, firstNumber, lastNumber, contractNumber, webhook }: BoletoApiSettings,
  { profiles, checkAccount, numberDigits, hasContracts, webhookOf }: BoletoApi,
): Generator<SettingFault> {
  if (bank !== profiles.all.bank)
    yield { path: 'bank', message: `must be ${profiles.all.bank} for the profile ${name}` };
  if (account.accountNumber === undefined) {
    yield { path: 'accountNumber', message: `is required for the profile ${name}` };
  }
  for (const { field, message } of checkAccount(account)) yield { path: field, message };
  const isTooLong = (number: bigint) => String(number).length > numberDigits;
  if (firstNumber < 1n) yield { path: 'firstNumber', message: 'must be at least 1' };
  if (isTooLong(firstNumber)) yield { path: 'firstNumber', message: `must have at most ${numberDigits} digits` };
  if (isTooLong(lastNumber)) yield { path: 'lastNumber', message: `must have at most ${numberDigits} digits` };
  if (firstNumber > lastNumber) yield { path: 'lastNumber', message: 'must not be below firstNumber' };
  if (contractNumber !== undefined && !hasContracts) {
    yield { path: 'api.contractNumber', message: `must be absent: the profile ${name} does not use it` };
  }
  if (webhook && !webhookOf) {
    yield { path: 'api.webhook', message: `must be absent: the bank of the profile ${name} sends no notifications` };
  }
}

function inApi({ path, message }: SettingFault): SettingFault {
  return { path: `api.${path}`, message };
}
