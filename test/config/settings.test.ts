// Settings from the environment: what each kind accepts and refuses; faults are reported together and without secrets.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import type { Setting } from '../../src/lib/settings/setting.ts';
import { faultsOf } from '../harness/config-faults.ts';

const settings: readonly Setting[] = SETTINGS;
const daysOf = (days: number) => ({ months: 0, ms: days * 86_400_000 });
const PIX = { TRILHO_PIX_KEY: 'a@example.com', TRILHO_PIX_NAME: 'José Ltda', TRILHO_PIX_CITY: 'São Paulo' };
const SIGNERS = '[{ "name": "hot", "kind": "keystore", "file": "hot.json", "passwordFile": "password" }]';
const PAYOUTS = JSON.stringify({ limits: [{ symbol: 'usdt', perDay: '5000' }] });
const CHAINS = JSON.stringify([
  { network: 'base', providers: [{ name: 'a', url: 'https://a.example' }], senders: [{ signer: 'hot' }] },
]);
const SCREENING = { TRILHO_SCREENING_URL: 'https://screen.example/ask', TRILHO_SCREENING_SECRET: 'hunter2' };
const MAIL = {
  TRILHO_SMTP_HOST: 'mail.example',
  TRILHO_MAIL_FROM: 'Padaria Central <bills@padaria.example>',
  TRILHO_SMTP_PORT: '465',
  TRILHO_SMTP_TLS: 'implicit',
  TRILHO_SMTP_USER: 'padaria',
  TRILHO_SMTP_PASSWORD: 'hunter3',
};
const RECEIVER = '{"port":8443,"certificateFile":"/a.pem","privateKeyFile":"/a.key"}';
const BOLETOS = JSON.stringify([
  { name: 'sicoob:main', bank: '756', holderName: 'Padaria', holderDocument: '11222333000181' },
]);
const RAILS = JSON.stringify([
  { name: 'efi', profile: 'efi', environment: 'test', pixKey: 'a@example.com', clientId: 'c', pkcs12File: 'efi.p12' },
]);
const SOURCES = JSON.stringify([{ name: 'a', url: 'https://a.example/{SYMBOL}{CURRENCY}', price: 'p' }]);

test('an empty environment is a sandbox on this machine, and the result is frozen', () => {
  const config = readConfig({});
  assert.deepEqual(config, {
    host: '127.0.0.1',
    port: 3000,
    logLevel: 'info',
    mode: 'sandbox',
    dataDir: path.resolve('data'),
    masterKeys: [],
    keepEvents: { months: 60, ms: 0 },
    keepAudit: { months: 120, ms: 0 },
    keepDeliveries: daysOf(90),
    keepQuotes: daysOf(30),
    keepIdempotencyKeys: daysOf(30),
    keepNotifications: daysOf(7),
    keepBoletoFiles: daysOf(90),
    keepJobs: daysOf(7),
    keepTraces: daysOf(90),
    demo: true,
    pageSize: 20,
    rateLimit: 0,
    maxInFlight: 0,
    webhookConcurrency: 100,
    webhookAllow: [],
    addressLimit: 50,
    trustProxy: [],
    supportRefundLimitCents: 50_000,
    passkeyRefundCents: 100_000,
    rates: { USD: '5.40', EUR: '6.25' },
    walletWait: { months: 0, ms: 0 },
    walletPolicy: { proof: 'off', approval: false },
    screening: {},
    rails: [],
    boletos: [],
    signers: [],
    chains: [],
    payouts: {},
    prices: {
      table: { usdt: '5.41', usdc: '5.40', trx: '1.78', eth: '18732.50' },
      sources: [],
      maxAgeSeconds: 60,
      maxSpreadPercent: '1',
    },
    feePercent: '0',
    bankWaitMs: 3_000,
    disputeDays: 11,
    settlement: { cutOffHour: 17, opensAtHour: 9, d0: 'at_once', bankingDays: new Map() },
  });
  assert.ok(Object.isFrozen(config));
});

test('live has limits, and neither default prices nor default rates', () => {
  const { rateLimit, maxInFlight, rates, prices } = readConfig({ TRILHO_MODE: 'live' });
  assert.deepEqual([rateLimit, maxInFlight], [100, 1000]);
  assert.deepEqual(rates, {});
  assert.deepEqual([prices.table, prices.sources], [{}, []]);
});

