// Random requests, each with the statuses that the contract allows for it. Good values are mixed with everything that a
// confused or hostile client might send.
import { SYMBOLS } from '../../src/chains/asset.ts';
import { STATUSES } from '../../src/orders/order.ts';
import { type Random, randomOf } from './random.ts';

export type Case = {
  readonly kind: 'list' | 'charge';
  readonly method: string;
  /** The path as it is sent. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: Buffer;
  /** The statuses that the contract allows. */
  readonly expected: readonly number[];
  /** When a single field is wrong: where the answer must report an error. */
  readonly fault?: string;
  /** What an answer of 2xx is compared with. */
  readonly page?: number;
  readonly pageSize?: number;
  readonly methods?: readonly string[];
};

const DEFAULT_PAGE_SIZE = 20;

// ---- lists

const ENCODED_GOOD: Record<string, readonly string[]> = {
  symbol: [...SYMBOLS, 'us%64t', '%75%73%64%63'],
  status: [...STATUSES, 'fulfille%64', 'pending%5Fpayment'],
};

const BAD_ENUM_VALUES = [
  '',
  'USDT',
  'Fulfilled',
  'btc',
  'usdt%20',
  '+usdt',
  'usdt%00',
  'usdt,usdc',
  '*',
  'null',
  'undefined',
  '%F0%9F%92%B8',
  '%27%20or%201%3D1--',
  '%22%7D',
  '%ED%A0%80',
  '%C3',
  '%FF%FE',
  '%',
  '%zz',
  '%2',
  '1',
  '-1',
  '1e9',
  'x'.repeat(3000),
  '%E2%80%AEtdsu',
];

const BAD_PAGES = [
  '0',
  '-1',
  '-0',
  '1.5',
  '1.0',
  'abc',
  '',
  '01',
  '1e2',
  '1E400',
  '+1',
  '%2B1',
  '0x1',
  '0b1',
  '1_0',
  '1,2',
  '1%20',
  '%201',
  '1%0A',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551616',
  '9'.repeat(400),
  '-'.concat('9'.repeat(30)),
  'NaN',
  'Infinity',
  'null',
  'true',
  '%D9%A1',
  '%EF%BC%91',
  '%00',
  '%',
];

const BAD_MOMENTS = [
  '',
  '2023-02-29T10:30Z',
  '1900-02-29T00:00Z',
  '2100-02-29T00:00Z',
  '2024-02-30T00:00Z',
  '2024-04-31T00:00Z',
  '2024-00-10T00:00Z',
  '2024-13-10T00:00Z',
  '2024-01-00T00:00Z',
  '2024-01-01',
  '2024-01-01T24:00Z',
  '2024-01-01T23:60Z',
  '2024-01-01T23:59:60Z',
  '2024-01-01T10:30z',
  '2024-01-01t10:30Z',
  '2024-01-01T10:30',
  '2024-01-01T10Z',
  '2024-01-01T10:30+00:00',
  '2024-01-01T10:30%2B00:00',
  '2024-01-01T10:30-03:00',
  '2024-01-01%2010:30Z',
  '2024-01-01+10:30Z',
  '%202024-01-01T10:30Z',
  '2024-01-01T10:30Z%20',
  '2024-01-01T10:30Z%0A',
  '2024-01-01T10:30:00.Z',
  '2024-01-01T10:30:00,5Z',
  '2024-01-01T10:30.5Z',
  '2024-2-29T10:30Z',
  '12024-01-01T10:30Z',
  '%2B012024-01-01T10:30Z',
  '-000001-01-01T10:30Z',
  '20240101T1030Z',
  '2024-W01-1T10:30Z',
  '2024-060T10:30Z',
  '1704103800000',
  'now',
  '%D9%A2024-01-01T10:30Z',
  '2024-01-01T10:30%00Z',
  `2024-01-01T10:30:00.${'1'.repeat(5000)}Z`,
];

