// The environment, read once into one frozen Config. Every fault is named at once.
import path from 'node:path';
import { isValidPixKey } from '@brazilian-utils/brazilian-utils';
import { addDuration, type Duration, parseDuration } from './lib/date-times.ts';
import { StartError } from './lib/errors.ts';
import { LOG_LEVELS, type LogLevel } from './lib/log.ts';
import { MODES, type Mode } from './lib/mode.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './lib/paging.ts';

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
  /** Reais for one unit of another currency, as decimal text; a sandbox has one for each. */
  readonly rates: { readonly USD?: string; readonly EUR?: string };
  /** How long after its creation a wallet may first be paid to. */
  readonly walletWait: Duration;
  /** The static pix key that live charges are paid to. */
  readonly pixKey?: PixKey;
};

export type PixKey = { readonly key: string; readonly receiverName: string; readonly receiverCity: string };

type Environment = Readonly<Record<string, string | undefined>>;

const PIX = ['TRILHO_PIX_KEY', 'TRILHO_PIX_NAME', 'TRILHO_PIX_CITY'];
const OURS = [
  'TRILHO_MODE',
  'TRILHO_DATA_DIR',
  'TRILHO_DEMO',
  'TRILHO_PAGE_SIZE',
  'TRILHO_RATE_USD',
  'TRILHO_RATE_EUR',
  'TRILHO_WALLET_WAIT',
  ...PIX,
];

const LONGEST_WAIT_MS = 366 * 24 * 60 * 60 * 1000;

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
    rates: { ...(USD !== undefined && { USD }), ...(EUR !== undefined && { EUR }) },
    walletWait: duration('TRILHO_WALLET_WAIT', { months: 0, ms: 0 }),
    ...(pixKey && { pixKey }),
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