test('every setting is read', () => {
  const both = {
    PORT: '8080',
    HOST: '::1',
    DATABASE_URL: 'postgresql://u:p@db.example/x',
    DATABASE_READ_URL: 'postgres://replica/trilho',
    TRILHO_READ_MAX_LAG: 'PT1M',
    LOG_LEVEL: 'warn',
    TRILHO_DATA_DIR: '/srv/data',
    TRILHO_MASTER_KEY: `${'A'.repeat(43)}=,${'B'.repeat(42)}A=`,
    TRILHO_WAL_ARCHIVE: '/mnt/archive',
    TRILHO_ARCHIVE_DIR: '/mnt/years',
    TRILHO_KEEP_EVENTS: 'P18M',
    TRILHO_KEEP_AUDIT: 'P6Y',
    TRILHO_KEEP_DELIVERIES: 'P1Y',
    TRILHO_KEEP_QUOTES: 'P1D',
    TRILHO_KEEP_IDEMPOTENCY_KEYS: 'P2D',
    TRILHO_KEEP_NOTIFICATIONS: 'forever',
    TRILHO_KEEP_BOLETO_FILES: 'P30D',
    TRILHO_KEEP_JOBS: 'P50Y',
    TRILHO_KEEP_TRACES: 'P8D',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%2Cb, x-tenant = acme=1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'payments',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    TRILHO_PAGE_SIZE: '7',
    TRILHO_PUBLIC_URL: 'https://Pay.example.com/',
    TRILHO_RATE_LIMIT: '5',
    TRILHO_MAX_IN_FLIGHT: '6',
    TRILHO_WEBHOOK_CONCURRENCY: '8',
    TRILHO_WEBHOOK_ALLOW: '10.0.0.0/8, [fd00::5]:8080,Receiver.internal:80',
    TRILHO_ADDRESS_LIMIT: '8',
    TRILHO_TRUST_PROXY: '10.0.0.5, fd00::/8',
    TRILHO_SUPPORT_REFUND_LIMIT: '2500',
    TRILHO_REFUND_PASSKEY_ABOVE: '4000',
    TRILHO_RATE_USD: '5.1',
    TRILHO_RATE_EUR: '6',
    TRILHO_WALLET_WAIT: 'PT24H',
    TRILHO_WALLET_PROOF: 'proven',
    TRILHO_WALLET_APPROVAL: 'on',
    TRILHO_SCREENING_FILE: '/etc/blocked.csv',
    ...SCREENING,
    ...MAIL,
    TRILHO_PRICE_MAX_AGE: '30',
    TRILHO_PRICE_MAX_SPREAD: '02.50',
    TRILHO_FEE_PERCENT: '0.5',
    TRILHO_BANK_WAIT_MS: '500',
    TRILHO_DISPUTE_DAYS: '7',
    TRILHO_CUT_OFF: '15:30',
    TRILHO_SETTLES_AT: '10:00',
    TRILHO_SAME_DAY: 'banking_days',
    TRILHO_BANKING_DAYS: '2026-12-24=closed',
  };
  const live = {
    ...both,
    TRILHO_PAYOUTS: PAYOUTS,
    ...PIX,
    TRILHO_MODE: 'live',
    TRILHO_RAILS: RAILS,
    TRILHO_BOLETOS: BOLETOS,
    TRILHO_RECEIVER: RECEIVER,
    TRILHO_SIGNERS: SIGNERS,
    TRILHO_CHAINS: CHAINS,
    TRILHO_PRICE_SOURCES: SOURCES,
  };
  const sandbox = { ...both, TRILHO_DEMO: 'off', TRILHO_PRICES: 'usdt=5.5' };
  const given = new Set([...Object.keys(live), ...Object.keys(sandbox), 'TRILHO_CONFIG']);
  assert.deepEqual([...given].sort(), settings.map(({ name }) => name).sort(), 'the test gives every setting');
  assert.deepEqual(readConfig(live), {
    host: '::1',
    port: 8080,
    databaseUrl: 'postgresql://u:p@db.example/x',
    replica: { url: 'postgres://replica/trilho', maxLagMs: 60_000 },
    logLevel: 'warn',
    mode: 'live',
    dataDir: '/srv/data',
    masterKeys: [Buffer.alloc(32), Buffer.from(`${'B'.repeat(42)}A=`, 'base64')],
    walArchive: '/mnt/archive',
    archiveDir: '/mnt/years',
    keepEvents: { months: 18, ms: 0 },
    keepAudit: { months: 72, ms: 0 },
    keepDeliveries: { months: 12, ms: 0 },
    keepQuotes: daysOf(1),
    keepIdempotencyKeys: daysOf(2),
    keepNotifications: 'forever',
    keepBoletoFiles: daysOf(30),
    keepJobs: { months: 600, ms: 0 },
    keepTraces: daysOf(8),
    tracing: {
      endpoint: 'https://otel.example/otlp',
      headers: { 'api-key': 'a,b', 'x-tenant': 'acme=1' },
      serviceName: 'payments',
      sampler: 'parentbased_traceidratio',
      ratio: 0.25,
    },
    demo: true,
    pageSize: 7,
    publicUrl: 'https://pay.example.com',
    rateLimit: 5,
    maxInFlight: 6,
    webhookConcurrency: 8,
    webhookAllow: [
      { network: '10.0.0.0', prefix: 8 },
      { network: 'fd00::5', prefix: 128, port: 8080 },
      { name: 'receiver.internal', port: 80 },
    ],
    addressLimit: 8,
    trustProxy: ['10.0.0.5', 'fd00::/8'],
    supportRefundLimitCents: 2500,
    passkeyRefundCents: 4000,
    rates: { USD: '5.1', EUR: '6' },
    walletWait: { months: 0, ms: 86_400_000 },
    walletPolicy: { proof: 'proven', approval: true },
    screening: { file: '/etc/blocked.csv', hook: { url: 'https://screen.example/ask', secret: 'hunter2' } },
    mail: {
      host: 'mail.example',
      port: 465,
      tls: 'implicit',
      from: { name: 'Padaria Central', address: 'bills@padaria.example' },
      login: { user: 'padaria', password: 'hunter3' },
    },
    pixKey: { key: 'a@example.com', kind: 'e-mail address', receiverName: 'José Ltda', receiverCity: 'São Paulo' },
    rails: JSON.parse(RAILS),
    boletos: JSON.parse(BOLETOS),
    receiver: JSON.parse(RECEIVER),
    signers: JSON.parse(SIGNERS),
    chains: JSON.parse(CHAINS),
    payouts: JSON.parse(PAYOUTS),
    prices: { table: {}, sources: JSON.parse(SOURCES), maxAgeSeconds: 30, maxSpreadPercent: '2.5' },
    feePercent: '0.5',
    bankWaitMs: 500,
    disputeDays: 7,
    settlement: {
      cutOffHour: 15.5,
      opensAtHour: 10,
      d0: 'banking_days',
      bankingDays: new Map([['2026-12-24', false]]),
    },
  });
  assert.equal(readConfig(sandbox).demo, false);
  assert.deepEqual(readConfig(sandbox).prices.table, { usdt: '5.5' });
});

