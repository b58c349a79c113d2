// Where outgoing requests may go when a caller chose the address. Every vector is really sent, with a listener on this machine
// that counts connections.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isAddressAllowed, urlFault } from '../../src/lib/outgoing-address.ts';
import { allowListOf, NOTHING_LISTED, parseAllowedPlace } from '../../src/lib/outgoing-allow.ts';
import { type Resolve, sendOutgoing } from '../../src/lib/outgoing-request.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { startReceiver } from '../harness/receiver.ts';
import { startService } from '../harness/service.ts';

let connections = 0;
const listener = createServer(socket => {
  connections++;
  socket.destroy();
});
let port: number;
before(async () => {
  // On every address of this machine, IPv6 and mapped ones too.
  await new Promise<void>(resolve => listener.listen(0, '::', resolve));
  port = (listener.address() as { port: number }).port;
});
after(() => new Promise(resolve => listener.close(resolve)));

const REQUEST = { headers: {}, body: '{}', timeoutMs: 2_000 };
const reach = (allowsLocal: boolean) => ({ allowsLocal, allowed: NOTHING_LISTED });
const noLookup: Resolve = async () => assert.fail('no name is looked up');

/** Sends a request and expects a refusal before any socket was opened. */
async function refused(allowsLocal: boolean, url: string, resolve: Resolve = noLookup): Promise<void> {
  const before = connections;
  const answer = await sendOutgoing({ allowsLocal, resolve }, { ...REQUEST, url });
  assert.match(answer.error ?? `answered ${answer.status}`, /^Refused: /, url);
  assert.equal(connections, before, url);
}

/** Addresses that are reserved or private. */
const PRIVATE_V4 = [
  ...['0.0.0.0', '0.0.0.1', '0.1.2.3', '0.255.255.255'],
  ...['10.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.0', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ...['169.254.0.1', '169.254.169.254', '169.254.170.2', '169.254.255.255', '168.63.129.16'],
  ...['172.16.0.0', '172.16.0.1', '172.20.10.5', '172.31.255.255'],
  ...['192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.0', '192.168.1.1', '192.168.255.255'],
  ...['192.31.196.1', '192.52.193.1', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '250.1.2.3', '255.255.255.254', '255.255.255.255'],
];
const LOOPBACK = ['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254'];
const PRIVATE_V6 = [
  ...['::', '::2', '::ffff:0:0', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '::127.0.0.1', '::7f00:1', '::8.8.8.8', '::a00:1'],
  ...['64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::7f00:1'],
  ...['100::1', '100:0:0:1::1', '200::1', '400::1', '1000::1'],
  ...[
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:1::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:1ff::1',
  ],
  ...['2001:db8::1', '2001:db8:ffff::1', '2002::1', '2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  ...['2620:4f:8000::1', '3fff::1', '3fff:fff::1', '4000::1', '5f00::1', '8000::1', 'c000::1'],
  ...[
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fdff:ffff::1',
    'fe00::1',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'febf::1',
    'fec0::1',
  ],
  ...['ff00::1', 'ff01::1', 'ff02::1', 'ff05::2', 'ff0e::1', 'ffff::1'],
];

test('an address that is not public is refused, in live and in a sandbox', async () => {
  for (const allowsLocal of [false, true]) {
    for (const address of PRIVATE_V4) {
      assert.equal(isAddressAllowed(address, allowsLocal), false, address);
      await refused(allowsLocal, `https://${address}:${port}/`);
    }
    for (const address of PRIVATE_V6) {
      assert.equal(isAddressAllowed(address, allowsLocal), false, address);
      await refused(allowsLocal, `https://[${address}]:${port}/`);
    }
  }
  assert.ok(PRIVATE_V4.length + PRIVATE_V6.length >= 90);
});

test('its own machine is refused in live', async () => {
  for (const address of LOOPBACK) await refused(false, `https://${address}:${port}/`);
  await refused(false, `https://[::1]:${port}/`);
  await refused(false, `https://[0:0:0:0:0:0:0:1]:${port}/`);
});

/** The same addresses, disguised from a careless check. */
const DISGUISED = [
  ...[
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7F000001',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
  ],
  ...['00000177.0.0.1', '127.0.0.0x1', '127.0.0.01', '0127.0.0.1', '1.1', '0', '0x0', '127.0.0.1.', '%31%32%37.0.0.1'],
  ...[
    '１２７.0.0.1',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '127.0.0.1%2e',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
  ],
  ...[
    '3232235521',
    '0xc0a80001',
    '167772161',
    '012.1',
    '134744072',
    '0x08080808',
    '010.010.010.010',
    '8.8.2056',
    '8.526344',
  ],
];
const NAMES = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'foo.localhost',
    'a.b.localhost.',
    'localhost.localdomain.local',
    'ip6-localhost',
  ],
  ...[
    'router',
    'metadata',
    'metadata.google.internal',
    'metadata.google.internal.',
    'instance-data.ec2.internal',
    'printer.local',
  ],
  ...[
    'nas.lan',
    'nas.home',
    'wiki.corp',
    'wiki.intranet',
    'db.private',
    '1.0.0.127.in-addr.arpa',
    'x.onion',

    'x.test',
  ],
];

