// Notifications of the simulated PSP: their addresses, contents and faults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, cobBody, KEY, newTxid, startCaller } from './caller.ts';
import { startTlsReceiver } from './receiver.ts';

const HOOK = `/webhook/${encodeURIComponent(KEY)}`;

async function payNew({ call, psp }: Caller): Promise<string> {
  const txid = newTxid();
  await call('PUT', `/cob/${txid}`, cobBody());
  return (await psp.pay({ txid })).endToEndId;
}

test('a webhook is set, read, listed and removed', async t => {
  const { call } = await startCaller(t);
  const url = 'https://example.com/hook';
  assert.equal((await call('PUT', HOOK, { webhookUrl: url })).status, 200);
  const { json } = await call('GET', HOOK);
  assert.deepEqual([json.webhookUrl, json.chave], [url, KEY]);
  assert.equal((await call('GET', '/webhook')).json.webhooks.length, 1);
  assert.equal((await call('DELETE', HOOK)).status, 204);
  assert.match((await call('GET', HOOK)).json.type, /WebhookNaoEncontrado$/);
  for (const webhookUrl of ['http://example.com/hook', 'nowhere', 3]) {
    assert.equal((await call('PUT', HOOK, { webhookUrl })).status, 400);
  }
  assert.equal((await call('PUT', '/webhook/other%40example.com', { webhookUrl: url })).status, 400);
});

test('a payment and the end of a refund are notified at url/pix; a pix without a txid is not', async t => {
  const caller = await startCaller(t);
  const { call, psp } = caller;
  const receiver = await startTlsReceiver(t, psp);
  await call('PUT', HOOK, { webhookUrl: receiver.url });
  const endToEndId = await payNew(caller);
  await psp.pay({ chave: KEY, valor: '1.00' });
  await psp.settled();
  await call('PUT', `/pix/${endToEndId}/devolucao/d1`, { valor: '1.00' });
  await psp.settled();
  assert.deepEqual(
    receiver.received.map(({ path, json }) => [path, json.pix[0].endToEndId, json.pix[0].devolucoes?.length]),
    [
      ['/hook/pix', endToEndId, undefined],
      ['/hook/pix', endToEndId, 1],
    ],
  );
});

test('a notification that is refused is sent again', async t => {
  const caller = await startCaller(t, { webhooks: { retryMs: [60_000, 60_000] } });
  const receiver = await startTlsReceiver(t, caller.psp);
  await caller.call('PUT', HOOK, { webhookUrl: receiver.url });
  receiver.answer(500);
  await payNew(caller);
  await caller.psp.settled();
  assert.deepEqual(
    caller.psp.notifications().map(({ status, answer }) => [status, answer]),
    [['waiting', 500]],
  );
  await caller.psp.deliverNow();
  receiver.answer(200);
  await caller.psp.deliverNow();
  assert.deepEqual(
    caller.psp.notifications().map(({ status, tries }) => [status, tries]),
    [['delivered', 3]],
  );
});

test('payments of one key can share a call', async t => {
  const caller = await startCaller(t, { webhooks: { groupMs: 60_000 } });
  const receiver = await startTlsReceiver(t, caller.psp);
  await caller.call('PUT', HOOK, { webhookUrl: receiver.url });
  for (let count = 0; count < 3; count++) await payNew(caller);
  await caller.psp.deliverNow();
  assert.deepEqual(
    receiver.received.map(({ json }) => json.pix.length),
    [3],
  );
});

test('notifications are dropped, duplicated, reordered and forged', async t => {
  const caller = await startCaller(t);
  const { psp } = caller;
  const receiver = await startTlsReceiver(t, psp);
  await caller.call('PUT', HOOK, { webhookUrl: receiver.url });
  const received = () =>
    receiver.received.splice(0).flatMap(({ json }) => json.pix.map((one: { endToEndId: string }) => one.endToEndId));
  psp.setFault({ kind: 'notify-drop', count: 1 });
  await payNew(caller);
  await psp.deliverNow();
  assert.deepEqual(received(), []);
  psp.setFault({ kind: 'notify-duplicate', count: 1 });
  const doubled = await payNew(caller);
  await psp.settled();
  assert.deepEqual(received(), [doubled, doubled]);
  psp.setFault({ kind: 'notify-reorder', count: 1 });
  const [late, early] = [await payNew(caller), await payNew(caller)];
  await psp.deliverNow();
  assert.deepEqual(received(), [early, late]);
  psp.setFault({ kind: 'notify-forge', count: 1 });
  const real = await payNew(caller);
  await psp.settled();
  const both: string[] = received();
  assert.equal(both.length, 2);
  const [forged] = both.filter(one => one !== real);
  assert.equal((await caller.call('GET', `/pix/${forged}`)).status, 404);
});

test('a forged call with a foreign certificate, or without one, is refused by a receiver that requires it', async t => {
  const { psp } = await startCaller(t);
  const receiver = await startTlsReceiver(t, psp);
  const pix = [{ endToEndId: 'E99999999203012021500aaaaaaaaaaa', valor: '1.00' }];
  assert.equal(await psp.forgeNotification({ url: receiver.url, pix }), 200);
  for (const presented of ['foreign', 'none'] as const) {
    await assert.rejects(psp.forgeNotification({ url: receiver.url, pix, with: presented }));
  }
  assert.equal(receiver.received.length, 1);
});

test('Efí calls the URL at registration: without a certificate, which must be refused, and with it', async t => {
  const { call, psp } = await startCaller(t, { profile: 'efi' });
  const strict = await startTlsReceiver(t, psp);
  const open = await startTlsReceiver(t, psp, { demandsCertificate: false });
  assert.equal((await call('PUT', HOOK, { webhookUrl: strict.url })).status, 200);
  assert.deepEqual(
    strict.received.map(({ path, json }) => [path, json.evento]),
    [['/hook', 'teste_webhook']],
  );
  const refused = await call('PUT', HOOK, { webhookUrl: open.url });
  assert.deepEqual([refused.status, refused.json.nome], [400, 'webhook_invalido']);
  strict.answer(500);
  assert.match((await call('PUT', HOOK, { webhookUrl: strict.url })).json.mensagem, /500/);
  const skipping = { 'x-skip-mtls-checking': 'true' };
  const url = `${open.url}?hmac=s3cret&ignorar=`;
  assert.equal((await call('PUT', HOOK, { webhookUrl: url }, skipping)).status, 200);
  await psp.forgeNotification({ url, pix: [] });
  assert.equal(open.received.at(-1)?.path, '/hook?hmac=s3cret&ignorar=/pix');
});