test('an empty variable counts as not set', () => {
  const names = settings.flatMap(({ name, isSecret }) => [name, ...(isSecret ? [`${name}_FILE`] : [])]);
  assert.deepEqual(readConfig(Object.fromEntries(names.map(name => [name, '']))), readConfig({}));
});

const KEPT = 'must be a length of time from P1D to P50Y such as P30D, or forever';

/** For each kind a refused value, with the fault. Settings that accept any text have no such value. */
const WRONG: Readonly<Record<string, readonly [string, string]>> = {
  PORT: ['65536', 'PORT must be a whole number from 0 to 65535, not "65536".'],
  DATABASE_URL: [
    'mysql://me:hunter2@localhost/x',
    'DATABASE_URL must be a URL such as postgres://user:password@host:5432/database.',
  ],
  DATABASE_READ_URL: [
    'mysql://me:hunter2@localhost/x',
    'DATABASE_READ_URL must be a URL such as postgres://user:password@host:5432/database.',
  ],
  TRILHO_READ_MAX_LAG: [
    'PT1S',
    'TRILHO_READ_MAX_LAG must be a length of time from PT2S to PT1H such as PT10S, not "PT1S".',
  ],
  LOG_LEVEL: ['loud', 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud".'],
  TRILHO_MASTER_KEY: [
    'hunter2',
    'TRILHO_MASTER_KEY must be one to 4 different keys of 32 bytes in base64, with commas between them.',
  ],
  TRILHO_KEEP_EVENTS: ['P0D', `TRILHO_KEEP_EVENTS ${KEPT}, not "P0D".`],
  TRILHO_KEEP_AUDIT: ['0', `TRILHO_KEEP_AUDIT ${KEPT}, not "0".`],
  TRILHO_KEEP_DELIVERIES: ['90', `TRILHO_KEEP_DELIVERIES ${KEPT}, not "90".`],
  TRILHO_KEEP_QUOTES: ['PT23H', `TRILHO_KEEP_QUOTES ${KEPT}, not "PT23H".`],
  TRILHO_KEEP_IDEMPOTENCY_KEYS: ['PT0S', `TRILHO_KEEP_IDEMPOTENCY_KEYS ${KEPT}, not "PT0S".`],
  TRILHO_KEEP_BOLETO_FILES: ['PT1H', `TRILHO_KEEP_BOLETO_FILES ${KEPT}, not "PT1H".`],
  TRILHO_KEEP_NOTIFICATIONS: ['never', `TRILHO_KEEP_NOTIFICATIONS ${KEPT}, not "never".`],
  TRILHO_KEEP_JOBS: ['P51Y', `TRILHO_KEEP_JOBS ${KEPT}, not "P51Y".`],
  TRILHO_KEEP_TRACES: ['P0D', `TRILHO_KEEP_TRACES ${KEPT}, not "P0D".`],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    'https://user:hunter2@otel.example',
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with https or http, without user, password and query.',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: [
    'api-key=a,tenant',
    'OTEL_EXPORTER_OTLP_HEADERS must be a list such as api-key=secret,tenant=acme with percent-encoded values.',
  ],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc', 'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/json, not "grpc".'],
  OTEL_SERVICE_NAME: ['é', 'OTEL_SERVICE_NAME must be 1 to 100 printable ASCII characters, not "é".'],
  OTEL_TRACES_SAMPLER: [
    'sometimes',
    'OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio, not "sometimes".',
  ],
  OTEL_TRACES_SAMPLER_ARG: ['1.5', 'OTEL_TRACES_SAMPLER_ARG must be a decimal from 0 to 1 such as 0.1, not "1.5".'],
  TRILHO_DEMO: ['yes', 'TRILHO_DEMO must be one of on, off, not "yes".'],
  TRILHO_PUBLIC_URL: [
    'https://pay.example.com/shop',
    'TRILHO_PUBLIC_URL must be a URL with https or http and without path, user and password, not "https://pay.example.com/shop".',
  ],
  TRILHO_PAGE_SIZE: ['1.5', 'TRILHO_PAGE_SIZE must be a whole number from 1 to 100, not "1.5".'],
  TRILHO_ADDRESS_LIMIT: ['-1', 'TRILHO_ADDRESS_LIMIT must be a whole number from 0 to 1000000, not "-1".'],
  TRILHO_SUPPORT_REFUND_LIMIT: [
    '-1',
    'TRILHO_SUPPORT_REFUND_LIMIT must be a whole number from 0 to 10000000000, not "-1".',
  ],
  TRILHO_REFUND_PASSKEY_ABOVE: [
    'ten',
    'TRILHO_REFUND_PASSKEY_ABOVE must be a whole number from 0 to 10000000000, not "ten".',
  ],
  TRILHO_TRUST_PROXY: [
    'everybody',
    'TRILHO_TRUST_PROXY must be a list of IP addresses or networks such as 10.0.0.5,192.168.0.0/16,fd00::/8, not "everybody".',
  ],
  TRILHO_RATE_LIMIT: ['-1', 'TRILHO_RATE_LIMIT must be a whole number from 0 to 1000000, not "-1".'],
  TRILHO_MAX_IN_FLIGHT: ['many', 'TRILHO_MAX_IN_FLIGHT must be a whole number from 0 to 1000000, not "many".'],
  TRILHO_WEBHOOK_CONCURRENCY: ['0', 'TRILHO_WEBHOOK_CONCURRENCY must be a whole number from 1 to 1000, not "0".'],
  TRILHO_WEBHOOK_ALLOW: [
    '10.0.0.0/8,10.0.0.0/33',
    'TRILHO_WEBHOOK_ALLOW must be a list such as 10.0.0.0/8,fd00::/8,10.0.0.5:8080,receiver.internal:8080, not "10.0.0.0/33".',
  ],
  TRILHO_RATE_USD: ['0', 'TRILHO_RATE_USD must be a decimal above 0 such as 5.40, not "0".'],
  TRILHO_RATE_EUR: ['6,25', 'TRILHO_RATE_EUR must be a decimal above 0 such as 6.25, not "6,25".'],
  TRILHO_WALLET_WAIT: ['24h', 'TRILHO_WALLET_WAIT must be a length of time such as PT24H, at most a year, not "24h".'],
  TRILHO_WALLET_PROOF: ['on', 'TRILHO_WALLET_PROOF must be one of off, declared, proven, not "on".'],
  TRILHO_WALLET_APPROVAL: ['yes', 'TRILHO_WALLET_APPROVAL must be one of on, off, not "yes".'],
  TRILHO_SCREENING_URL: [
    'http://screen.example/ask',
    'TRILHO_SCREENING_URL must be a URL with https (http only to this machine), without user and password.',
  ],
  TRILHO_SCREENING_SECRET: [
    'hunter 2',
    'TRILHO_SCREENING_SECRET must be 1 to 4000 printable ASCII characters without spaces.',
  ],
  TRILHO_SMTP_HOST: ['mail server', 'TRILHO_SMTP_HOST must be a host name or an IP address, not "mail server".'],
  TRILHO_MAIL_FROM: [
    'Padaria Central',
    'TRILHO_MAIL_FROM must be an address such as bills@example.com or Padaria <bills@example.com>, not "Padaria Central".',
  ],
  TRILHO_SMTP_PORT: ['0', 'TRILHO_SMTP_PORT must be a whole number from 1 to 65535, not "0".'],
  TRILHO_SMTP_TLS: ['on', 'TRILHO_SMTP_TLS must be one of starttls, implicit, off, not "on".'],
  TRILHO_SMTP_USER: ['a b', 'TRILHO_SMTP_USER must be 1 to 4000 printable ASCII characters without spaces, not "a b".'],
  TRILHO_SMTP_PASSWORD: [
    'hunter 3',
    'TRILHO_SMTP_PASSWORD must be 1 to 4000 printable ASCII characters without spaces.',
  ],
  TRILHO_PIX_KEY: [
    '123.456.789-00',
    'TRILHO_PIX_KEY must be a pix key in one of five forms: a CPF or a CNPJ with right check digits, an e-mail address, a phone number that begins with +55, or a random key.',
  ],
  TRILHO_PIX_NAME: ['山田', 'TRILHO_PIX_NAME must be text with a letter or digit that a BR Code can hold.'],
  TRILHO_PIX_CITY: ['東京', 'TRILHO_PIX_CITY must be text with a letter or digit that a BR Code can hold.'],
  TRILHO_RAILS: [
    'efi',
    'TRILHO_RAILS must be a JSON list of objects { name, profile, environment, pixKey, clientId, … }.',
  ],
  TRILHO_BOLETOS: [
    'sicoob',
    'TRILHO_BOLETOS must be a JSON list of objects { name, bank, holderName, holderDocument, … }.',
  ],
  TRILHO_RECEIVER: ['{ "port": 8443 }', 'TRILHO_RECEIVER must have certificateFile and privateKeyFile, or proxy.'],
  TRILHO_SIGNERS: ['hot', 'TRILHO_SIGNERS must be a JSON list of objects { name, kind, … }.'],
  TRILHO_PAYOUTS: [
    '{ "limits": [{ "symbol": "usdt", "perDay": 5 }] }',
    'TRILHO_PAYOUTS.limits[0].perDay must be text.',
  ],
  TRILHO_CHAINS: ['base', 'TRILHO_CHAINS must be a JSON list of objects { network, providers, senders, … }.'],
  TRILHO_PRICE_SOURCES: [
    'https://a.example/?key=hunter2',
    'TRILHO_PRICE_SOURCES must be a JSON list of 1 to 15 objects { name, url, price }.',
  ],
  TRILHO_PRICE_MAX_AGE: ['0', 'TRILHO_PRICE_MAX_AGE must be a whole number from 1 to 3600, not "0".'],
  TRILHO_PRICE_MAX_SPREAD: [
    '51',
    'TRILHO_PRICE_MAX_SPREAD must be a percent from 0 to 50 with at most 4 decimals, not "51".',
  ],
  TRILHO_DISPUTE_DAYS: ['366', 'TRILHO_DISPUTE_DAYS must be a whole number from 0 to 365, not "366".'],
  TRILHO_BANK_WAIT_MS: ['-1', 'TRILHO_BANK_WAIT_MS must be a whole number from 0 to 30000, not "-1".'],
  TRILHO_FEE_PERCENT: [
    '1.00001',
    'TRILHO_FEE_PERCENT must be a percent from 0 to 50 with at most 4 decimals, not "1.00001".',
  ],
  TRILHO_CUT_OFF: ['24:00', 'TRILHO_CUT_OFF must be a time of day such as 17:00, not "24:00".'],
  TRILHO_SETTLES_AT: ['9', 'TRILHO_SETTLES_AT must be a time of day such as 09:00, not "9".'],
  TRILHO_SAME_DAY: ['never', 'TRILHO_SAME_DAY must be one of at_once, banking_days, not "never".'],
  TRILHO_BANKING_DAYS: [
    '2026-02-29=open',
    'TRILHO_BANKING_DAYS must be a list such as 2026-12-24=closed,2026-12-26=open, each day once, not "2026-02-29=open".',
  ],
};

