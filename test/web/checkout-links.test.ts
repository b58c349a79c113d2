// Wrong links, and what an account may show: plain pages, clear refusals, nothing revealed and nothing written.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newCharge, openCharge, pathOf } from '../harness/checkouts.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const TYPE = { 'content-type': 'application/json' };
const change = (accountId: string, body: unknown) =>
  service.send(`/accounts/${accountId}/settings`, { method: 'PATCH', body: JSON.stringify(body), headers: TYPE });

test('forged, cut off and withdrawn links are the same plain page', async () => {
  const id = await openCharge(service);
  const path = await pathOf(service, id);
  await service.post(`/charges/${id}/checkout/withdraw`, { checkoutUrl: service.url + path });
  const last = path.at(-5) === 'A' ? 'B' : 'A';
  const paths = [
    path,
    path.slice(0, -3),
    `${path.slice(0, -5)}${last}${path.slice(-4)}`,
    `/pay/${id}`,
    '/pay/x',
    `${path}/x`,
    `/pay/${'x'.repeat(600)}`,
  ];
  const pages = new Set<string>();
  for (const wrong of paths) {
    const answer = await fetch(service.url + wrong, { headers: { 'accept-language': 'en' } });
    assert.equal(answer.status, 404, wrong);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    pages.add(await answer.text());
  }
  assert.equal(pages.size, 1, 'they are identical');
  const [page = ''] = pages;
  assert.match(page, /This link does not open a charge/);
  assert.doesNotMatch(page, /Maria|159|acme/);
  for (const file of ['pix.png', 'pix.svg', 'boleto.pdf', 'logo', 'stream']) {
    assert.ok([404, 429].includes((await fetch(`${service.url}${path}/${file}`)).status), file);
  }
  assert.equal((await fetch(service.url + (await pathOf(service, id)))).status, 200, 'the new link opens it');
});

/** The answer to an address with few attempts. */
async function refusalAt(path: string, language: string): Promise<string> {
  service.clock.advanceMs(1_000);
  const answer = await fetch(service.url + path, { headers: { 'accept-language': language } });
  const text = await answer.text();
  assert.equal(answer.status, 404, `${path}: ${text}`);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path);
  return text;
}

test('an address without a link, or with an undecodable one, is that page too, in the language of the reader', async () => {
  const good = await pathOf(service, await newCharge(service));
  for (const language of ['en', 'pt-BR']) {
    const expected = await refusalAt('/pay/x', language);
    assert.match(
      expected,
      language === 'en' ? /This link does not open a charge/ : /Este link não abre nenhuma cobrança/,
    );
    const cut = ['/pay', '/pay/', '/pay?lang=', '/pay/%E0%A4%A', `${good}%E0%A4%A`, `${good}/%zz`, `${good}?from=%E0`];
    for (const path of cut) assert.equal(await refusalAt(path, language), expected, path);
  }
});

test('an address that tries many links has to wait; a valid link still opens', async () => {
  const path = await pathOf(service, await newCharge(service));
  const tries = Array.from({ length: 100 }, (_, index) => `/pay/${String(index).padStart(43, 'A')}`);
  const statuses = await Promise.all(tries.map(async wrong => (await fetch(service.url + wrong)).status));
  assert.ok(statuses.includes(429));
  assert.deepEqual(
    statuses.filter(status => status !== 404 && status !== 429),
    [],
  );
  assert.equal((await fetch(service.url + path)).status, 200);
});

test('the page is not cached, not indexed, and not framed', async () => {
  const { headers } = await fetch(service.url + (await pathOf(service, await newCharge(service))));
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.match(headers.get('x-robots-tag') ?? '', /noindex/);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /require-trusted-types-for 'script'/);
});

test('fetching the page, as chat apps do, changes nothing', async () => {
  const id = await openCharge(service);
  const before = (await service.get(`/charges/${id}`)).text;
  const page = await (await fetch(service.url + (await pathOf(service, id)))).text();
  assert.match(page, /property="og:title" content="Pagar R\$\s159,90 · Trilho Sandbox"/);
  assert.equal((await service.get(`/charges/${id}`)).text, before);
});