test('disguised numbers, and names without a public address, are refused without a look-up', async () => {
  for (const host of DISGUISED) {
    await refused(false, `https://${host}:${port}/`);
    await refused(true, `http://${host}:${port}/`);
  }
  for (const host of NAMES) await refused(false, `https://${host}:${port}/`);
  for (const host of NAMES.filter(name => !/localhost\.?$/i.test(name))) {
    await refused(true, `http://${host}:${port}/`);
  }
});

test('a URL that is not plain is refused', async () => {
  const wrong = [
    ...[
      '',
      'x',
      '/hook',
      '//example.com',
      'example.com',
      'https://',
      'https:///',
      'https://:443/',
      'https://exa mple.com/',
    ],
    ...[
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'data:text/plain,x',
      'javascript:1',
      'ws://example.com/',
    ],
    ...[
      'https://user@example.com/',
      'https://user:secret@example.com/',
      'https://@example.com/',
      'https://a:b@127.0.0.1/',
    ],
    ...['https://example.com@127.0.0.1/', 'https://127.0.0.1\\@example.com/', 'https://example.com#@127.0.0.1/'],
    ...[
      'https://example.com/#x',
      'https:\\\\example.com/',
      ' https://example.com/',
      'https://example.com/\n',
      'https://exam\tple.com/',
    ],
    ...[
      'https://[::1',
      'https://[::1]]/',
      'https://[fe80::1%25eth0]/',
      'https://[v1.x]/',
      'https://256.1.1.1/',
      'https://1.2.3.4.5/',
    ],
    ...[
      'https://example.com:22/',
      'https://example.com:25/',
      'https://example.com:587/',
      'https://example.com:0x50/',
      'https://example.com:65536/',
    ],
    `https://example.com/${'x'.repeat(2_048)}`,
  ];
  for (const url of wrong) {
    await refused(false, url);
    await refused(true, url);
  }
  await refused(false, 'http://example.com/');
});

test('a name is refused when any of its addresses is not public', async () => {
  const publicOnes = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'];
  for (const bad of [...PRIVATE_V4, ...PRIVATE_V6, 'fe80::1%eth0', 'nonsense']) {
    await refused(false, `https://hooks.example.com:${port}/`, async () => [bad]);
    await refused(false, `https://hooks.example.com:${port}/`, async () => [...publicOnes, bad]);
    await refused(true, `http://hooks.example.com:${port}/`, async () => [...publicOnes, bad]);
  }
  for (const own of [...LOOPBACK, '::1']) {
    await refused(false, `https://hooks.example.com:${port}/`, async () => [publicOnes[0]!, own]);
  }
  await refused(false, `https://hooks.example.com:${port}/`, async () => []);
});

test('a name that resolves differently the second time gains nothing: the socket uses the checked address', async () => {
  let asked = 0;
  const rebinding: Resolve = async () => (++asked === 1 ? ['127.0.0.2'] : ['127.0.0.1']);
  const before = connections;
  const url = `http://rebinding.example.com:${port}/`;
  const answer = await sendOutgoing({ allowsLocal: true, resolve: rebinding }, { ...REQUEST, url });
  assert.match(answer.error ?? '', /^Not reached: ECONNRESET/);
  assert.equal(connections, before + 1);
  assert.equal(asked, 1, 'one look serves the check and the socket');
  const later: Resolve = async () => (++asked === 2 ? ['93.184.216.34'] : ['10.0.0.1']);
  assert.equal((await later('', AbortSignal.abort()))[0], '93.184.216.34');
  await refused(false, `https://rebinding.example.com:${port}/`, later);
});

