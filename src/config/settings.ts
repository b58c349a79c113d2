// Every setting of the service, once. Reading, faults, `trilho config`, `.env.example` and docs/configuration.md come from
// this table; after a change run `npm run docs -- settings`.
import { CHAIN_SETTINGS } from '../chains/chain-settings.ts';
import { SIGNER_SETTINGS } from '../chains/signer/signer-settings.ts';
import { LOG_LEVELS } from '../lib/log.ts';
import { MODES, type Mode } from '../lib/mode.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../lib/paging.ts';
import {
  addressRanges,
  allowedPlaces,
  bankingDays,
  decimalAboveZero,
  durationUpToAYear,
  filePath,
  folder,
  headerWord,
  type Kind,
  oneOf,
  onOrOff,
  percentUpTo,
  postgresUrl,
  publicUrl,
  serviceUrl,
  text,
  timeOfDay,
  walletProof,
  wholeNumber,
} from '../lib/settings/kinds.ts';
import type { Setting } from '../lib/settings/setting.ts';
import { PRICE_SETTINGS } from '../prices/price-settings.ts';
import { RAIL_SETTINGS } from '../rails/settings.ts';
import { masterKeys } from './master-key.ts';
import { payoutSettings } from './payout-settings.ts';
import { REPLICA_SETTINGS } from './replica-settings.ts';
import { RETENTION_SETTINGS } from './retention-settings.ts';
import { TRACING_SETTINGS } from './tracing-settings.ts';

/** The others are read by it, so it is read first. */
export const DEFAULT_MODE = 'sandbox' satisfies Mode;
const MAX_LIMIT = 1_000_000;
const MAX_REFUND_LIMIT_CENTS = 10_000_000_000;
/** A fifth of what one node sends at a time, so that a single webhook never takes all of it. */
const MAX_WEBHOOK_CONCURRENCY = 1_000;