/** One pixel, and headers of pictures that would unpack to gigabytes. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const hugePng = () => {
  const bytes = Buffer.from(PIXEL, 'base64');
  bytes.writeUInt32BE(60_000, 16);
  bytes.writeUInt32BE(60_000, 20);
  return bytes.toString('base64');
};

test('name, colour, logo, links and frames of an account are on its checkouts', async () => {
  const id = await openCharge(service, { accountId: 'shop' });
  const { status, json } = await change('shop', {
    displayName: 'Padaria Central',
    document: '11.222.333/0001-81',
    colour: '#7A1FA2',
    logo: `data:image/png;base64,${PIXEL}`,
    returnUrl: 'https://shop.example.com/thanks',
    supportUrl: 'mailto:ajuda@example.com',
    frameOrigins: ['https://shop.example.com'],
  });
  assert.equal(status, 200);
  assert.deepEqual((await service.get('/accounts/shop/settings')).json, json);
  assert.equal(json.colour, '#7a1fa2');
  const path = await pathOf(service, id);
  const answer = await fetch(service.url + path);
  const page = await answer.text();
  for (const part of ['Padaria Central', '11.222.333/0001-81', 'mailto:ajuda@example.com', 'shop.example.com/thanks']) {
    assert.ok(page.includes(part), part);
  }
  assert.match(page, /:root\{--accent:#7a1fa2/);
  const policy = answer.headers.get('content-security-policy') ?? '';
  assert.match(policy, /frame-ancestors https:\/\/shop\.example\.com;/);
  assert.equal(answer.headers.get('x-frame-options'), null);
  const logo = await fetch(`${service.url}${path}/logo`);
  assert.equal(logo.headers.get('content-type'), 'image/png');
  assert.equal(logo.headers.get('x-content-type-options'), 'nosniff');
  assert.deepEqual(Buffer.from(await logo.arrayBuffer()), Buffer.from(PIXEL, 'base64'));
  const removed = await change('shop', { colour: null, logo: null });
  assert.equal(removed.json.colour, undefined);
  assert.equal(removed.json.hasLogo, false);
  assert.equal(removed.json.displayName, 'Padaria Central', 'what is left out stays');
});

test('what an account may not show is refused with every fault, and nothing is written', async () => {
  await newCharge(service, { accountId: 'bad' });
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString('base64');
  const cases: [Record<string, unknown>, string[]][] = [
    [{ colour: '#ffff00' }, ['colour']],
    [{ colour: 'red' }, ['colour']],
    [{ logo: `data:image/svg+xml;base64,${svg}` }, ['logo']],
    [{ logo: `data:image/png;base64,${svg}` }, ['logo']],
    [{ logo: `data:image/png;base64,${hugePng()}` }, ['logo']],
    [{ logo: 'https://example.com/logo.png' }, ['logo']],
    [{ returnUrl: 'javascript:alert(1)', supportUrl: 'data:text/html,x' }, ['returnUrl', 'supportUrl']],
    [{ supportUrl: 'mailto:,,' }, ['supportUrl']],
    [{ supportUrl: 'tel:' }, ['supportUrl']],
    [{ frameOrigins: ['*', 'https://a.example; script-src *'] }, ['frameOrigins[0]', 'frameOrigins[1]']],
    [{ document: '11.222.333/0001-82' }, ['document']],
    [
      { frameOrigins: ['https://*', 'https://a.example;sandbox', "https://a.example'"] },
      [0, 1, 2].map(at => `frameOrigins[${at}]`),
    ],
    [{ displayName: ' ' }, ['displayName']],
    // Written from right to left it reads otherwise; this one is not seen at all.
    [{ displayName: '\u202emoc.knab' }, ['displayName']],
    [{ displayName: '\u200b\u2060' }, ['displayName']],
    [{ nickname: 'x' }, ['nickname']],
  ];
  for (const [body, paths] of cases) {
    const { status, json } = await change('bad', { ...body, returnUrl: body['returnUrl'] ?? 'https://good.example' });
    assert.equal(status, 400, JSON.stringify(body));
    assert.deepEqual(
      json.errors.map(({ path }: { path: string }) => path),
      paths,
    );
  }
  assert.deepEqual((await service.get('/accounts/bad/settings')).json, {
    accountId: 'bad',
    frameOrigins: [],
    hasLogo: false,
    offersRemainder: false,
  });
  assert.equal((await change('nobody', {})).status, 404);
});
