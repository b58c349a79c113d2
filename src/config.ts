// The environment, read once into one frozen Config. Every fault is named at once.
import path from 'node:path';
import { isValidPixKey } from '@brazilian-utils/brazilian-utils';
import { addDuration, type Duration, parseDuration, parseUtc } from './lib/date-times.ts';
import { StartError } from './lib/errors.ts';
import { parseJsonPath } from './lib/exact-json.ts';
import { LOG_LEVELS, type LogLevel } from './lib/log.ts';
import { MODES, type Mode } from './lib/mode.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './lib/paging.ts';
import { comparePercents, plainPercent } from './lib/percents.ts';

export type Config = {
  readonly host: string;
  readonly port: number;
  /** Absent: the embedded database. */
  readonly databaseUrl?: string;
  readonly logLevel: LogLevel;
  readonly mode: Mode;
  readonly dataDir: string;
  readonly demo: boolean;
  readonly pageSize: number;
  /** Requests a second of one caller, and requests at once; 0 for no limit. */
  readonly rateLimit: number;
  readonly maxInFlight: number;
  /** Reais for one unit of another currency, as decimal text; a sandbox has one for each. */
  readonly rates: { readonly USD?: string; readonly EUR?: string };
  /** How long after its creation a wallet may first be paid to. */
  readonly walletWait: Duration;
  readonly settlement: SettlementSettings;
  /** The static pix key that live charges are paid to. */
  readonly pixKey?: PixKey;
  readonly prices: PriceSettings;
  /** Percent of what is paid for crypto that the service keeps, as decimal text. */
  readonly feePercent: string;
};

/** Hours of the day in São Paulo, D0 day and night or not, and days that an operator declared open or closed. */
export type SettlementSettings = {
  readonly cutOffHour: number;
  readonly opensAtHour: number;
  readonly d0: (typeof D0_RULES)[number];
  readonly bankingDays: ReadonlyMap<string, boolean>;
};

/** A sandbox has a table, live has sources. */
export type PriceSettings = {
  /** Reais for one unit of each symbol, as decimal text. */
  readonly table: Readonly<Record<string, string>>;
  readonly sources: readonly PriceSourceSettings[];
  readonly maxAgeSeconds: number;
  readonly maxSpreadPercent: string;
};

export type PriceSourceSettings = {
  readonly name: string;
  readonly url: string;
  readonly price: string;
  readonly time?: string;
  readonly timeUnit?: (typeof TIME_UNITS)[number];
};

export type PixKey = { readonly key: string; readonly receiverName: string; readonly receiverCity: string };

type Environment = Readonly<Record<string, string | undefined>>;

const PIX = ['TRILHO_PIX_KEY', 'TRILHO_PIX_NAME', 'TRILHO_PIX_CITY'];
const OURS = [
  'TRILHO_MODE',
  'TRILHO_DATA_DIR',
  'TRILHO_DEMO',
  'TRILHO_PAGE_SIZE',
  'TRILHO_RATE_LIMIT',
  'TRILHO_MAX_IN_FLIGHT',
  'TRILHO_RATE_USD',
  'TRILHO_RATE_EUR',
  'TRILHO_WALLET_WAIT',
  'TRILHO_PRICES',
  'TRILHO_PRICE_SOURCES',
  'TRILHO_PRICE_MAX_AGE',
  'TRILHO_PRICE_MAX_SPREAD',
  'TRILHO_FEE_PERCENT',
  'TRILHO_CUT_OFF',
  'TRILHO_SETTLES_AT',
  'TRILHO_SAME_DAY',
  'TRILHO_BANKING_DAYS',
  ...PIX,
];

const D0_RULES = ['at_once', 'banking_days'] as const;
const SANDBOX_PRICES = 'usdt=5.41,usdc=5.40,trx=1.78,eth=18732.50';
const TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;
const MAX_PRICE_SOURCES = 15;
const LONGEST_WAIT_MS = 366 * 24 * 60 * 60 * 1000;
const LIVE_RATE_LIMIT = 100;
const LIVE_MAX_IN_FLIGHT = 1_000;
const MAX_LIMIT = 1_000_000;