const TRACES = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example' };

test('a wrong value of any kind is a fault that names its setting and the expected form', () => {
  for (const [name, [value, fault]] of Object.entries(WRONG)) {
    assert.deepEqual(faultsOf({ TRILHO_MODE: 'live', ...PIX, ...SCREENING, ...MAIL, ...TRACES, [name]: value }), [
      fault,
    ]);
  }
  assert.deepEqual(faultsOf({ TRILHO_MODE: 'production' }), [
    'TRILHO_MODE must be one of sandbox, live, not "production".',
  ]);
  assert.deepEqual(faultsOf({ TRILHO_PRICES: 'usdt=0' }), [
    'TRILHO_PRICES must be a list such as usdt=5.41,usdc=5.40,trx=1.78,eth=18732.50, not "usdt=0".',
  ]);
  const folders = ['TRILHO_DATA_DIR', 'TRILHO_WAL_ARCHIVE', 'TRILHO_ARCHIVE_DIR'];
  const takesAnyText = ['HOST', 'TRILHO_CONFIG', ...folders, 'TRILHO_SCREENING_FILE'];
  const tried = [...Object.keys(WRONG), 'TRILHO_MODE', 'TRILHO_PRICES', ...takesAnyText];
  assert.deepEqual(tried.sort(), settings.map(({ name }) => name).sort(), 'every setting is tried');
});

