// Prices: the sandbox's table, and live's HTTP sources, which are real servers on this machine.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../../src/config/config.ts';
import { plainDecimal } from '../../src/lib/decimals.ts';
import { parseExactJson, parseJsonPath, valueAt } from '../../src/lib/exact-json.ts';
import { httpPrices } from '../../src/prices/http.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

const SECRET = 'not-for-the-log';
const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let service: Service;
let silent: Service;
let handlers: Record<Name, Handler>;
let asked: string[] = [];
const { log, lines } = recordingLog();
const server = createServer((request, response) => {
  // An abandoned request may arrive while another test counts.
  if (request.url?.startsWith('/mute/')) return;
  if (request.url?.startsWith('/endless/')) return void response.writeHead(200).write('{"data":[');
  asked.push(request.url ?? '');
  const name = NAMES.find(known => request.url?.startsWith(`/${known}/`));
  if (name) handlers[name](request, response);
  else response.writeHead(404).end();
});

/** Answers with this JSON text. */
const say =
  (text: string): Handler =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
/** A source's answer, of this many seconds ago. */
const priced =
  (price: string, ageSeconds = 0): Handler =>
  (request, response) => {
    const at = new Date(service.clock.now().getTime() - ageSeconds * 1000).toISOString();
    say(`{"data":[{"price":${price}}],"time":"${at}"}`)(request, response);
  };
const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const sourceOf = (name: string) => ({
  name,
  url: `${urlOf()}/${name}/{symbol}-{CURRENCY}?key=${SECRET}`,
  price: 'data[0].price',
  time: 'time',
});

before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const env = { TRILHO_PRICE_SOURCES: JSON.stringify(NAMES.map(sourceOf)) };
  service = await startService({ mode: 'live', rails: sandboxRails, env, log });
  silent = await startService({ mode: 'live', rails: sandboxRails });
});
after(async () => {
  await service.stop();
  await silent.stop();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  handlers = { a: priced('5.40'), b: priced('5.41'), c: priced('5.42') };
  asked = [];
  lines.length = 0;
  // Prices cached by the test before do not apply to this one.
  service.clock.advanceMs(10_000);
});

const quote = () =>
  service.post('/crypto/quotes', { symbol: 'usdt', network: 'tron', currency: 'BRL', cost: '1000000000.00' });

async function priceNow(): Promise<string> {
  const made = await quote();
  assert.equal(made.status, 201, made.text);
  return made.json.exact.price;
}

async function assertRefused(reason: RegExp) {
  const refused = await quote();
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.json.code, 'price_unavailable');
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.match(lines.join(''), reason);
}

test('the price is the median of the sources, stored with the answer of each', async () => {
  const made = await quote();
  assert.equal(made.status, 201, made.text);
  const { exact, source, inputs, priceAt } = made.json;
  const at = service.clock.now().toISOString();
  assert.equal(exact.price, '5.41');
  assert.equal(source, 'median');
  assert.equal(priceAt, at);
  assert.deepEqual(inputs, [
    { source: 'a', value: '5.4', at },
    { source: 'b', value: '5.41', at },
    { source: 'c', value: '5.42', at },
  ]);
  assert.deepEqual((await service.get(made.headers.get('location')!)).json, made.json);
  assert.deepEqual(asked.toSorted(), NAMES.map(name => `/${name}/usdt-BRL?key=${SECRET}`).toSorted());
});

test('a number of twenty digits is read digit for digit, as a number and as text, with its exponent written out', async () => {
  handlers.a = priced('5.4100000000000000001');
  handlers.b = priced('"5.4100000000000000002"');
  handlers.c = priced('54100000000000000003e-19');
  const made = await quote();
  assert.match(made.text, /"price":5\.4100000000000000002,/);
  assert.deepEqual(
    made.json.inputs.map((input: { value: string }) => input.value),
    ['5.4100000000000000001', '5.4100000000000000002', '5.4100000000000000003'],
  );
});

test('of two in the middle the higher one counts', async () => {
  handlers.b = (_request, response) => response.writeHead(500).end();
  assert.equal(await priceNow(), '5.42');
});