/** Throws a StartError that lists every variable with a wrong value. A variable set to nothing counts as not set. */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const value = (name: string) => environment[name] || undefined;

  function whole(name: string, fallback: number, least: number, most: number): number {
    const text = value(name);
    if (text === undefined) return fallback;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    faults.push(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
    return fallback;
  }

  function oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = value(name);
    if (text === undefined) return fallback;
    const found = allowed.find(word => word === text);
    if (found === undefined) faults.push(`${name} must be one of ${allowed.join(', ')}, not "${text}".`);
    return found ?? fallback;
  }

  /** All three or none. A sandbox refuses a real key: what it shows must not be payable. */
  function readPixKey(): PixKey | undefined {
    const given = PIX.filter(name => value(name) !== undefined);
    if (given.length === 0) return undefined;
    if (mode === 'sandbox') {
      faults.push(`${given.join(', ')}: a sandbox takes no real pix key.`);
      return undefined;
    }
    for (const name of PIX) if (!given.includes(name)) faults.push(`${name} is needed beside ${given.join(' and ')}.`);
    const [key = '', receiverName = '', receiverCity = ''] = PIX.map(value);
    // The key may be a person's document, so it is not repeated.
    if (key !== '' && !isValidPixKey(key)) faults.push('TRILHO_PIX_KEY is not a pix key.');
    for (const name of ['TRILHO_PIX_NAME', 'TRILHO_PIX_CITY']) {
      if (given.includes(name) && !isPrintable(value(name)!))
        faults.push(`${name} has no letter that a BR Code can hold.`);
    }
    return { key, receiverName, receiverCity };
  }

  const databaseUrl = value('DATABASE_URL');
  if (databaseUrl !== undefined && !isPostgresUrl(databaseUrl)) {
    // It may hold a password, so it is not repeated.
    faults.push('DATABASE_URL must be a URL such as postgres://user:password@host:5432/database.');
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith('TRILHO_') && !OURS.includes(name)) faults.push(`${name} is not a variable of Trilho.`);
  }

  /** A decimal above zero. In live there is none unless it is given: an invented rate would move real money. */
  function rate(name: string, sandboxRate: string): string | undefined {
    const text = value(name);
    if (text === undefined) return mode === 'sandbox' ? sandboxRate : undefined;
    if (/^\d{1,6}(\.\d{1,8})?$/.test(text) && Number(text) > 0) return text;
    faults.push(`${name} must be a decimal above 0 such as ${sandboxRate}, not "${text}".`);
    return undefined;
  }

  function duration(name: string, fallback: Duration): Duration {
    const text = value(name);
    if (text === undefined) return fallback;
    const given = parseDuration(text);
    const end = given && addDuration(new Date(0), given);
    if (given && end && end.getTime() <= LONGEST_WAIT_MS) return given;
    faults.push(`${name} must be a length of time such as PT24H, at most a year, not "${text}".`);
    return fallback;
  }

  /** A time of day such as 17:30, as hours. */
  function hour(name: string, fallback: string): number {
    const text = value(name) ?? fallback;
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
    if (hours === undefined) faults.push(`${name} must be a time of day such as ${fallback}, not "${text}".`);
    return Number(hours ?? 0) + Number(minutes ?? 0) / 60;
  }

  function bankingDays(): ReadonlyMap<string, boolean> {
    const text = value('TRILHO_BANKING_DAYS') ?? '';
    const days = new Map<string, boolean>();
    for (const word of text.split(',').filter(Boolean)) {
      const [, day, standing] = /^(\d{4}-\d{2}-\d{2})=(open|closed)$/.exec(word.trim()) ?? [];
      if (day !== undefined && parseUtc(`${day}T00:00Z`) && !days.has(day)) days.set(day, standing === 'open');
      else
        faults.push(
          `TRILHO_BANKING_DAYS must be a list such as 2026-12-24=closed,2026-12-26=open, each day once, not "${word}".`,
        );
    }
    return days;
  }

  function percent(name: string, fallback: string, most: string): string {
    const text = value(name) ?? fallback;
    if (/^\d{1,3}(\.\d{1,4})?$/.test(text) && comparePercents(text, most) <= 0) return plainPercent(text);
    faults.push(`${name} must be a percent from 0 to ${most} with at most 4 decimals, not "${text}".`);
    return fallback;
  }

  /** Live takes no table: an invented price would move real money. */
  function priceTable(): Record<string, string> {
    const text = value('TRILHO_PRICES');
    if (mode === 'live') {
      if (text !== undefined) faults.push('TRILHO_PRICES: live takes no invented prices; set TRILHO_PRICE_SOURCES.');
      return {};
    }
    const table = readPriceTable(text ?? SANDBOX_PRICES);
    if (!table) faults.push(`TRILHO_PRICES must be a list such as ${SANDBOX_PRICES}, not "${text}".`);
    return table ?? {};
  }

  /** A sandbox takes no sources: its prices are its own. */
  function priceSources(): readonly PriceSourceSettings[] {
    const text = value('TRILHO_PRICE_SOURCES');
    if (text === undefined) return [];
    if (mode === 'live') return readPriceSources(text, faults);
    faults.push('TRILHO_PRICE_SOURCES: a sandbox asks nobody for a price; set TRILHO_PRICES.');
    return [];
  }

  const mode = oneOf('TRILHO_MODE', MODES, 'sandbox');
  const pixKey = readPixKey();
  const USD = rate('TRILHO_RATE_USD', '5.40');
  const EUR = rate('TRILHO_RATE_EUR', '6.25');

  const config: Config = Object.freeze({
    host: value('HOST') ?? '127.0.0.1',
    port: whole('PORT', 3000, 0, 65_535),
    ...(databaseUrl !== undefined && { databaseUrl }),
    logLevel: oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    mode,
    dataDir: path.resolve(value('TRILHO_DATA_DIR') ?? './data'),
    demo: oneOf('TRILHO_DEMO', ['on', 'off'], 'on') === 'on',
    pageSize: whole('TRILHO_PAGE_SIZE', DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
    rateLimit: whole('TRILHO_RATE_LIMIT', mode === 'live' ? LIVE_RATE_LIMIT : 0, 0, MAX_LIMIT),
    maxInFlight: whole('TRILHO_MAX_IN_FLIGHT', mode === 'live' ? LIVE_MAX_IN_FLIGHT : 0, 0, MAX_LIMIT),
    rates: { ...(USD !== undefined && { USD }), ...(EUR !== undefined && { EUR }) },
    walletWait: duration('TRILHO_WALLET_WAIT', { months: 0, ms: 0 }),
    ...(pixKey && { pixKey }),
    prices: {
      table: priceTable(),
      sources: priceSources(),
      maxAgeSeconds: whole('TRILHO_PRICE_MAX_AGE', 60, 1, 3_600),
      maxSpreadPercent: percent('TRILHO_PRICE_MAX_SPREAD', '1', '50'),
    },
    feePercent: percent('TRILHO_FEE_PERCENT', '0', '50'),
    settlement: {
      cutOffHour: hour('TRILHO_CUT_OFF', '17:00'),
      opensAtHour: hour('TRILHO_SETTLES_AT', '09:00'),
      d0: oneOf('TRILHO_SAME_DAY', D0_RULES, 'at_once'),
      bankingDays: bankingDays(),
    },
  });
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return config;
}