test('all faults are reported at once, in the order of the table, and each wrong entry of a list separately', () => {
  const wrong = Object.fromEntries(Object.entries(WRONG).map(([name, [value]]) => [name, value]));
  const faults = faultsOf({
    ...wrong,
    TRILHO_MODE: 'live',
    TRILHO_BANKING_DAYS: 'soon,2026-12-24=open,2026-12-24=closed',
    TRILHO_PAGESIZE: '20',
  });
  const days = 'TRILHO_BANKING_DAYS must be a list such as 2026-12-24=closed,2026-12-26=open, each day once, not';
  const order = settings.flatMap(({ name }) =>
    name === 'TRILHO_BANKING_DAYS' ? [`${days} "soon".`, `${days} "2026-12-24=closed".`] : (WRONG[name]?.[1] ?? []),
  );
  assert.deepEqual(faults, [...order, 'TRILHO_PAGESIZE is not a variable of Trilho.']);
});

test('no fault repeats the value of a secret', () => {
  const secrets = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  assert.deepEqual(secrets, [
    'DATABASE_URL',
    'DATABASE_READ_URL',
    'TRILHO_MASTER_KEY',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'TRILHO_PIX_KEY',
    'TRILHO_RAILS',
    'TRILHO_BOLETOS',
    'TRILHO_SIGNERS',
    'TRILHO_CHAINS',
    'TRILHO_PRICE_SOURCES',
    'TRILHO_SMTP_PASSWORD',
    'TRILHO_SCREENING_SECRET',
  ]);
  const url = 'https://user:hunter2@a.example/{SYMBOL}{CURRENCY}';
  for (const value of [
    'hunter2',
    '["hunter2"]',
    JSON.stringify([{ name: 'hunter2 ', url, price: 5, time: 'hunter2.' }]),
  ])
    for (const name of secrets) {
      const [given, asFile] = [
        { ...TRACES, [name]: value },
        { ...TRACES, [`${name}_FILE`]: 'secret' },
      ];
      for (const mode of ['live', 'sandbox']) {
        const faults = [
          ...faultsOf({ TRILHO_MODE: mode, ...given }),
          ...faultsOf({ TRILHO_MODE: mode, ...asFile }, { secret: value }),
          ...faultsOf({ TRILHO_MODE: mode, ...given, ...asFile }, { secret: value }),
        ];
        assert.ok(faults.length >= 3, `${name} ${mode}`);
        assert.doesNotMatch(faults.join('\n'), /hunter2/, name);
      }
    }
});