const listed = (...entries: string[]) =>
  allowListOf(entries.map(entry => parseAllowedPlace(entry) ?? assert.fail(`${entry} is no place`)));

test('addresses that an operator lists are reached in live, also by plain http, and no others', async () => {
  const onlyTo =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses;
  const name = `http://receiver.internal:${port}/`;
  const cases: [list: string, url: string, resolve: Resolve, isReached: boolean][] = [
    ['127.0.0.0/8', `http://127.0.0.2:${port}/`, noLookup, true],
    ['127.0.0.2', `http://127.0.0.2:${port}/`, noLookup, true],
    ['127.0.0.2', `http://127.0.0.3:${port}/`, noLookup, false],
    [`127.0.0.2:${port}`, `http://127.0.0.2:${port}/`, noLookup, true],
    ['127.0.0.2:1', `http://127.0.0.2:${port}/`, noLookup, false],
    ['127.0.0.0/8', 'http://8.8.8.8/', noLookup, false],
    ['127.0.0.0/8', `http://0x7f.2:${port}/`, noLookup, false],
    ['::1/128', `http://[::1]:${port}/`, noLookup, true],
    [`[::1]:${port}`, `http://[0:0::1]:${port}/`, noLookup, true],
    ['fd00::/8', `http://[::1]:${port}/`, noLookup, false],
    ['127.0.0.0/8', name, onlyTo('127.0.0.2'), true],
    ['127.0.0.0/8', name, onlyTo('127.0.0.2', '10.0.0.1'), false],
    ['127.0.0.0/8', name, onlyTo('93.184.216.34'), false],
    [`receiver.internal:${port}`, name, onlyTo('127.0.0.2'), true],
    [`RECEIVER.internal:${port}`, name, onlyTo('127.0.0.2', '::1'), true],
    ['receiver.internal:1', name, noLookup, false],
    [`other.internal:${port}`, name, noLookup, false],
    // The metadata address of clouds: a name alone cannot reach it.
    [`receiver.internal:${port}`, name, onlyTo('169.254.169.254'), false],
    [`receiver.internal:${port}`, name, onlyTo('::ffff:169.254.169.254'), false],
    [`receiver.internal:${port}`, name, onlyTo('93.184.216.34'), false],
    [`localhost:${port}`, `http://localhost:${port}/`, noLookup, true],
  ];
  for (const [list, url, resolve, isReached] of cases) {
    const before = connections;
    const answer = await sendOutgoing({ allowsLocal: false, allowed: listed(list), resolve }, { ...REQUEST, url });
    const isRefused = /^Refused: /.test(answer.error ?? '');
    assert.equal(isRefused, !isReached, `${list} ${url} ${answer.error}`);
    assert.equal(connections > before, isReached, `${list} ${url} ${answer.error}`);
  }
});

test('a name that resolves differently the second time gains nothing from a list either', async () => {
  const seen: string[] = [];
  const rebinding: Resolve = async () => {
    seen.push('asked');
    return seen.length === 1 ? ['127.0.0.2'] : ['10.0.0.1'];
  };
  const deps = { allowsLocal: false, allowed: listed('127.0.0.2'), resolve: rebinding };
  const url = `http://rebinding.example.com:${port}/`;
  const before = connections;
  assert.match((await sendOutgoing(deps, { ...REQUEST, url })).error ?? '', /^Not reached: ECONNRESET/);
  assert.deepEqual([seen.length, connections - before], [1, 1], 'one look serves the check and the socket');
  assert.match((await sendOutgoing(deps, { ...REQUEST, url })).error ?? '', /^Refused: /);
});

test('an invalid or too wide entry is refused', () => {
  const wrong = ['', '10.0.0.0/7', '0.0.0.0/0', '::/0', '10.0.0.0/33', 'fd00::/129', '10.0.0.256', '10.0.0.5:0'];
  const others = [
    '10.0.0.5:65536',
    '10.0.0.0/8:80',
    'receiver',
    'receiver:',
    'http://a.internal:80',
    'a b:80',
    '0x7f.1:80',
  ];
  for (const entry of [...wrong, ...others, 'fe80::1%eth0', '[fd00::1', 'user@host:80', 'host:80/path']) {
    assert.equal(parseAllowedPlace(entry), undefined, entry);
  }
});

