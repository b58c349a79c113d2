// The file of TRILHO_CONFIG: its settings, and faults with their paths.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';

const LIVE = { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' };
const SOURCE = { name: 'a', url: 'https://a.example/{SYMBOL}{CURRENCY}?key=hunter2', price: 'data.p' };

const pricesFrom = (content: unknown) => readConfig(LIVE, readFrom({ 'trilho.json': JSON.stringify(content) })).prices;
const faultsIn = (content: unknown, environment = {}) =>
  faultsOf({ ...LIVE, ...environment }, { 'trilho.json': JSON.stringify(content) });

test('prices come from the file, and omitted ones keep their defaults', () => {
  const sources = [SOURCE, { ...SOURCE, name: 'b', time: 'data.t', timeUnit: 'us' }];
  assert.deepEqual(pricesFrom({ prices: { sources, maxAgeSeconds: 30, maxSpreadPercent: 0.5 } }), {
    table: {},
    sources,
    maxAgeSeconds: 30,
    maxSpreadPercent: '0.5',
  });
  assert.equal(pricesFrom({ prices: { maxSpreadPercent: '2.50' } }).maxSpreadPercent, '2.5');
  const absent = readConfig({ TRILHO_MODE: 'live' }).prices;
  for (const content of [{}, { prices: {} }]) assert.deepEqual(pricesFrom(content), absent);
});

test('the file of the documentation can be read', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const example = /^```json\n(.*?)^```$/ms.exec(page)?.[1];
  assert.ok(example, 'the page shows a file');
  const { sources, maxAgeSeconds, maxSpreadPercent } = pricesFrom(JSON.parse(example));
  assert.deepEqual([sources.length, maxAgeSeconds, maxSpreadPercent], [2, 30, '0.5']);
  const fault = faultsIn({ prices: { sources: [SOURCE, { ...SOURCE, name: 'b', url: 'x{symbol}{currency}' }] } });
  assert.ok(page.includes(`\n${fault.join()}\n`), 'the page shows a fault as it is printed');
});

test('an unknown field is a fault with its path', () => {
  const sources = [SOURCE, { ...SOURCE, name: 'b', apiKey: 'hunter2' }];
  assert.deepEqual(faultsIn({ prices: { sources, maxAge: 30 }, banks: {}, constructor: 1 }), [
    'TRILHO_CONFIG: banks is not a known field.',
    'TRILHO_CONFIG: constructor is not a known field.',
    'TRILHO_CONFIG: prices.maxAge is not a known field.',
    'TRILHO_CONFIG: prices.sources[1].apiKey is not a known field.',
  ]);
  assert.deepEqual(faultsOf(LIVE, { 'trilho.json': '{"__proto__": {}}' }), [
    'TRILHO_CONFIG: __proto__ is not a known field.',
  ]);
});

test('all faults are reported at once with their paths and without values', () => {
  const sources = [
    { name: 'hunter 2', url: 'http://a.example/{symbol}{currency}?key=hunter2', price: 'a..b', time: '[hunter2]' },
    { name: 5, url: 'https://u:hunter2@a.example/{symbol}{currency}', price: 'p', timeUnit: 'hunter2' },
    { url: 'https://a.example/usdt/hunter2', price: 'p' },
    'hunter2',
  ];
  const faults = faultsIn({ prices: { sources, maxAgeSeconds: 'hunter2', maxSpreadPercent: 1e-7 } }, { PORT: 'x' });
  const url = 'must be a URL with https (http only to this machine), without user and password.';
  assert.deepEqual(faults.toSorted(), [
    'PORT must be a whole number from 0 to 65535, not "x".',
    'TRILHO_CONFIG: prices.maxAgeSeconds must be a whole number from 1 to 3600.',
    'TRILHO_CONFIG: prices.maxSpreadPercent must be a percent from 0 to 50 with at most 4 decimals.',
    'TRILHO_CONFIG: prices.sources[0].name must be 1 to 40 letters, digits, . _ or -.',
    'TRILHO_CONFIG: prices.sources[0].price must be a path such as data.rates.0.amount.',
    'TRILHO_CONFIG: prices.sources[0].time must be a path such as data.time.',
    `TRILHO_CONFIG: prices.sources[0].url ${url}`,
    'TRILHO_CONFIG: prices.sources[1].name must be text.',
    'TRILHO_CONFIG: prices.sources[1].timeUnit must be one of s, ms, us, ns.',
    `TRILHO_CONFIG: prices.sources[1].url ${url}`,
    'TRILHO_CONFIG: prices.sources[2] must have {symbol} and {currency}, in small or capital letters, in its url or price.',
    'TRILHO_CONFIG: prices.sources[2].name is required.',
    'TRILHO_CONFIG: prices.sources[3] must be an object.',
  ]);
});