test('a source that is too old is stored but does not count', async () => {
  handlers.c = priced('9.99', 61);
  const made = await quote();
  assert.equal(made.json.exact.price, '5.41');
  assert.equal(made.json.inputs[2].leftOut, 'too_old');
  assert.equal(made.json.inputs[2].value, '9.99');
});

test('a source may be as old as the limit, and the price is as old as it', async () => {
  handlers.c = priced('5.42', 60);
  const made = await quote();
  assert.equal(made.json.exact.price, '5.41');
  assert.equal(Date.parse(made.json.createdAt) - Date.parse(made.json.priceAt), 60_000);
});

test('a source from the future does not count, a clock that is a little ahead does', async () => {
  handlers.a = priced('5.40', -60);
  handlers.c = priced('9.99', -61);
  const made = await quote();
  assert.equal(made.json.exact.price, '5.41');
  assert.equal(made.json.inputs[0].leftOut, undefined);
  assert.equal(made.json.inputs[2].leftOut, 'in_the_future');
});

test('without a majority of fresh sources there is no price', async () => {
  handlers.a = priced('5.41', 61);
  handlers.b = priced('5.41', 3_600);
  await assertRefused(/too few fresh prices/);
});

test('half of the sources is not a majority', async () => {
  handlers.a = say('{}');
  const sources = [sourceOf('a'), sourceOf('b')];
  const prices = httpPrices({ log }, { sources, maxAgeSeconds: 60, maxSpreadPercent: '1' });
  await assert.rejects(prices.price('usdt', 'BRL', service.clock.now()), { code: 'price_unavailable' });
});

test('a source that lies more than one percent from the median stops everything', async () => {
  handlers.c = priced('5.4641');
  assert.equal(await priceNow(), '5.41', 'one percent is not more than one percent');
  service.clock.advanceMs(2_000);
  handlers.c = priced('5.4641000000000000001');
  await assertRefused(/prices too far apart/);
  service.clock.advanceMs(2_000);
  handlers.c = priced('5.42');
  handlers.a = priced('5.3558999999999999999');
  await assertRefused(/prices too far apart/);
});

const failures: [string, () => Handler, RegExp][] = [
  ['a redirect', () => (_r, response) => response.writeHead(302, { location: `${urlOf()}/b/x` }).end(), /status 302/],
  ['a status other than 200', () => (_r, response) => response.writeHead(201).end('{}'), /status 201/],
  ['an answer above 64 kB', () => say(`{"data":[{"price":5.41}],"pad":"${'x'.repeat(65_536)}"}`), /too large/],
  ['what is not JSON', () => say('<html>5.41</html>'), /not JSON/],
  ['nesting without end', () => say('['.repeat(30_000) + ']'.repeat(30_000)), /unreachable|no price/],
  ['nothing at the path', () => say('{"data":[],"time":"2026-11-16T12:00:00Z"}'), /no price at its path/],
  ['a price that is no number', () => priced('"5,41"'), /no price at its path/],
  ['a price of zero', () => priced('0.00'), /no price at its path/],
  ['a price below zero', () => priced('-5.41'), /no price at its path/],
  ['a price that is an object', () => priced('{"price":5.41}'), /no price at its path/],
  ['no time at the path', () => say('{"data":[{"price":5.41}]}'), /no time at its path/],
  ['a connection that breaks', () => request => request.socket.destroy(), /unreachable/],
];
for (const [what, handler, reason] of failures) {
  test(`${what} counts as silence, and the log says why without the address`, async () => {
    handlers.a = handler();
    assert.equal(await priceNow(), '5.42');
    assert.equal(asked.length, 3, 'no redirect is followed and no source asked twice');
    assert.match(lines.join(''), reason);
    assert.match(lines.join(''), /"priceSource":"a"/);
    assert.doesNotMatch(lines.join(''), new RegExp(SECRET));
    handlers.b = handler();
    service.clock.advanceMs(2_000);
    await assertRefused(/too few fresh prices/);
  });
}

