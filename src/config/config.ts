// What the service runs with, read once from the settings into one frozen Config.
import type { ChainSettings } from '../chains/chain-settings.ts';
import type { SignerSettings } from '../chains/signer/signer-settings.ts';
import type { Duration } from '../lib/date-times.ts';
import type { LogLevel } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import type { TracingSettings } from '../lib/opentelemetry.ts';
import type { AllowedPlace } from '../lib/outgoing-allow.ts';
import type { ReadFile } from '../lib/settings/read-file.ts';
import type { PriceSourceSettings } from '../prices/price-settings.ts';
import type { AgreementEntry } from '../rails/agreement-entry.ts';
import type { RailEntry } from '../rails/kind.ts';
import type { PixKeyValue } from '../rails/pix-key.ts';
import type { ReceiverSettings } from '../rails/receiver-entry.ts';
import type { PayoutSettings } from './payout-settings.ts';
import { type Environment, readSettings, type Settings } from './read.ts';
import type { RetentionSettings } from './retention-settings.ts';
import type { SettingValues } from './settings.ts';
import { tracingOf } from './tracing-settings.ts';

export type Config = {
  readonly host: string;
  readonly port: number;
  /** The origin by which people reach the service; absent: this machine and the port. */
  readonly publicUrl?: string;
  /** Absent: the embedded database. */
  readonly databaseUrl?: string;
  /** A replica for lists and exports; absent without one. */
  readonly replica?: ReplicaSettings;
  readonly logLevel: LogLevel;
  readonly mode: Mode;
  readonly dataDir: string;
  /** What secrets in the database are sealed with; the first one seals. */
  readonly masterKeys: readonly Buffer[];
  /** Where the embedded database archives its write-ahead log. */
  readonly walArchive?: string;
  /** Where old events and audit lines are moved; absent, they stay. */
  readonly archiveDir?: string;
  readonly retention: RetentionSettings;
  /** Where traces are sent; absent, traces are not recorded. */
  readonly tracing?: TracingSettings;
  readonly demo: boolean;
  readonly pageSize: number;
  /** Requests a second of one caller, and requests at once; 0 for no limit. */
  readonly rateLimit: number;
  readonly maxInFlight: number;
  /** Events that one webhook is sent at the same time. */
  readonly webhookConcurrency: number;
  /** Private places that webhooks may reach. */
  readonly webhookAllow: readonly AllowedPlace[];
  /** Requests a second of one address that bring no good key; 0 for no limit. */
  readonly addressLimit: number;
  /** Addresses and networks of the proxies before us. */
  readonly trustProxy: readonly string[];
  /** How much of one charge the role support may refund. */
  readonly supportRefundLimitCents: number;
  /** When more than this goes back of one charge, a person shows a passkey again. */
  readonly passkeyRefundCents: number;
  /** Reais for one unit of another currency, as decimal text; a sandbox has one for each. */
  readonly rates: { readonly USD?: string; readonly EUR?: string };
  /** How long after its creation a wallet may first be paid to. */
  readonly walletWait: Duration;
  /** What is asked for before a wallet is paid to. */
  readonly walletPolicy: WalletPolicySettings;
  readonly screening: ScreeningSettings;
  readonly settlement: SettlementSettings;
  /** The static pix key that live charges are paid to. */
  readonly pixKey?: PixKey;
  /** Banks and PSPs, in the order in which they are preferred. */
  readonly rails: readonly RailEntry[];
  /** Agreements with banks that register boletos, in the order in which they are preferred. */
  readonly boletos: readonly AgreementEntry[];
  /** Where banks report payments; absent: they are only asked. */
  readonly receiver?: ReceiverSettings;
  /** The keys that payouts are signed with. */
  readonly signers: readonly SignerSettings[];
  /** The networks that crypto is sent on. */
  readonly chains: readonly ChainSettings[];
  /** How much crypto may leave. */
  readonly payouts: PayoutSettings;
  readonly prices: PriceSettings;
  /** Percent of what is paid for crypto that the service keeps, as decimal text. */
  readonly feePercent: string;
  readonly bankWaitMs: number;
};

/** Hours of the day in São Paulo, D0 day and night or not, and days that an operator declared open or closed. */
export type SettlementSettings = {
  readonly cutOffHour: number;
  readonly opensAtHour: number;
  readonly d0: SettingValues['TRILHO_SAME_DAY'];
  readonly bankingDays: ReadonlyMap<string, boolean>;
};

export type WalletPolicySettings = {
  readonly proof: SettingValues['TRILHO_WALLET_PROOF'];
  readonly approval: boolean;
};

/** Where a replica is, and how far behind what it answers may be. */
export type ReplicaSettings = { readonly url: string; readonly maxLagMs: number };

/** A list of addresses that are not paid to, and a service that is asked about others. */
export type ScreeningSettings = {
  readonly file?: string;
  readonly hook?: { readonly url: string; readonly secret: string };
};

/** A sandbox has a table, live has sources. */
export type PriceSettings = {
  /** Reais for one unit of each symbol, as decimal text. */
  readonly table: Readonly<Record<string, string>>;
  readonly sources: readonly PriceSourceSettings[];
  readonly maxAgeSeconds: number;
  readonly maxSpreadPercent: string;
};