test('live sends to a listed private receiver, and refuses others with the field', async t => {
  const receiver = await startReceiver(t);
  const { host } = new URL(receiver.url);
  const service = await startService({
    mode: 'live',
    rails: sandboxRails,
    env: { TRILHO_WEBHOOK_ALLOW: host },
    resolve: async name => [name === 'example.com' ? '93.184.216.34' : '10.0.0.1'],
  });
  t.after(() => service.stop());
  for (const url of ['http://127.0.0.1:1/', 'https://10.0.0.1/', 'http://example.com/', 'https://receiver.internal/']) {
    const refused = await service.post('/webhooks', { url });
    assert.deepEqual([refused.status, refused.json.errors?.[0]?.path], [400, 'url'], url);
  }
  assert.equal((await service.post('/webhooks', { url: receiver.url })).status, 201);
  assert.equal((await service.post('/charges', chargeBody({ methods: ['pix'] }))).status, 201);
  await service.runJobs();
  assert.ok(receiver.received.length >= 1);
});

test('public addresses pass, and in a sandbox its own machine', () => {
  const good = [
    'https://example.com/hook',
    'https://example.com:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://münchen.example/',
  ];
  for (const url of good)
    for (const allowsLocal of [false, true]) assert.equal(urlFault(url, reach(allowsLocal)), undefined, url);
  for (const host of ['localhost', 'app.localhost', '127.0.0.1', '127.8.8.8', '[::1]']) {
    assert.equal(urlFault(`http://${host}:4000/hook`, reach(true)), undefined, host);
    assert.notEqual(urlFault(`https://${host}:4000/hook`, reach(false)), undefined, host);
  }
  for (const address of [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '223.255.255.255',
  ]) {
    assert.equal(isAddressAllowed(address, false), true, address);
  }
});

test('an address that an independent list does not call public is never allowed', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), parts => {
      const address = parts.join('.');
      if (isAddressAllowed(address, false)) assert.equal(ipaddr.parse(address).range(), 'unicast', address);
    }),
    { numRuns: 2_000 },
  );
  const group = fc.integer({ min: 0, max: 0xffff });
  const start = fc.constantFrom(0, 0x64, 0x100, 0x2001, 0x2002, 0x2620, 0x2606, 0x3fff, 0xfc00, 0xfe80, 0xff02);
  fc.assert(
    fc.property(
      fc.oneof(start, group),
      fc.array(fc.oneof(fc.constantFrom(0, 0xffff, 0xdb8), group), { minLength: 7, maxLength: 7 }),
      (first, rest) => {
        const address = [first, ...rest].map(part => part.toString(16)).join(':');
        if (isAddressAllowed(address, false)) assert.equal(ipaddr.parse(address).range(), 'unicast', address);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a webhook is refused with its field when it is created, and checked again with every delivery', async t => {
  let addresses = ['127.0.0.1'];
  const service = await startService({ resolve: async () => addresses });
  t.after(() => service.stop());
  for (const url of [
    'http://10.0.0.1/',
    'http://2130706433/',
    'http://u:p@example.com/',
    'http://localhost:25/',
    'ftp://example.com/',
  ]) {
    const answer = await service.post('/webhooks', { url });
    assert.equal(answer.status, 400, url);
    assert.deepEqual(
      answer.json.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [['url', 'not_allowed']],
    );
    assert.ok(!answer.text.includes('u:p'), 'a secret is not repeated');
  }
  addresses = ['192.168.1.1'];
  assert.equal((await service.post('/webhooks', { url: 'http://hooks.example.com/' })).status, 400);
  addresses = ['127.0.0.1'];
  const receiver = await startReceiver(t);
  const url = receiver.url.replace('127.0.0.1', 'hooks.example.com');
  const { id } = (await service.post('/webhooks', { url, types: ['charge.created'] })).json;
  await service.post('/charges', chargeBody());
  await service.runJobs();
  assert.equal(receiver.received.length, 1);
  assert.match(receiver.received[0]!.headers.host ?? '', /^hooks\.example\.com:/);
  addresses = ['127.0.0.1', '10.0.0.1'];
  await service.post('/charges', chargeBody());
  await service.runJobs();
  assert.equal(receiver.connections(), 1);
  const view = (await service.get(`/webhooks/${id}`)).json;
  assert.equal(`${view.health} ${view.lastError}`, 'failing Refused: its name leads to an address that is not public.');
});
