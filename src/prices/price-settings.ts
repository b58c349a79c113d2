// The settings of prices: the table of a sandbox, the HTTP sources of live, and the limits for their prices.
import { Type } from 'typebox';
import { parseJsonPath } from '../lib/exact-json.ts';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf, kindOf, percentUpTo, wholeNumber } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

const SANDBOX_PRICES = 'usdt=5.41,usdc=5.40,trx=1.78,eth=18732.50';
const SYMBOLS = SANDBOX_PRICES.split(',').map(pair => pair.split('=')[0]);

/** Reais for one unit of each symbol, as decimal text. A missing symbol has no price. */
const priceTable = kindOf(`a list such as ${SANDBOX_PRICES}`, text => {
  const pairs = text.split(',').map(pair => pair.trim().split('='));
  const isGood = ([symbol, price = '', ...rest]: string[]) =>
    SYMBOLS.includes(symbol) && /^\d{1,12}(\.\d{1,18})?$/.test(price) && /[1-9]/.test(price) && rest.length === 0;
  const isOnce = new Set(pairs.map(([symbol]) => symbol)).size === pairs.length;
  const table: Readonly<Record<string, string>> | undefined =
    isOnce && pairs.every(isGood) ? Object.fromEntries(pairs) : undefined;
  return table;
});

const priceMaxAge = wholeNumber(1, 3_600);
const priceMaxSpread = percentUpTo('50');

const MAX_PRICE_SOURCES = 15;
const TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;
const PLACEHOLDER = /\{(?:symbol|SYMBOL|currency|CURRENCY)\}/g;

const checkedText = (holds: (text: string) => boolean, message: string) =>
  Type.String({ 'x-check': { holds: value => typeof value !== 'string' || holds(value), message } satisfies Check });

const PriceSource = Type.Object(
  {
    name: checkedText(isSourceName, 'must be 1 to 40 letters, digits, . _ or -'),
    url: checkedText(isSourceUrl, 'must be a URL with https (http only to this machine), without user and password'),
    price: checkedText(isPath, 'must be a path such as data.rates.0.amount'),
    time: Type.Optional(checkedText(isPath, 'must be a path such as data.time')),
    timeUnit: Type.Optional(Type.Enum([...TIME_UNITS], { type: 'string' })),
  },
  {
    additionalProperties: false,
    'x-check': {
      holds: hasPlaceholders,
      message: 'must have {symbol} and {currency}, in small or capital letters, in its url or price',
    } satisfies Check,
  },
);

const PriceSources = Type.Array(PriceSource, {
  minItems: 1,
  maxItems: MAX_PRICE_SOURCES,
  'x-check': { holds: hasDistinctNames, message: 'must name each source differently' } satisfies Check,
});

/** The sources as JSON text. */
const priceSources = jsonOf(PriceSources, `a JSON list of 1 to ${MAX_PRICE_SOURCES} objects { name, url, price }`);

function isSourceName(text: string): boolean {
  return /^[\w.-]{1,40}$/.test(text);
}

function isPath(text: string): boolean {
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

/** One URL for all assets or currencies would price one like another. */
function hasPlaceholders(source: unknown): boolean {
  const [url, price] = [textAt(source, 'url'), textAt(source, 'price')];
  // Fields that are absent or not text have their own faults.
  if (url === undefined || price === undefined) return true;
  const both = `${url} ${price}`;
  return /\{(symbol|SYMBOL)\}/.test(both) && /\{(currency|CURRENCY)\}/.test(both);
}

function hasDistinctNames(sources: unknown): boolean {
  const names = Array.isArray(sources) ? sources.flatMap(source => textAt(source, 'name') ?? []) : [];
  return new Set(names).size === names.length;
}

function textAt(value: unknown, field: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, field);
  return typeof found === 'string' ? found : undefined;
}

export const PRICE_SETTINGS = [
  {
    name: 'TRILHO_PRICES',
    kind: priceTable,
    default: { sandbox: SANDBOX_PRICES },
    mode: 'sandbox',
    // Fixed prices would move real money.
    refusal: 'live does not use fixed prices; set TRILHO_PRICE_SOURCES',
    meaning: 'Reais for one unit of each symbol; a symbol that is left out has no price.',
  },
  {
    name: 'TRILHO_PRICE_SOURCES',
    kind: priceSources,
    mode: 'live',
    refusal: 'a sandbox does not use price sources; set TRILHO_PRICES',
    // A URL may contain a key.
    isSecret: true,
    inFile: 'prices.sources',
    meaning: 'HTTP sources of prices. Live gives no quotes without one.',
  },
  {
    name: 'TRILHO_PRICE_MAX_AGE',
    kind: priceMaxAge,
    default: '60',
    mode: 'live',
    inFile: 'prices.maxAgeSeconds',
    meaning: 'Seconds after which the price of a source is too old.',
  },
  {
    name: 'TRILHO_PRICE_MAX_SPREAD',
    kind: priceMaxSpread,
    default: '1',
    mode: 'live',
    inFile: 'prices.maxSpreadPercent',
    meaning: 'Percent by which the price of a source may differ from the median of all.',
  },
] as const satisfies readonly Setting[];

/** A sandbox has a table, live has sources. */
export type PriceSettings = Readonly<ReturnType<typeof priceSettingsOf>>;

export function priceSettingsOf(values: ValuesOf<typeof PRICE_SETTINGS>) {
  return {
    table: values.TRILHO_PRICES ?? {},
    sources: values.TRILHO_PRICE_SOURCES ?? [],
    maxAgeSeconds: values.TRILHO_PRICE_MAX_AGE,
    maxSpreadPercent: values.TRILHO_PRICE_MAX_SPREAD,
  };
}