export const SETTINGS = [
  {
    name: 'PORT',
    kind: wholeNumber(0, 65_535),
    default: '3000',
    meaning: 'Port to listen on; 0 takes any free one.',
  },
  {
    name: 'HOST',
    kind: text('a host name or an address of this machine'),
    default: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 lets other machines in.',
  },
  {
    name: 'TRILHO_PUBLIC_URL',
    kind: publicUrl,
    meaning:
      'Where people reach the service, such as https://pay.example.com: links to checkouts and the names of passkeys and cookies come from it. Not set: http://localhost with the port.',
  },
  {
    name: 'TRILHO_SUPPORT_REFUND_LIMIT',
    kind: wholeNumber(0, MAX_REFUND_LIMIT_CENTS),
    default: '50000',
    mode: 'live',
    meaning:
      'What a person of the role support may send back of one charge, in cents; operators and owners have no limit.',
  },
  {
    name: 'TRILHO_REFUND_PASSKEY_ABOVE',
    kind: wholeNumber(0, MAX_REFUND_LIMIT_CENTS),
    default: '100000',
    mode: 'live',
    meaning: 'When more than this goes back of one charge, in cents, a person shows a passkey again for it.',
  },
  {
    name: 'DATABASE_URL',
    kind: postgresUrl,
    isSecret: true,
    meaning: 'The PostgreSQL server, 14 or later. Not set: the embedded database.',
  },
  ...REPLICA_SETTINGS,
  {
    name: 'LOG_LEVEL',
    kind: oneOf(LOG_LEVELS),
    default: 'info',
    meaning: 'How much is logged: lines of this level and of the more important ones.',
  },
  {
    name: 'TRILHO_CONFIG',
    kind: text('a path to a JSON file'),
    meaning: 'File with the structured settings.',
  },
  {
    name: 'TRILHO_MODE',
    kind: oneOf(MODES),
    default: DEFAULT_MODE,
    meaning: 'What the service is for. Live needs an API key: trilho accounts create, then trilho keys create.',
  },
  {
    name: 'TRILHO_DATA_DIR',
    kind: folder,
    default: './data',
    meaning: 'Folder of the embedded database; a relative path starts at the working directory.',
  },
  {
    name: 'TRILHO_MASTER_KEY',
    kind: masterKeys,
    isSecret: true,
    meaning:
      'What secrets in the database and in sealed files are sealed with, as trilho secrets key makes it. Several: the first seals, all of them open. Not set: nothing is sealed.',
  },
  {
    name: 'TRILHO_WAL_ARCHIVE',
    kind: folder,
    meaning:
      'Folder to which the embedded database archives its write-ahead log, for a restore to any moment; best on another disk. Not set: that of before, if any.',
  },
  ...RETENTION_SETTINGS,
  ...TRACING_SETTINGS,
  {
    name: 'TRILHO_DEMO',
    kind: onOrOff,
    default: 'on',
    mode: 'sandbox',
    meaning: 'Whether the first start on a new database adds sixty invented crypto transactions.',
  },
  {
    name: 'TRILHO_PAGE_SIZE',
    kind: wholeNumber(1, MAX_PAGE_SIZE),
    default: String(DEFAULT_PAGE_SIZE),
    meaning: 'Rows on a page of a list when the caller does not say.',
  },
  {
    name: 'TRILHO_RATE_LIMIT',
    kind: wholeNumber(0, MAX_LIMIT),
    default: { sandbox: '0', live: '100' },
    meaning:
      'Requests a second of one API key (in a sandbox: of one address), counted by each node for itself; 0 for no limit.',
  },
  {
    name: 'TRILHO_ADDRESS_LIMIT',
    kind: wholeNumber(0, MAX_LIMIT),
    default: '50',
    mode: 'live',
    meaning:
      'Requests a second of one address that bring no good API key: public pages, unknown paths, failed authentication; 0 for no limit.',
  },
  {
    name: 'TRILHO_TRUST_PROXY',
    kind: addressRanges,
    meaning:
      'Reverse proxies whose X-Forwarded-For says where a request came from. Not set: the address of the connection counts.',
  },
  {
    name: 'TRILHO_MAX_IN_FLIGHT',
    kind: wholeNumber(0, MAX_LIMIT),
    default: { sandbox: '0', live: '1000' },
    meaning: 'Requests that each node answers at a time; 0 for no limit.',
  },
  {
    name: 'TRILHO_WEBHOOK_CONCURRENCY',
    kind: wholeNumber(1, MAX_WEBHOOK_CONCURRENCY),
    default: '100',
    meaning:
      'Events that one webhook is sent at the same time, each of another charge or order, by all nodes together. One that fails gets a single event at a time.',
  },
  {
    name: 'TRILHO_WEBHOOK_ALLOW',
    kind: allowedPlaces,
    meaning:
      'Private places that webhooks may reach, by plain http too: networks, addresses with or without a port, names with a port. Not set: public addresses by https only, and in a sandbox its own machine.',
  },
  {
    // Live has no default: an invented rate would move real money.
    name: 'TRILHO_RATE_USD',
    kind: decimalAboveZero('5.40'),
    default: { sandbox: '5.40' },
    meaning: 'Reais for one dollar. Live takes no charges in dollars without it.',
  },
  {
    name: 'TRILHO_RATE_EUR',
    kind: decimalAboveZero('6.25'),
    default: { sandbox: '6.25' },
    meaning: 'Reais for one euro. Live takes no charges in euros without it.',
  },
  {
    name: 'TRILHO_WALLET_WAIT',
    kind: durationUpToAYear,
    default: 'PT0S',
    meaning: 'How long after its creation a wallet may first be paid to.',
  },
  {
    name: 'TRILHO_WALLET_PROOF',
    kind: walletProof,
    default: 'off',
    inFile: 'wallets.proof',
    meaning:
      'What must be on record about the holder of a wallet before it is paid to: nothing, a declaration or a proof, or a proof by the key of the wallet.',
  },
  {
    name: 'TRILHO_WALLET_APPROVAL',
    kind: onOrOff,
    default: 'off',
    inFile: 'wallets.approval',
    meaning: 'Whether a wallet is paid to only after another API key than its maker’s, or an operator, approved it.',
  },
  {
    name: 'TRILHO_SCREENING_FILE',
    kind: filePath,
    inFile: 'wallets.screeningFile',
    meaning:
      'File with addresses that are not paid to, read again when it changes. A relative path starts at the working directory.',
  },
  {
    name: 'TRILHO_SCREENING_URL',
    kind: serviceUrl,
    group: 'screening service',
    inFile: 'wallets.screeningUrl',
    meaning: 'Address of a service that is asked about each new wallet and before each payout.',
  },
  {
    name: 'TRILHO_SCREENING_SECRET',
    kind: headerWord,
    isSecret: true,
    group: 'screening service',
    meaning: 'What the screening service is sent as Authorization: Bearer.',
  },
  ...RAIL_SETTINGS,
  ...SIGNER_SETTINGS,
  ...CHAIN_SETTINGS,
  {
    name: 'TRILHO_PAYOUTS',
    kind: payoutSettings,
    inFile: 'payouts',
    meaning:
      'How much crypto may leave: by payout, by day, and what a second key approves; what raises an alarm; what becomes of slots without a transfer; where sweeps go; which key signs receipts. Without it live has small limits, and a sandbox none.',
  },
  ...PRICE_SETTINGS,
  {
    name: 'TRILHO_FEE_PERCENT',
    kind: percentUpTo('50'),
    default: '0',
    meaning: 'Percent of what is paid for crypto that the service keeps.',
  },
  {
    name: 'TRILHO_BANK_WAIT_MS',
    kind: wholeNumber(0, 30_000),
    default: '3000',
    meaning:
      'Milliseconds that POST /charges waits for a code that only the bank can make; 0 for not at all. The code then comes with an event.',
  },
  {
    name: 'TRILHO_CUT_OFF',
    kind: timeOfDay('17:00'),
    default: '17:00',
    meaning: 'Time in São Paulo from which a payment counts for the next banking day.',
  },
  {
    name: 'TRILHO_SETTLES_AT',
    kind: timeOfDay('09:00'),
    default: '09:00',
    meaning: 'Time in São Paulo from which the orders of a settlement day are paid out.',
  },
  {
    name: 'TRILHO_SAME_DAY',
    kind: oneOf(['at_once', 'banking_days']),
    default: 'at_once',
    meaning:
      'When a D0 order is paid out: at_once at any hour of any day, banking_days on banking days by the cut-off.',
  },
  {
    name: 'TRILHO_BANKING_DAYS',
    kind: bankingDays,
    meaning: 'Days that differ from the Brazilian banking calendar.',
  },
] as const satisfies readonly Setting[];

type Row = (typeof SETTINGS)[number];

/** A setting with a default in both modes always has a value. */
type ValueOf<R> = R extends { readonly kind: Kind<infer T> }
  ? R extends { readonly default: string | Readonly<Record<Mode, string>> }
    ? T
    : T | undefined
  : never;

/** The value of every setting by its name. */
export type SettingValues = { readonly [R in Row as R['name']]: ValueOf<R> };