test('settings of traces that a cluster gives to all programs do not stop a service that records no traces', () => {
  const wrong = Object.fromEntries(Object.entries(WRONG).map(([name, [value]]) => [name, value]));
  const shared = Object.keys(WRONG).filter(name => name.startsWith('OTEL_') && !(name in TRACES));
  assert.equal(shared.length, 5);
  const environment = Object.fromEntries(shared.map(name => [name, wrong[name]!]));
  assert.deepEqual(faultsOf({ ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: '' }), []);
  assert.deepEqual(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS_FILE: 'of-others' }), []);
  assert.equal(faultsOf({ ...environment, ...TRACES }).length, 5);
});

test('an unknown variable of ours is a fault, also an empty one; a foreign one is not', () => {
  assert.deepEqual(faultsOf({ TRILHO_HOST: '' }), ['TRILHO_HOST is not a variable of Trilho.']);
  assert.deepEqual(faultsOf({ TRILHO_PIX_KEYS_FILE: 'x' }), ['TRILHO_PIX_KEYS_FILE is not a variable of Trilho.']);
  assert.deepEqual(faultsOf({ TRILHO_PAGE_SIZE_FILE: 'x' }), [
    'TRILHO_PAGE_SIZE_FILE: TRILHO_PAGE_SIZE is not a secret, so it is not read from a file.',
  ]);
  assert.deepEqual(faultsOf({ PATH: '/bin', PORT_FILE: 'x', toString: 'x' }), []);
});