const UNKNOWN_PARAMETERS = [
  'limit=10',
  'Symbol=usdt',
  'SYMBOL=usdt',
  'symbol[]=usdt',
  'symbol[eq]=usdt',
  'page%5B%5D=1',
  'page_size=5',
  '__proto__=1',
  '__proto__[page]=1',
  'constructor=1',
  'hasOwnProperty=1',
  'toString',
  'x',
  '%00=1',
  '%F0%9F%9A%80=1',
  `${'n'.repeat(2000)}=1`,
  `${'%F0%9F%9A%80'.repeat(60)}=1`,
  `x${'%F0%9F%9A%80'.repeat(60)}=1`,
  'from%20=2024-01-01T00:00Z',
  'symbol%00=usdt',
];

/** Paths and methods near the operation, with their statuses. */
const ODD_METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY'];
const ODD_LIST_PATHS = [
  ['/crypto/transactions/', 404],
  ['/crypto//transactions', 404],
  ['/crypto/Transactions', 404],
  ['/crypto/transactions/1', 404],
  ['/crypto/%74ransactions', 200],
  ['/crypto/transactions%', 400],
  ['/crypto/%ff', 400],
  ['/crypto/transactions;symbol=usdt', 404],
  ['/crypto/transactions%3Fpage=1', 404],
  ['/../crypto/transactions', 404],
] as const;