test('a source that never answers, or never ends, times out', async () => {
  for (const name of ['mute', 'endless']) {
    lines.length = 0;
    const options = { sources: [sourceOf(name)], maxAgeSeconds: 60, maxSpreadPercent: '1', timeoutMs: 50 };
    const prices = httpPrices({ log }, options);
    await assert.rejects(prices.price('usdt', 'BRL', service.clock.now()), { code: 'price_unavailable' });
    assert.match(lines.join(''), /no answer in time/);
  }
});

test('concurrent requests share one read of the sources, which is cached for two seconds', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, quote));
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
  assert.equal(asked.length, 3);
  service.clock.advanceMs(1_999);
  assert.equal(await priceNow(), '5.41');
  assert.equal(asked.length, 3);
  handlers = { a: priced('6'), b: priced('6'), c: priced('6') };
  service.clock.advanceMs(1);
  assert.equal(await priceNow(), '6');
  assert.equal(asked.length, 6);
});

test('a cached price still gets too old', async () => {
  handlers = { a: priced('5.41', 60), b: priced('5.41', 60), c: priced('5.41', 0) };
  assert.equal(await priceNow(), '5.41');
  service.clock.advanceMs(1);
  await assertRefused(/too few fresh prices/);
  assert.equal(asked.length, 3);
});

test('each pair has its own price', async () => {
  handlers.a = (request, response) => priced(request.url?.includes('usdt-BRL') ? '5.41' : '1.01')(request, response);
  handlers.b = handlers.a;
  handlers.c = handlers.a;
  assert.equal(await priceNow(), '5.41');
  const other = { symbol: 'usdt', network: 'tron', currency: 'USD', cost: 10 };
  assert.equal((await service.post('/crypto/quotes', other)).json.exact.price, '1.01');
});

test('a time may be ISO 8601, a count of seconds or milliseconds, or in the unit of its source', async () => {
  const source = { ...sourceOf('a'), time: 'at' };
  const now = new Date('2026-11-16T12:00:00.000Z');
  const cases: [string, string, ('s' | 'ms' | 'us' | 'ns')?][] = [
    ['"2026-11-16T11:59:59.5Z"', '2026-11-16T11:59:59.500Z'],
    ['"2026-11-16T08:59:59-03:00"', '2026-11-16T11:59:59.000Z'],
    ['1794830399', '2026-11-16T11:59:59.000Z'],
    ['1794830399.1239', '2026-11-16T11:59:59.123Z'],
    ['"1794830399"', '2026-11-16T11:59:59.000Z'],
    ['1794830399123', '2026-11-16T11:59:59.123Z'],
    ['1.794830399123e12', '2026-11-16T11:59:59.123Z'],
    ['1794830399123456', '2026-11-16T11:59:59.123Z', 'us'],
    ['1794830399123456789', '2026-11-16T11:59:59.123Z', 'ns'],
  ];
  for (const [written, at, timeUnit] of cases) {
    handlers.a = say(`{"data":[{"price":5.41}],"at":${written}}`);
    const sources = [{ ...source, ...(timeUnit && { timeUnit }) }];
    const prices = httpPrices({ log: silentLog }, { sources, maxAgeSeconds: 60, maxSpreadPercent: '1' });
    assert.equal((await prices.price('usdt', 'BRL', now)).at.toISOString(), at, written);
  }
});

test('a source without a time counts from the request', async () => {
  const { time: _time, ...source } = sourceOf('a');
  const now = new Date('2030-01-01T00:00:00.000Z');
  const prices = httpPrices({ log }, { sources: [source], maxAgeSeconds: 1, maxSpreadPercent: '0' });
  assert.deepEqual((await prices.price('usdt', 'BRL', now)).at, now);
});

test('live without sources has no prices', async () => {
  const refused = await silent.post('/crypto/quotes', { symbol: 'eth', network: 'base', currency: 'EUR', cost: 1 });
  assert.equal(refused.status, 503);
  assert.equal(refused.json.code, 'not_configured');
  assert.match(refused.json.detail, /TRILHO_PRICE_SOURCES/);
  assert.deepEqual(await silent.sql('select id from quotes'), []);
});

