// The receiver behind a proxy that terminates TLS: only the configured proxy is trusted about the certificate of a caller.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { sessionOn } from '../harness/databases.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import { startTlsProxy, type TlsProxy, VERIFIED } from '../harness/tls-proxy.ts';

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };

/** The PSP tests at the registration that a caller without its certificate is refused. */
const startBehind = (...addresses: string[]) =>
  startServiceAtPsp({
    psp: { profile: 'efi' },
    rail: { profile: 'efi' },
    env: { TRILHO_RECEIVER: JSON.stringify({ port: 0, proxy: { addresses, ...VERIFIED } }) },
  });

let at: ServiceAtPsp;
let proxy: TlsProxy;
let publicUrl: string;
before(async () => {
  at = await startBehind('127.0.0.1');
  proxy = await startTlsProxy(at.psp, at.service.receiverUrl!);
  publicUrl = proxy.url + new URL(at.webhookUrl).pathname;
});
after(async () => {
  await proxy.stop();
  await at.stop();
});

/** Without a client certificate. */
function post(url: string, headers: Record<string, string> = {}): Promise<number> {
  const isPlain = url.startsWith('http:');
  const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return new Promise((resolve, reject) => {
    const sent = isPlain
      ? httpRequest(url, options, ({ statusCode = 0 }) => resolve(statusCode))
      : httpsRequest(url, { ...options, ca: readFileSync(at.psp.files.ca) }, ({ statusCode = 0 }) =>
          resolve(statusCode),
        );
    sent.once('error', reject);
    sent.end(JSON.stringify({ pix: [] }));
  });
}

const stored = async ({ service }: ServiceAtPsp) =>
  (await service.sql<{ count: number }>('select count(*)::int as count from notifications'))[0]?.count;

test('a notification reaches the receiver through the proxy, and its payment is credited', async () => {
  await at.registerWebhook(publicUrl);
  const { json } = await at.service.post('/charges', chargeBody({ methods: ['pix'], customer }));
  // The look of the start is over: only the notification reports the payment.
  await at.service.runJobs();
  await at.psp.pay({ emv: json.pix.emv });
  await at.psp.settled();
  assert.equal(at.psp.notifications().at(-1)?.status, 'delivered');
  await at.service.runJobs();
  assert.equal((await at.service.get(`/charges/${json.id}`)).json.state, 'PAID');
});

test('a caller whom the proxy has not verified is refused, with any header', async () => {
  const before = await stored(at);
  assert.equal(await post(publicUrl), 403);
  assert.equal(await post(publicUrl, { [VERIFIED.header]: VERIFIED.value }), 403);
  assert.equal(await post(`${proxy.url}/guessed`, { [VERIFIED.header]: VERIFIED.value }), 404);
  assert.equal(await stored(at), before);
});

test('a caller that is not the proxy is refused, also with the header of the proxy', async () => {
  const own = await startBehind('192.0.2.7');
  try {
    const direct = own.webhookUrl.replace('localhost', '127.0.0.1');
    assert.equal(await post(direct, { [VERIFIED.header]: VERIFIED.value }), 403);
    assert.equal(await post(direct), 403);
    assert.equal(await stored(own), 0);
  } finally {
    await own.stop();
  }
});

test('a notification that cannot be stored is answered with a time to retry', async t => {
  const session = await sessionOn(t, at.service.databaseUrl);
  await session.query('begin; lock table notifications');
  const url = at.service.receiverUrl + new URL(at.webhookUrl).pathname;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { [VERIFIED.header]: VERIFIED.value },
    body: '{"pix":[]}',
  });
  assert.equal(answer.status, 503);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  await session.query('rollback');
});