export type PixKey = PixKeyValue & { readonly receiverName: string; readonly receiverCity: string };

/**
 * Throws a StartError that lists every fault, never with the value of a secret setting.
 *
 * @example
 * const config = readConfig(process.env);
 */
export function readConfig(environment: Environment, readFile?: ReadFile): Config {
  return configOf(readSettings(environment, readFile));
}

export function configOf({ values }: Settings): Config {
  const { DATABASE_URL: databaseUrl, DATABASE_READ_URL: replicaUrl } = values;
  const { TRILHO_RATE_USD: USD, TRILHO_RATE_EUR: EUR } = values;
  const pixKey = pixKeyOf(values);
  const tracing = tracingOf(values);
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    ...(values.TRILHO_PUBLIC_URL !== undefined && { publicUrl: values.TRILHO_PUBLIC_URL }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(replicaUrl !== undefined && { replica: { url: replicaUrl, maxLagMs: values.TRILHO_READ_MAX_LAG } }),
    logLevel: values.LOG_LEVEL,
    mode: values.TRILHO_MODE,
    dataDir: values.TRILHO_DATA_DIR,
    masterKeys: values.TRILHO_MASTER_KEY ?? [],
    ...(values.TRILHO_WAL_ARCHIVE !== undefined && { walArchive: values.TRILHO_WAL_ARCHIVE }),
    ...(values.TRILHO_ARCHIVE_DIR !== undefined && { archiveDir: values.TRILHO_ARCHIVE_DIR }),
    retention: {
      events: values.TRILHO_KEEP_EVENTS,
      audit: values.TRILHO_KEEP_AUDIT,
      deliveries: values.TRILHO_KEEP_DELIVERIES,
      quotes: values.TRILHO_KEEP_QUOTES,
      idempotencyKeys: values.TRILHO_KEEP_IDEMPOTENCY_KEYS,
      notifications: values.TRILHO_KEEP_NOTIFICATIONS,
      boletoFiles: values.TRILHO_KEEP_BOLETO_FILES,
      jobs: values.TRILHO_KEEP_JOBS,
      traces: values.TRILHO_KEEP_TRACES,
    },
    ...(tracing && { tracing }),
    demo: values.TRILHO_DEMO,
    pageSize: values.TRILHO_PAGE_SIZE,
    rateLimit: values.TRILHO_RATE_LIMIT,
    maxInFlight: values.TRILHO_MAX_IN_FLIGHT,
    webhookConcurrency: values.TRILHO_WEBHOOK_CONCURRENCY,
    webhookAllow: values.TRILHO_WEBHOOK_ALLOW ?? [],
    addressLimit: values.TRILHO_ADDRESS_LIMIT,
    trustProxy: values.TRILHO_TRUST_PROXY ?? [],
    supportRefundLimitCents: values.TRILHO_SUPPORT_REFUND_LIMIT,
    passkeyRefundCents: values.TRILHO_REFUND_PASSKEY_ABOVE,
    rates: { ...(USD !== undefined && { USD }), ...(EUR !== undefined && { EUR }) },
    walletWait: values.TRILHO_WALLET_WAIT,
    walletPolicy: { proof: values.TRILHO_WALLET_PROOF, approval: values.TRILHO_WALLET_APPROVAL },
    screening: screeningOf(values),
    ...(pixKey && { pixKey }),
    rails: values.TRILHO_RAILS ?? [],
    boletos: values.TRILHO_BOLETOS ?? [],
    ...(values.TRILHO_RECEIVER && { receiver: values.TRILHO_RECEIVER }),
    signers: values.TRILHO_SIGNERS ?? [],
    chains: values.TRILHO_CHAINS ?? [],
    payouts: values.TRILHO_PAYOUTS ?? {},
    prices: {
      table: values.TRILHO_PRICES ?? {},
      sources: values.TRILHO_PRICE_SOURCES ?? [],
      maxAgeSeconds: values.TRILHO_PRICE_MAX_AGE,
      maxSpreadPercent: values.TRILHO_PRICE_MAX_SPREAD,
    },
    feePercent: values.TRILHO_FEE_PERCENT,
    bankWaitMs: values.TRILHO_BANK_WAIT_MS,
    settlement: {
      cutOffHour: values.TRILHO_CUT_OFF,
      opensAtHour: values.TRILHO_SETTLES_AT,
      d0: values.TRILHO_SAME_DAY,
      bankingDays: values.TRILHO_BANKING_DAYS ?? new Map(),
    },
  });
}

function screeningOf(values: SettingValues): ScreeningSettings {
  const { TRILHO_SCREENING_FILE: file, TRILHO_SCREENING_URL: url, TRILHO_SCREENING_SECRET: secret } = values;
  return {
    ...(file !== undefined && { file }),
    ...(url !== undefined && secret !== undefined && { hook: { url, secret } }),
  };
}

function pixKeyOf(values: SettingValues): PixKey | undefined {
  const { TRILHO_PIX_KEY: key, TRILHO_PIX_NAME: receiverName, TRILHO_PIX_CITY: receiverCity } = values;
  if (key === undefined || receiverName === undefined || receiverCity === undefined) return undefined;
  return { ...key, receiverName, receiverCity };
}
