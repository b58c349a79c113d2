// The link to a checkout: a capability that cannot be guessed, is rejected without a query when it is wrong, and can be withdrawn.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openLinks } from '../../src/charges/links/links.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const make = async () => service.post('/charges', chargeBody());
const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
const tokenIn = (url: string) => /\/pay\/([\w-]{43})$/.exec(url)?.[1] ?? '';

async function links() {
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  try {
    return await openLinks(db, () => service.url);
  } finally {
    await db.close();
  }
}

test("a charge has a checkoutUrl with the service's host, also in its events and in the Link header of the answer to its creation", async () => {
  const { json, headers } = await make();
  const { checkoutUrl } = await read(json.id);
  assert.match(checkoutUrl, /^http:\/\/localhost:\d+\/pay\/[\w-]{43}$/);
  assert.equal(headers.get('link'), `<${checkoutUrl}>; rel="payment"`);
  assert.deepEqual(Object.keys(json), ['id', 'boleto', 'pix'], 'the body is unchanged');
  const { json: feed } = await service.get(`/events?objectId=${json.id}`);
  assert.equal(feed.events[0].object.checkoutUrl, checkoutUrl);
});

test('a token finds its charge; with one bit changed, cut off or added it finds nothing', async () => {
  const { json } = await make();
  const { read: readToken } = await links();
  const token = tokenIn((await read(json.id)).checkoutUrl);
  assert.deepEqual(readToken(token), { id: json.id, linkEpoch: 0 });
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const forged = Buffer.from(bytes);
    forged[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(readToken(forged.toString('base64url')), undefined, `bit ${bit}`);
  }
  const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spare = other[other.indexOf(token[42]!) ^ 1]!;
  for (const wrong of ['', token.slice(0, -1), `${token}A`, token.slice(0, -1) + spare, json.id, `${token}=`]) {
    assert.equal(readToken(wrong), undefined, wrong);
  }
});

test('withdrawing the link gives the charge another one', async () => {
  const { json } = await make();
  const before = (await read(json.id)).checkoutUrl;
  const { json: after } = await service.post(`/charges/${json.id}/checkout/withdraw`, { checkoutUrl: before });
  assert.notEqual(after.checkoutUrl, before);
  assert.equal((await read(json.id)).checkoutUrl, after.checkoutUrl);
  const repeat = await service.post('/charges', chargeBody({ externalId: 'again' }));
  const { checkoutUrl } = await read(repeat.json.id);
  await service.post(`/charges/${repeat.json.id}/checkout/withdraw`, { checkoutUrl });
  const { headers } = await service.post('/charges', chargeBody({ externalId: 'again' }));
  assert.ok(headers.get('link')?.includes((await read(repeat.json.id)).checkoutUrl), 'a repeat has the present link');
});

test('a link that is named is withdrawn once, and no other link', async () => {
  const { id } = (await make()).json;
  const { id: otherId } = (await make()).json;
  const { checkoutUrl } = await read(id);
  const withdraw = (body: unknown) => service.post(`/charges/${id}/checkout/withdraw`, body);
  const after = await withdraw({ checkoutUrl });
  assert.equal(after.status, 200, after.text);
  const again = await withdraw({ checkoutUrl });
  assert.deepEqual([again.status, again.json.code], [409, 'wrong_state']);
  assert.match(again.json.detail, /withdrawn already/);
  const { checkoutUrl: others } = await read(otherId);
  for (const wrong of [others, checkoutUrl.slice(0, -1), 'https://example.com', '', 7]) {
    const refused = await withdraw({ checkoutUrl: wrong });
    assert.equal(refused.status, 400, String(wrong));
    assert.equal(refused.json.errors[0].path, 'checkoutUrl');
    assert.ok(!refused.text.includes(tokenIn(others)), 'a link is a credential and is not echoed');
  }
  assert.equal((await read(id)).checkoutUrl, after.json.checkoutUrl);
  assert.equal((await read(otherId)).checkoutUrl, others);
});

test('TRILHO_PUBLIC_URL is the base of the link', async context => {
  const named = await startService({ env: { TRILHO_PUBLIC_URL: 'https://pay.example.com/' } });
  context.after(() => named.stop());
  const { json } = await named.post('/charges', chargeBody());
  assert.match((await named.get(`/charges/${json.id}`)).json.checkoutUrl, /^https:\/\/pay\.example\.com\/pay\//);
});