/** A BR Code holds ASCII; accents are dropped, other scripts have nothing to stay. */
function isPrintable(text: string): boolean {
  return /[A-Za-z0-9]/.test(text.normalize('NFD'));
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

/** The table of a list such as `usdt=5.41,eth=18732.50`; undefined when it is none. A symbol may be left out. */
function readPriceTable(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map(pair => pair.trim().split('='));
  const known = SANDBOX_PRICES.split(',').map(pair => pair.split('=')[0]);
  const isGood = ([symbol, price = '', ...rest]: string[]) =>
    known.includes(symbol) && /^\d{1,12}(\.\d{1,18})?$/.test(price) && /[1-9]/.test(price) && rest.length === 0;
  const isOnce = new Set(pairs.map(([symbol]) => symbol)).size === pairs.length;
  return isOnce && pairs.every(isGood) ? Object.fromEntries(pairs) : undefined;
}

/** An address may hold a key, so none is repeated in a fault. */
function readPriceSources(text: string, faults: string[]): readonly PriceSourceSettings[] {
  const list = parseJson(text);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PRICE_SOURCES) {
    faults.push(`TRILHO_PRICE_SOURCES must be a JSON list of 1 to ${MAX_PRICE_SOURCES} objects { name, url, price }.`);
    return [];
  }
  for (const [index, source] of list.entries()) {
    for (const fault of priceSourceFaults(source)) faults.push(`TRILHO_PRICE_SOURCES: source ${index + 1} ${fault}.`);
  }
  if (new Set(list.map(source => source?.name)).size < list.length)
    faults.push('TRILHO_PRICE_SOURCES must name each source differently.');
  return list;
}

function priceSourceFaults(source: unknown): string[] {
  if (typeof source !== 'object' || source === null) return ['must be an object'];
  const { name, url, price, time, timeUnit, ...others } = source as Record<string, unknown>;
  const faults: string[] = [];
  if (Object.keys(others).length > 0) faults.push('has a field other than name, url, price, time and timeUnit');
  if (typeof name !== 'string' || !/^[\w.-]{1,40}$/.test(name))
    faults.push('needs a name of letters, digits, . _ and -');
  if (typeof url !== 'string' || !isSourceUrl(url))
    faults.push('needs a url with https (http only to this machine), without user and password');
  if (!isPath(price)) faults.push('needs a price: a path such as data.rates.0.amount');
  if (time !== undefined && !isPath(time)) faults.push('has a time that is no path such as data.time');
  if (timeUnit !== undefined && !TIME_UNITS.some(unit => unit === timeUnit))
    faults.push(`has a timeUnit that is not one of ${TIME_UNITS.join(', ')}`);
  // One address for all assets or currencies would sell one at the price of another.
  for (const [what, pattern] of [
    ['{symbol}', /\{(symbol|SYMBOL)\}/],
    ['{currency}', /\{(currency|CURRENCY)\}/],
  ] as const) {
    if (!pattern.test(`${url} ${price}`)) faults.push(`needs ${what} in its url or price`);
  }
  return faults;
}

const PLACEHOLDER = /\{(?:symbol|SYMBOL|currency|CURRENCY)\}/g;

function isPath(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  const filled = text.replace(PLACEHOLDER, 'x');
  return !/[{}]/.test(filled) && parseJsonPath(filled) !== undefined;
}

function isSourceUrl(text: string): boolean {
  const filled = text.replace(PLACEHOLDER, 'x');
  if (/[{}]/.test(filled) || !URL.canParse(filled)) return false;
  const { protocol, hostname, username, password } = new URL(filled);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