test('a table divides by the rate and rounds up, in three currencies', async () => {
  const table = tablePrices({ reais: { usdt: '5.41', eth: '18732.50' }, rates: { USD: '5.40', EUR: '6.25' } });
  const now = new Date('2026-11-16T12:00:00.000Z');
  const at = now.toISOString();
  assert.deepEqual(await table.price('eth', 'BRL', now), {
    value: '18732.5',
    source: 'table',
    at: now,
    inputs: [{ source: 'table', value: '18732.50', at }],
  });
  // 5.41 / 5.40 is 1.00185185185…
  assert.deepEqual(await table.price('usdt', 'USD', now), {
    value: '1.00185186',
    source: 'table',
    at: now,
    inputs: [
      { source: 'table', value: '5.41', at },
      { source: 'rate USD', value: '5.40', at },
    ],
  });
  assert.equal((await table.price('usdt', 'EUR', now)).value, '0.8656');
  await assert.rejects(table.price('trx', 'BRL', now), { code: 'price_unavailable' });
  await assert.rejects(table.price('toString', 'BRL', now), { code: 'price_unavailable' });
});

const faultsOf = (environment: Record<string, string>) => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

test('a table is only for a sandbox and sources are only for live', () => {
  const sources = JSON.stringify([{ name: 'x', url: 'https://x.example/{SYMBOL}{CURRENCY}', price: 'p' }]);
  assert.match(faultsOf({ TRILHO_MODE: 'live', TRILHO_PRICES: 'usdt=5' })[0]!, /^TRILHO_PRICES: live does not use/);
  assert.match(faultsOf({ TRILHO_PRICE_SOURCES: sources })[0]!, /^TRILHO_PRICE_SOURCES: a sandbox/);
  assert.deepEqual(readConfig({ TRILHO_MODE: 'live' }).prices.table, {});
  assert.equal(readConfig({ TRILHO_MODE: 'live', TRILHO_PRICE_SOURCES: sources }).prices.sources.length, 1);
  assert.deepEqual(readConfig({ TRILHO_PRICES: 'usdt=5.5' }).prices.table, { usdt: '5.5' });
});

test('a wrong table, limit or fee is named', () => {
  for (const wrong of ['usdt', 'usdt=', 'usdt=0', 'usdt=-1', 'usdt=1e3', 'btc=1', 'usdt=1,usdt=2', 'usdt=1=2', ',']) {
    assert.match(faultsOf({ TRILHO_PRICES: wrong })[0] ?? '', /^TRILHO_PRICES must be/, wrong);
  }
  for (const name of ['TRILHO_PRICE_MAX_SPREAD', 'TRILHO_FEE_PERCENT']) {
    for (const wrong of ['-1', '50.0001', '1.00001', '1,5', 'x', '1e1', '100']) {
      assert.match(faultsOf({ [name]: wrong })[0] ?? '', new RegExp(`^${name} must be a percent`), wrong);
    }
    assert.deepEqual(faultsOf({ [name]: '50' }), []);
  }
  assert.match(faultsOf({ TRILHO_PRICE_MAX_AGE: '0' })[0]!, /^TRILHO_PRICE_MAX_AGE/);
});