export function listCase(random: Random): Case {
  if (random.chance(0.04)) {
    const method = random.pick(ODD_METHODS);
    const body = random.chance(0.5) && method !== 'TRACE' ? { body: Buffer.from('{"page":1}') } : {};
    const headers: Record<string, string> = body.body && random.chance(0.5) ? { 'content-type': 'text/csv' } : {};
    // A QUERY must name its content type (RFC 10008), so the framework refuses one without it first.
    const expected = method === 'QUERY' ? [400, 405] : [405];
    return { kind: 'list', method, path: '/crypto/transactions?page=1', headers, ...body, expected };
  }
  if (random.chance(0.03)) {
    const [path, status] = random.pick(ODD_LIST_PATHS);
    return { kind: 'list', method: 'GET', path, headers: {}, expected: [status] };
  }
  const parts: string[] = [];
  let fault: string | undefined;
  let wrong = 0;
  const spoil = random.chance(0.5) ? 1 + random.below(2) : 0;
  const spoilt = new Set(
    Array.from({ length: spoil }, () =>
      random.pick(['symbol', 'status', 'from', 'to', 'page', 'pageSize', 'unknown', 'twice']),
    ),
  );
  const bad = (name: string, text: string) => {
    wrong += 1;
    fault = name;
    parts.push(`${name}=${text}`);
  };
  for (const name of ['symbol', 'status'] as const) {
    if (spoilt.has(name)) bad(name, random.pick(BAD_ENUM_VALUES));
    else if (random.chance(0.4)) parts.push(`${name}=${random.pick(ENCODED_GOOD[name]!)}`);
  }
  const years = [randomYear(random), randomYear(random)].sort((a, b) => a - b);
  for (const [index, name] of (['from', 'to'] as const).entries()) {
    if (spoilt.has(name)) bad(name, random.pick(BAD_MOMENTS));
    else if (random.chance(0.35)) {
      // A year apart, so that no offset can change the order of the two.
      parts.push(`${name}=${randomUtc(random, Math.min(9999, years[index]! + index))}`);
    }
  }
  let page = 1;
  let pageSize = DEFAULT_PAGE_SIZE;
  if (spoilt.has('page')) bad('page', random.pick(BAD_PAGES));
  else if (random.chance(0.5)) {
    page = random.pick([1, 2, 3, 1 + random.below(30), 1_000_000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]);
    parts.push(`page=${random.chance(0.1) ? percentEncoded(String(page)) : page}`);
  }
  if (spoilt.has('pageSize')) bad('pageSize', random.pick([...BAD_PAGES, '101', '1000']));
  else if (random.chance(0.5)) {
    pageSize = random.pick([1, 2, 7, 20, 99, 100, 1 + random.below(100)]);
    parts.push(`pageSize=${pageSize}`);
  }
  if (spoilt.has('unknown')) {
    wrong += 1;
    const parameter = random.pick(UNKNOWN_PARAMETERS);
    // The error names an encoded parameter decoded, so it is not compared.
    fault = /[%[]|n{100}/.test(parameter) ? undefined : parameter.split('=')[0];
    parts.push(parameter);
  }
  if (spoilt.has('twice') && parts.length > 0) {
    const repeated = random.pick(parts);
    wrong += 1;
    fault = undefined;
    parts.push(repeated);
  }
  const shuffled = random.chance(0.5) ? parts.reverse() : parts;
  const separator = random.chance(0.05) ? '&&' : '&';
  const query = shuffled.length > 0 || random.chance(0.2) ? `?${shuffled.join(separator)}` : '';
  return {
    kind: 'list',
    method: random.chance(0.03) ? 'HEAD' : 'GET',
    path: `/crypto/transactions${query}`,
    headers: random.chance(0.05) ? { 'content-type': 'text/plain', accept: 'text/html' } : {},
    expected: [wrong === 0 ? 200 : 400],
    page,
    pageSize,
    // A value that is not encoded as a URL is refused before any parameter is looked at.
    ...(wrong === 1 && fault !== undefined && isEncoded(query) && { fault }),
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function percentEncoded(text: string): string {
  return [...text].map(character => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}

// ---- moments

function randomYear(random: Random): number {
  return random.pick([0, 1, 1900, 2000, 2024, 2025, 2026, 2026, 2026, 2100, 9998, random.below(9999)]);
}

const two = (number: number) => String(number).padStart(2, '0');

function randomDay(random: Random, year: number): string {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const month = random.below(12);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]!;
  const day = random.chance(0.2) ? days : 1 + random.below(days);
  return `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}`;
}

function randomTime(random: Random): string {
  const hour = random.pick([0, 23, random.below(24)]);
  const minute = random.pick([0, 59, random.below(60)]);
  const time = `${two(hour)}:${two(minute)}`;
  if (random.chance(0.3)) return time;
  const seconds = `${time}:${two(random.pick([0, 59, random.below(60)]))}`;
  if (random.chance(0.5)) return seconds;
  const digits = random.pick([1, 2, 3, 4, 6, 9, 12, 30]);
  return `${seconds}.${Array.from({ length: digits }, () => random.below(10)).join('')}`;
}

function randomUtc(random: Random, year: number): string {
  return `${randomDay(random, year)}T${randomTime(random)}Z`;
}

function randomRfc3339(random: Random, year: number): string {
  const offset = random.pick([
    'Z',
    'z',
    '+00:00',
    '-00:00',
    '-03:00',
    '+05:30',
    '+23:59',
    '-23:59',
    `-${two(random.below(24))}:${two(random.below(60))}`,
  ]);
  return `${randomDay(random, year)}${random.chance(0.05) ? 't' : 'T'}${randomTime(random)}${offset}`;
}

// ---- charges

type Fields = Record<string, unknown>;

/** A number exactly as written; JavaScript would write it in another form. */
const raw = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

const LONE = ['\ud800', 'a\udfffb', '\ude00\ud83d'];
const LONG = ['x'.repeat(256), '🚀'.repeat(256), 'x'.repeat(10_000), 'é'.repeat(256)];
const NOT_TEXT = [null, true, false, 0, 1.5, [], ['a'], {}, { toString: 'x' }, raw('1e400')];
const UNSTORABLE = ['\u0000', 'a\u0000b', ...LONE];
const GOOD_TEXTS = [
  'a',
  'Maria da Silva',
  'x'.repeat(255),
  '🚀'.repeat(255),
  'O’Brien & Söhne <b>"\'\\',
  '\u202eabc',
  'e\u0301',
  '\uffff',
  "'; drop table charges; --",
  '%s %n <%= x %>',
  '\n\ttabs',
  '\u001f\u007f',
];
/** They look like another text, or like no text. */
const NO_ACCOUNT_IDS = ['\u202eabc', 'e\u0301', '\n\ttabs', '\u001f\u007f'];
const GOOD_ACCOUNT_IDS = GOOD_TEXTS.filter(text => !NO_ACCOUNT_IDS.includes(text));
const BAD_TEXTS = [...NOT_TEXT, '', ' ', '\t\n', '\u00a0', ...UNSTORABLE, ...LONG];
const BAD_BODY_MOMENTS = [
  ...NOT_TEXT,
  ...UNSTORABLE,
  '',
  '2026-12-10',
  '2026-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2026-12-10T24:00:00Z',
  '2026-12-10T10:60:00Z',
  '2026-12-10T10:00:61Z',
  '2026-12-10T10:00:00',
  '2026-12-10T10:00:00+24:00',
  '2026-12-10T10:00:00+03:60',
  '2026-12-10T10:00:00+0300',
  '2026-12-10T10:00:00-3',
  '2026-12-10T10:00:00Z ',
  '2026-13-10T10:00:00Z',
  '2026-12-32T10:00:00Z',
  '12026-12-10T10:00:00Z',
  'tomorrow',
  1_796_900_000_000,
  `2026-12-10T10:00:00.${'0'.repeat(9_000)}Z`,
];

const BAD_VALUES: Record<string, readonly unknown[]> = {
  accountId: [...BAD_TEXTS, ...NO_ACCOUNT_IDS],
  externalId: BAD_TEXTS,
  sourceKey: BAD_TEXTS,
  description: BAD_TEXTS,
  metadata: [null, true, 1, 'x', [], ['x'], [{}]],
  amountCents: [
    ...[null, true, [], {}, [100], '100', '', '1e3', 0, -1, 10.5, 0.1, 1e-300, -1e308],
    ...[raw('-0'), raw('1e400'), raw('-1e400'), raw('0.99999999999999'), raw('0e10')],
  ],
  currency: [null, 1, '', 'brl', 'GBP', 'BRL ', ['BRL'], {}, 'BRL\u0000', '\ud800'],
  methods: [
    ...[null, 'pix', {}, { 0: 'pix' }, [], ['card'], ['PIX'], ['pix', 'card'], ['pix', null], [['pix']], [1], ['']],
    Array.from({ length: 3000 }, () => 7),
  ],
  customer: [null, 'Maria', 1, [], [{}], {}, { name: 'a' }, { document: '52998224725' }],
  taxes: [
    ...[null, 'x', 1, [], { fine: -1 }, { fine: '2' }, { interest: null }, { interest: raw('1e400') }],
    ...[{ fine: 1_000_001 }, { fine: [] }, { interest: -1e-300 }, { fine: 1, late: 2 }],
  ],
  dueAt: BAD_BODY_MOMENTS,
  expireAt: [...BAD_BODY_MOMENTS, '0000-01-01T00:00:00Z'],
};

const BAD_IN_CUSTOMER: Record<string, readonly unknown[]> = {
  name: BAD_TEXTS,
  document: [
    ...BAD_TEXTS,
    ...['123', '529.982.247-2', '529982247255', '52998224725x', '١٢٣٤٥٦٧٨٩٠١', '🚀'.repeat(11), '0'.repeat(33)],
    // Letters that only become ASCII when they are made upper case.
    ...['ßßßßßß12', 'ıııııııııııı12', 'ﬁﬁﬁﬁﬁﬁ12'],
  ],
  type: [null, 1, '', 'person', 'INDIVIDUAL', [], {}],
  address: [null, 'Rua', 1, [], { street: 1 }, { street: null }, { street: 'x'.repeat(256) }, { city: '\u0000' }],
};

const UNKNOWN_FIELDS = [
  ...[
    'amount',
    'AmountCents',
    'amount_cents',
    'id',
    'status',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    '',
    ' ',
    '0',
    'a.b',
    'a/b~c',
    '\u0000',
    '\ud800',
    '🚀',
    `x${'🚀'.repeat(80)}`,
    'n'.repeat(3000),
    '$ref',
    '$where',
  ],
];

const DOCUMENTS = [
  '52998224725',
  '529.982.247-25',
  ' 529 982 247 25 ',
  '00000000000',
  '11.222.333/0001-81',
  '12ABC34501DE35',
  '12.abc.345/01de-35',
];

const SLOTS = 30;
const ACCOUNTS = ['acme', 'globex', 'Ação 🚀'];

export function chargeCase(random: Random, seed: number): Case {
  // A third of the good ones draw from few contents, ids and keys, so that repeats and conflicts happen.
  if (random.chance(0.2)) return pooledCase(random, seed);
  const { body, mayBeRefused } = goodCharge(random);
  const headers: Record<string, string> = { 'content-type': randomContentType(random) };
  if (random.chance(0.2)) headers['idempotency-key'] = `key-${random.below(2 ** 31)}-${random.below(2 ** 31)}`;
  const good = { kind: 'charge', method: 'POST', path: '/charges', headers, methods: methodsOf(body) } as const;
  const wire = (value: unknown) => Buffer.from(JSON.stringify(value));
  const kind = random.below(100);
  if (kind < 40) return { ...good, body: wire(shuffled(random, body)), expected: mayBeRefused ? [201, 422] : [201] };
  if (kind < 75) return { ...good, ...spoiltBody(random, body), expected: [400] };
  if (kind < 80) {
    const key = random.pick(['', 'x'.repeat(256), 'é', '\u00ff', 'a\tb', '\u00a0']);
    // HTTP strips blanks at both ends of a header.
    return {
      ...good,
      headers: { ...headers, 'idempotency-key': key },
      body: wire(body),
      expected: [400],
      fault: 'Idempotency-Key',
    };
  }
  if (kind < 97) return brokenWire(random, good, body, wire(body));
  return { kind: 'charge', ...oddAddress(random), headers, body: wire(body) };
}

function oddAddress(random: Random): Pick<Case, 'method' | 'path' | 'expected'> {
  if (random.chance(0.6)) {
    const method = random.pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']);
    return { method, path: '/charges', expected: [405] };
  }
  const [path, status] = random.pick([
    ['/charges/', 404],
    ['/Charges', 404],
    ['/charges/x', 405],
    ['/charge', 404],
    ['/charges/%', 400],
    ['/%00', 404],
  ] as const);
  return { method: 'POST', path, expected: [status] };
}

function randomContentType(random: Random): string {
  return random.chance(0.8)
    ? 'application/json'
    : random.pick(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON']);
}

function goodCharge(random: Random): { body: Fields; mayBeRefused: boolean } {
  const isSmall = random.chance(0.8);
  const amountCents = isSmall
    ? random.pick([1, 2, 100, 15_990, raw('1e2'), raw('15990.0'), raw('1E+3'), 1 + random.below(100_000_000)])
    : random.pick([
        ...[9_999_999_999, 10_000_000_000, 999_999_999_999, 1e12, Number.MAX_SAFE_INTEGER, 1e20, 1e308],
        ...[raw('9223372036854775807'), raw('18446744073709551616'), raw(`1${'0'.repeat(300)}`)],
      ]);
  const isNear = random.chance(0.7);
  const dueYear = isNear ? 2001 + random.below(47) : random.pick([1, 999, 1999, 2050, 9998, 1 + random.below(9997)]);
  const methods = random.pick([['pix'], ['boleto'], ['boleto', 'pix'], ['pix', 'boleto'], ['pix', 'pix']]);
  const body: Fields = {
    accountId: random.chance(0.9) ? random.pick(ACCOUNTS) : random.pick(GOOD_ACCOUNT_IDS),
    amountCents,
    currency: random.pick(['BRL', 'BRL', 'USD', 'EUR']),
    methods,
    customer: goodCustomer(random),
    dueAt: randomRfc3339(random, dueYear),
  };
  if (random.chance(0.3)) body['externalId'] = `fuzz-${random.below(2 ** 31)}-${random.below(2 ** 31)}`;
  if (random.chance(0.3)) body['sourceKey'] = random.pick(GOOD_TEXTS);
  if (random.chance(0.2)) body['description'] = 'Pedido 1042';
  if (random.chance(0.2)) body['metadata'] = { store: '', número: 'x'.repeat(500) };
  // Always a year later, whatever the offsets are.
  if (random.chance(0.3)) body['expireAt'] = randomRfc3339(random, dueYear + 1 + (dueYear < 9998 ? 1 : 0));
  if (random.chance(0.4)) {
    const percents = [0, 1, 2, 0.033, raw('1e-7'), raw('1e-30'), raw('-0'), 5e-324, 1_000_000, 0.1 + 0.2, 99.99];
    body['taxes'] = Object.fromEntries(random.some(['fine', 'interest']).map(name => [name, random.pick(percents)]));
  }
  return { body, mayBeRefused: !isSmall || !isNear };
}

function goodCustomer(random: Random): Fields {
  const customer: Fields = { name: random.pick(GOOD_TEXTS), document: random.pick(DOCUMENTS) };
  if (random.chance(0.4)) customer['type'] = random.pick(['individual', 'company', 'business', 'corporation']);
  if (random.chance(0.4)) {
    const names = ['street', 'number', 'postalCode', 'city', 'countryCode', 'complement', 'neighborhood', 'state'];
    customer['address'] = Object.fromEntries(random.some(names).map(name => [name, random.pick(['', ...GOOD_TEXTS])]));
  }
  return customer;
}

function methodsOf(body: Fields): string[] {
  return [...new Set(body['methods'] as string[])].sort();
}

function shuffled(random: Random, body: Fields): Fields {
  return random.chance(0.5) ? Object.fromEntries(Object.entries(body).reverse()) : body;
}

function pooledCase(random: Random, seed: number): Case {
  const slot = random.below(SLOTS);
  const variant = random.chance(0.75) ? 0 : 1;
  const { body } = goodCharge(randomOf(seed ^ 0x5bd1e995, slot * 2 + variant));
  body['amountCents'] = 1000 + slot * 2 + variant;
  body['methods'] = ['pix'];
  body['accountId'] = ACCOUNTS[slot % 2];
  delete body['externalId'];
  const by = random.pick(['externalId', 'key', 'both']);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (by !== 'key') body['externalId'] = `slot-${slot}`;
  if (by !== 'externalId') headers['idempotency-key'] = `slot ${slot}`;
  return {
    kind: 'charge',
    method: 'POST',
    path: '/charges',
    headers,
    body: Buffer.from(JSON.stringify(shuffled(random, body))),
    expected: [201, 409, 422],
    methods: ['pix'],
  };
}

function spoiltBody(random: Random, good: Fields): Pick<Case, 'body' | 'fault'> {
  const body = { ...good, customer: { ...(good['customer'] as Fields) } } as Fields & { customer: Fields };
  const text = () => Buffer.from(JSON.stringify(shuffled(random, body)));
  switch (random.below(5)) {
    case 0: {
      const name = random.pick(['accountId', 'amountCents', 'currency', 'methods', 'customer', 'dueAt']);
      delete body[name];
      return { body: text(), fault: name };
    }
    case 1: {
      const name = random.pick(Object.keys(BAD_IN_CUSTOMER));
      body.customer[name] = random.pick(BAD_IN_CUSTOMER[name]!);
      return { body: text(), fault: `customer.${name}` };
    }
    case 2: {
      const name = random.pick(UNKNOWN_FIELDS);
      const address: Fields = { city: 'São Paulo' };
      const target = random.pick([body, body.customer, address]);
      if (target === address) body.customer['address'] = address;
      Object.defineProperty(target, name, { value: random.pick([1, null, {}, 'x', []]), enumerable: true });
      return { body: text() };
    }
    case 3: {
      for (const name of random.some(Object.keys(BAD_VALUES))) body[name] = random.pick(BAD_VALUES[name]!);
      body['amountCents'] = 0;
      return { body: text(), fault: 'amountCents' };
    }
    default: {
      const name = random.pick(Object.keys(BAD_VALUES));
      body[name] = random.pick(BAD_VALUES[name]!);
      return { body: text(), fault: name };
    }
  }
}

const BODY_LIMIT_BYTES = 64 * 1024;

/** The fields are good; how they are sent is wrong. */
function brokenWire(random: Random, good: Omit<Case, 'expected'>, body: Fields, bytes: Buffer): Case {
  const { 'content-type': _, ...otherHeaders } = good.headers;
  const text = bytes.toString();
  const as = (content: Buffer | string, expected: readonly number[], headers = good.headers): Case => ({
    ...good,
    headers,
    body: typeof content === 'string' ? Buffer.from(content) : content,
    expected,
  });
  switch (random.below(12)) {
    case 0:
      return as(bytes.subarray(0, random.below(bytes.length - 1)), [400]);
    case 1: {
      const at = 1 + random.below(bytes.length - 1);
      const noise = random.pick([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0x80]]);
      return as(Buffer.concat([bytes.subarray(0, at), Buffer.from(noise), bytes.subarray(at)]), [400]);
    }
    case 2: {
      const types = [
        'text/plain',
        'text/json',
        'application/xml',
        'application/jsonp',
        'application/x-www-form-urlencoded',
      ];
      const more = [
        'multipart/form-data; boundary=x',
        'application/json; charset=latin1',
        '*/*',
        'json',
        ';',
        'application/',
      ];
      return as(bytes, [415], { ...otherHeaders, 'content-type': random.pick([...types, ...more]) });
    }
    case 3:
      return as(bytes, [415], otherHeaders);
    case 4:
      return as(bytes, [415], {
        ...good.headers,
        'content-encoding': random.pick(['gzip', 'br', 'x', 'gzip, identity']),
      });
    case 5: {
      const roots = ['null', 'true', '1', '"x"', '[]', `[${text}]`, '{}', '[[]]', '1e400', JSON.stringify(text), '""'];
      return as(random.pick(roots), [400]);
    }
    case 6: {
      const depth = random.pick([100, 5_000, 30_000]);
      const deep = random.pick([
        '['.repeat(depth) + ']'.repeat(depth),
        `{"customer":${'['.repeat(depth)}${']'.repeat(depth)}}`,
        `${'{"a":'.repeat(Math.floor(depth / 4))}1${'}'.repeat(Math.floor(depth / 4))}`,
        '['.repeat(depth),
      ]);
      return as(deep, [400]);
    }
    case 7: {
      const spoilt = random.pick([
        `${text}${text}`,
        `${text},`,
        text.replace('{', '{,'),
        text.replaceAll('"', "'"),
        text.replace('}', ',}'),
        `// x\n${text}`,
        text.replace(':', '='),
        text.replace('{', '{"x":NaN,'),
        text.replace('{', '{"x":01,'),
        text.replace('{', '{"x":"\n",'),
        text.replace('{', '{"x":"\\x",'),
        ' ',
        '\u0000',
      ]);
      return as(spoilt, [400]);
    }
    case 8:
      return { ...as(text.replace('{', '{"amountCents":0,"currency":null,'), [400]), fault: 'amountCents' };
    case 9: {
      const size = random.pick([BODY_LIMIT_BYTES + 1, BODY_LIMIT_BYTES + 2, 70_000]);
      return as(text + ' '.repeat(size - bytes.length), [413]);
    }
    case 10:
      return as(text + ' '.repeat(BODY_LIMIT_BYTES - bytes.length), [201, 422]);
    default:
      // An escape may stand for any letter, in names too.
      return as(escaped(JSON.stringify(body)), [201, 422]);
  }
}

/** The same JSON with its ASCII letters inside quotes written as escapes. */
function escaped(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, quoted =>
    quoted.replace(/\\u[0-9a-f]{4}|\\.|[a-z]/g, found =>
      found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}