test('a setting of the other mode is refused with the reason, or ignored', () => {
  assert.deepEqual(
    faultsOf(PIX),
    Object.keys(PIX).map(name => `${name}: a sandbox takes no real pix key.`),
  );
  assert.deepEqual(faultsOf({ TRILHO_PRICE_SOURCES: SOURCES }), [
    'TRILHO_PRICE_SOURCES: a sandbox does not use price sources; set TRILHO_PRICES.',
  ]);
  assert.deepEqual(faultsOf({ TRILHO_MODE: 'live', TRILHO_PRICES: 'usdt=5' }), [
    'TRILHO_PRICES: live does not use fixed prices; set TRILHO_PRICE_SOURCES.',
  ]);
  assert.deepEqual(faultsOf({ TRILHO_MODE: 'live', TRILHO_DEMO: 'off' }), []);
  assert.deepEqual(faultsOf({ TRILHO_PRICE_MAX_AGE: '30' }), []);
});

test('while the mode is wrong, no setting is refused because of it', () => {
  assert.deepEqual(faultsOf({ TRILHO_MODE: 'Live', ...PIX, TRILHO_PRICES: 'usdt=5' }), [
    'TRILHO_MODE must be one of sandbox, live, not "Live".',
  ]);
});

test('settings of one group are given together or not at all', () => {
  const { TRILHO_PIX_CITY: _, ...withoutCity } = PIX;
  assert.deepEqual(faultsOf({ TRILHO_MODE: 'live', ...withoutCity }), [
    'TRILHO_PIX_CITY is needed together with TRILHO_PIX_KEY and TRILHO_PIX_NAME.',
  ]);
  assert.deepEqual(faultsOf({ TRILHO_MODE: 'live', TRILHO_PIX_CITY: 'Recife' }), [
    'TRILHO_PIX_KEY is needed together with TRILHO_PIX_CITY.',
    'TRILHO_PIX_NAME is needed together with TRILHO_PIX_CITY.',
  ]);
});