test('a wrong source is named by its place and never repeated', () => {
  const good = { name: 'x', url: `https://x.example/{SYMBOL}{CURRENCY}?key=${SECRET}`, price: 'data.0.p' };
  const live = (...sources: unknown[]) =>
    faultsOf({ TRILHO_MODE: 'live', TRILHO_PRICE_SOURCES: JSON.stringify(sources) }).filter(fault => fault !== '');
  assert.deepEqual(live(good), []);
  assert.deepEqual(live({ ...good, url: 'http://localhost:1/{symbol}/{currency}' }), []);
  assert.deepEqual(live({ ...good, url: 'https://x.example/all', price: '{symbol}.{currency}' }), []);
  const isUrl = /^TRILHO_PRICE_SOURCES\[1\]\.url must be a URL with https/;
  const hasPlaceholders = /^TRILHO_PRICE_SOURCES\[1\] must have \{symbol\} and \{currency\}/;
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ name: 'a b' }, /^TRILHO_PRICE_SOURCES\[1\]\.name must be 1 to 40 letters/],
    [{ name: undefined }, /^TRILHO_PRICE_SOURCES\[1\]\.name is required/],
    [{ url: 'http://x.example/{symbol}{currency}' }, isUrl],
    [{ url: 'http://127.0.0.1.x.example/{symbol}{currency}' }, isUrl],
    [{ url: `https://user:${SECRET}@x.example/{symbol}{currency}` }, isUrl],
    [{ url: 'ftp://x.example/{symbol}{currency}' }, isUrl],
    [{ url: 'https://x.example/{symbol}{currency}{pair}' }, isUrl],
    [{ url: 'https://x.example/usdt/{currency}' }, hasPlaceholders],
    [{ url: 'https://x.example/{symbol}' }, hasPlaceholders],
    [{ price: 'data..p' }, /^TRILHO_PRICE_SOURCES\[1\]\.price must be a path/],
    [{ price: 5 }, /^TRILHO_PRICE_SOURCES\[1\]\.price must be text/],
    [{ time: '[x]' }, /^TRILHO_PRICE_SOURCES\[1\]\.time must be a path/],
    [{ timeUnit: 'minutes' }, /^TRILHO_PRICE_SOURCES\[1\]\.timeUnit must be one of s, ms, us, ns/],
    [{ extra: SECRET }, /^TRILHO_PRICE_SOURCES\[1\]\.extra is not a known field/],
  ];
  for (const [change, fault] of wrong) {
    const faults = live(good, { ...good, name: 'y', ...change });
    assert.equal(faults.length, 1, faults.join());
    assert.match(faults[0]!, fault);
    assert.doesNotMatch(faults[0]!, new RegExp(SECRET));
  }
  assert.deepEqual(live(good, good), ['TRILHO_PRICE_SOURCES must name each source differently.']);
  assert.deepEqual(live(), ['TRILHO_PRICE_SOURCES must not be empty.']);
  assert.deepEqual(live(null), ['TRILHO_PRICE_SOURCES[0] must be an object.']);
});

test("a path finds only the value's own properties", () => {
  const json = parseExactJson('{"a":[{"b":1.10}],"":2,"__proto__":{"c":"3"}}');
  const at = (path: string) => valueAt(json, parseJsonPath(path)!);
  assert.equal(at('a[0].b'), '1.10');
  assert.equal(at('a.0.b'), '1.10');
  assert.equal(at('__proto__.c'), '3');
  for (const path of ['a.1', 'a.length.x', 'toString', 'a.0.b.length', 'constructor.name']) {
    assert.equal(at(path), undefined, path);
  }
  for (const path of ['', '.', 'a.', '.a', 'a[', 'a[x]', 'a]', '[0]'])
    assert.equal(parseJsonPath(path), undefined, path);
});

test('a number is written out exactly, with any exponent', () => {
  const digits = fc.stringMatching(/^[0-9]{1,20}$/);
  fc.assert(
    fc.property(digits, digits, fc.integer({ min: -20, max: 20 }), (whole, fraction, exponent) => {
      const plain = plainDecimal(`${whole}.${fraction}e${exponent}`);
      const [w = '', f = ''] = plain!.split('.');
      const scale = 60n;
      const given = (BigInt(whole + fraction) * 10n ** (scale + BigInt(exponent))) / 10n ** BigInt(fraction.length);
      assert.equal((BigInt(w + f) * 10n ** scale) / 10n ** BigInt(f.length), given);
      assert.doesNotMatch(plain!, /^0\d|\.\d*0$|\.$/);
    }),
    { numRuns: 300 },
  );
  for (const text of ['', '-1', '+1', '.5', '1.', '0x1', '1e', '1e61', '1e-61', 'NaN', ' 1']) {
    assert.equal(plainDecimal(text), undefined, text);
  }
});