test('limits of numbers and lists apply in the file too', () => {
  const wrong: [unknown, string][] = [
    [[], 'the file must be an object'],
    [{ prices: [] }, 'prices must be an object'],
    [{ prices: { sources: {} } }, 'prices.sources must be a list'],
    [{ prices: { sources: [] } }, 'prices.sources must not be empty'],
    [
      { prices: { sources: Array.from({ length: 16 }, (_, at) => ({ ...SOURCE, name: `n${at}` })) } },
      'prices.sources must have at most 15 entries',
    ],
    [{ prices: { sources: [SOURCE, SOURCE] } }, 'prices.sources must name each source differently'],
    ...[0, 3601, 1.5, null, true, [60]].map((maxAgeSeconds): [unknown, string] => [
      { prices: { maxAgeSeconds } },
      'prices.maxAgeSeconds must be a whole number from 1 to 3600',
    ]),
    ...[-1, 50.1, '1,5', ''].map((maxSpreadPercent): [unknown, string] => [
      { prices: { maxSpreadPercent } },
      'prices.maxSpreadPercent must be a percent from 0 to 50 with at most 4 decimals',
    ]),
  ];
  for (const [content, fault] of wrong) assert.deepEqual(faultsIn(content), [`TRILHO_CONFIG: ${fault}.`]);
});

test('a setting in the file and in its variable is a fault', () => {
  const prices = { sources: [SOURCE], maxAgeSeconds: 30, maxSpreadPercent: 1 };
  const variables = {
    TRILHO_PRICE_SOURCES: JSON.stringify([SOURCE]),
    TRILHO_PRICE_MAX_AGE: '30',
    TRILHO_PRICE_MAX_SPREAD: '1',
  };
  assert.deepEqual(faultsIn({ prices }, variables), [
    'TRILHO_PRICE_SOURCES is also given as TRILHO_CONFIG: prices.sources; keep one.',
    'TRILHO_PRICE_MAX_AGE is also given as TRILHO_CONFIG: prices.maxAgeSeconds; keep one.',
    'TRILHO_PRICE_MAX_SPREAD is also given as TRILHO_CONFIG: prices.maxSpreadPercent; keep one.',
  ]);
});

test('a sandbox refuses price sources from the file too', () => {
  assert.deepEqual(faultsIn({ prices: { sources: [SOURCE] } }, { TRILHO_MODE: 'sandbox' }), [
    'TRILHO_CONFIG: prices.sources: a sandbox does not use price sources; set TRILHO_PRICES.',
  ]);
  assert.deepEqual(faultsIn({ prices: { maxAgeSeconds: 30 } }, { TRILHO_MODE: 'sandbox' }), []);
});

test('a file that is missing or not JSON is a fault without its contents', () => {
  assert.deepEqual(faultsOf(LIVE), ['TRILHO_CONFIG: the file cannot be read (ENOENT).']);
  for (const content of ['', '{"prices": hunter2}', 'hunter2']) {
    assert.deepEqual(faultsOf(LIVE, { 'trilho.json': content }), ['TRILHO_CONFIG: the file is not JSON.']);
  }
});

test('settings of wallets may be in the file; a fault there has its path', () => {
  const wallets = {
    proof: 'declared',
    approval: 'on',
    screeningFile: '/etc/blocked.csv',
    screeningUrl: 'https://screen.example/ask',
  };
  const files = { 'trilho.json': JSON.stringify({ wallets }) };
  const { walletPolicy, screening } = readConfig({ ...LIVE, TRILHO_SCREENING_SECRET: 'hunter2' }, readFrom(files));
  assert.deepEqual(walletPolicy, { proof: 'declared', approval: true });
  assert.deepEqual(screening, { file: wallets.screeningFile, hook: { url: wallets.screeningUrl, secret: 'hunter2' } });
  assert.deepEqual(faultsIn({ wallets: { proof: 'some', screeningSecret: 'hunter2' } }), [
    'TRILHO_CONFIG: wallets.screeningSecret is not a known field.',
    'TRILHO_CONFIG: wallets.proof must be one of off, declared, proven.',
  ]);
  assert.deepEqual(faultsIn({ wallets: { screeningUrl: wallets.screeningUrl } }), [
    'TRILHO_SCREENING_SECRET is needed together with TRILHO_SCREENING_URL.',
  ]);
});
