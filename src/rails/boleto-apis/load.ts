// Makes the rail of an agreement whose bank has an API, or names every fault with the setting that it lies in.
import { type Client, createClient } from '../bank-client/client.ts';
import { type Connections, openConnections } from '../bank-client/connection.ts';
import { type Credentials, readCredentials } from '../bank-client/credentials.ts';
import type { ClientDeps, ClientSettings, SettingFault } from '../bank-client/settings.ts';
import { sicoob } from '../boleto/bank-756.ts';
import type { Rail } from '../rail.ts';
import { interRail, OWN_NUMBER_DIGITS } from './inter/rail.ts';
import { type BoletoWebhook, interWebhook } from './inter/webhook.ts';
import type { BoletoProfile, BoletoProfileName, BoletoResource } from './profile.ts';
import { type BoletoApiSettings, profileFor } from './settings.ts';
import { NUMBER_DIGITS } from './sicoob/number.ts';
import { sicoobRail } from './sicoob/rail.ts';

type Api = Omit<ClientSettings, 'name' | 'accountNumber' | 'profile'> &
  Pick<BoletoApiSettings, 'profile' | 'scopes' | 'species' | 'contractNumber' | 'webhook'> & {
    readonly pixCode?: boolean;
  };

/** An entry of `boletos` with `api`, already checked for its form. */
export type BoletoApiEntry = BoletoApiSettings['account'] & {
  readonly name: string;
  readonly bank: string;
  readonly holderName: string;
  readonly holderDocument: string;
  readonly firstNumber?: string;
  readonly lastNumber?: string;
  readonly api: Api;
};

export type BoletoApiRail = Rail<'boleto'> & {
  certificateEnd(): Date | undefined;
  /** Absent where the bank tells of nothing. */
  readonly webhook?: BoletoWebhook;
  /** Closes idle connections. */
  stop(): void;
};

/** What the parts of a rail share. */
export type OpenedApi = {
  readonly settings: BoletoApiSettings;
  readonly profile: BoletoProfile;
  readonly credentials: Credentials;
  readonly connections: Connections;
  readonly client: Client<BoletoResource>;
};

type Faults = { readonly faults: readonly SettingFault[] };

/** Reads the files of a rail and makes its client; nothing is sent. */
export function openBoletoApi(entry: BoletoApiEntry, deps: ClientDeps): { readonly opened: OpenedApi } | Faults {
  const settings = settingsOf(entry);
  const profile = profileFor(settings);
  const faults = [...checkEntry(entry, settings, profile)];
  const read = readCredentials(settings, profile);
  // The number of the account stands beside `api`, and was looked for there.
  if ('faults' in read) faults.push(...read.faults.filter(({ path }) => path !== 'accountNumber').map(inApi));
  if (faults.length > 0 || 'faults' in read) return { faults };
  const connections = openConnections(settings, profile, read.credentials, deps);
  const client = createClient(settings, profile, connections, deps);
  return { opened: { settings, profile, credentials: read.credentials, connections, client } };
}

export function loadBoletoApiRail(entry: BoletoApiEntry, deps: ClientDeps): { readonly rail: BoletoApiRail } | Faults {
  const result = openBoletoApi(entry, deps);
  if ('faults' in result) return result;
  const { settings, profile, connections, client } = result.opened;
  const { railOf } = APIS[settings.profile];
  const rail: BoletoApiRail = {
    ...railOf(settings, client, deps),
    ...(profile.hasWebhook && { webhook: interWebhook(client) }),
    certificateEnd: () => {
      const { certificate } = connections.current().credentials;
      return certificate && new Date(certificate.validTo);
    },
    stop: connections.stop,
  };
  return { rail };
}

/** What differs in code and not only in data. */
const APIS = {
  sicoob: { railOf: sicoobRail, numberDigits: NUMBER_DIGITS, checkAccount: sicoob.checkAccount },
  inter: { railOf: interRail, numberDigits: OWN_NUMBER_DIGITS, checkAccount: () => [] },
} satisfies Record<BoletoProfileName, unknown>;

/** What every API has of an agreement. */
function settingsOf(entry: BoletoApiEntry): BoletoApiSettings {
  const { name, holderName, holderDocument, firstNumber = '1', lastNumber, api } = entry;
  const { agency, agencyDigit, accountNumber, accountDigit, carteira, beneficiaryCode, modality } = entry;
  const account = { agency, agencyDigit, accountNumber, accountDigit, carteira, beneficiaryCode, modality };
  const { pixCode = true, ...client } = api;
  const largest = 10n ** BigInt(APIS[api.profile].numberDigits) - 1n;
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
  profile: BoletoProfile,
): Generator<SettingFault> {
  if (bank !== profile.bank) yield { path: 'bank', message: `must be ${profile.bank} for the profile ${name}` };
  if (account.accountNumber === undefined) {
    yield { path: 'accountNumber', message: `is required for the profile ${name}` };
  }
  const { checkAccount, numberDigits } = APIS[name];
  for (const { field, message } of checkAccount(account)) yield { path: field, message };
  const isTooLong = (number: bigint) => String(number).length > numberDigits;
  if (firstNumber < 1n) yield { path: 'firstNumber', message: 'must be at least 1' };
  if (isTooLong(firstNumber)) yield { path: 'firstNumber', message: `must have at most ${numberDigits} digits` };
  if (isTooLong(lastNumber)) yield { path: 'lastNumber', message: `must have at most ${numberDigits} digits` };
  if (firstNumber > lastNumber) yield { path: 'lastNumber', message: 'must not be below firstNumber' };
  if (contractNumber !== undefined && name !== 'sicoob') {
    yield { path: 'api.contractNumber', message: `must be absent: the profile ${name} has none` };
  }
  if (webhook && !profile.hasWebhook) {
    yield { path: 'api.webhook', message: `must be absent: with the profile ${name} payments are asked for` };
  }
}

function inApi({ path, message }: SettingFault): SettingFault {
  return { path: `api.${path}`, message };
}
