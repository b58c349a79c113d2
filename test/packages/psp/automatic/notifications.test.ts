// The webhooks of Pix Automático, and the effect of faults on them and on the calls of the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTxid } from '../caller.ts';
import { startTlsReceiver } from '../receiver.ts';
import { cobrBody, recBody, requestBody, startAutomatic } from './caller.ts';

async function start(t: Parameters<typeof startAutomatic>[0]) {
  const caller = await startAutomatic(t, { webhooks: { retryMs: [] } });
  const receiver = await startTlsReceiver(t, caller.psp);
  const webhookUrl = receiver.url;
  for (const path of ['/webhookrec', '/webhookcobr']) await caller.call('PUT', path, { webhookUrl });
  const paths = () => receiver.received.map(({ path }) => path);
  return { ...caller, receiver, paths };
}

test('every change of a recurrence and of its charges is posted over mTLS', async t => {
  const { approved, call, clock, paths, psp, receiver, scheduled } = await start(t);
  const idRec = await approved();
  await psp.settled();
  assert.deepEqual(paths(), ['/hook/rec']);
  const [rec] = receiver.received[0]!.json.recs;
  assert.deepEqual([rec.idRec, rec.status, rec.ativacao], [idRec, 'APROVADA', { tipoJornada: 'JORNADA_2' }]);
  const txid = await scheduled(idRec);
  await psp.settled();
  clock.set('2030-12-10T11:00:00Z');
  await psp.settled();
  const charges = receiver.received.slice(1).map(({ json }) => json.cobsr[0]);
  assert.deepEqual(
    charges.map(({ status, tentativas: [attempt] }) => [status, attempt.status]),
    [
      ['ATIVA', 'SOLICITADA'],
      ['ATIVA', 'AGENDADA'],
      ['CONCLUIDA', 'PAGA'],
    ],
  );
  const last = charges.at(-1);
  assert.deepEqual([last.txid, last.pix[0].valor], [txid, '35.00']);
  await call('PUT', `/pix/${last.pix[0].endToEndId}/devolucao/d1`, { valor: '1.00' });
  await psp.settled();
  assert.equal(receiver.received.at(-1)?.json.cobsr[0].pix[0].devolucoes[0].id, 'd1');
  psp.automatic.cancel({ idRec });
  await psp.settled();
  assert.deepEqual(receiver.received.at(-1)?.json.recs[0].encerramento.cancelamento.solicitante, 'USUARIO_PAGADOR');
});

test('webhooks are read, replaced and removed, one of each kind for a receiver', async t => {
  const { approved, call, psp, receiver } = await start(t);
  const { json } = await call('GET', '/webhookrec');
  assert.deepEqual([json.webhookUrl, json.criacao], [receiver.url, '2030-12-02T15:00:00.000Z']);
  const wrong = await call('PUT', '/webhookcobr', { webhookUrl: 'http://example.com' });
  assert.deepEqual(
    [wrong.status, wrong.json.type],
    [400, 'https://pix.bcb.gov.br/api/v2/error/WebhookCobROperacaoInvalida'],
  );
  assert.equal((await call('DELETE', '/webhookrec')).status, 204);
  assert.equal((await call('GET', '/webhookrec')).status, 404);
  assert.equal((await call('GET', '/webhookcobr')).json.webhookUrl, receiver.url);
  await approved();
  await psp.settled();
  assert.deepEqual(receiver.received, []);
});

test('notifications are lost, repeated, reordered and forged', async t => {
  const { approved, psp, receiver } = await start(t);
  const received = async (kind: 'notify-drop' | 'notify-duplicate' | 'notify-forge') => {
    receiver.received.length = 0;
    psp.setFault({ kind, count: 1 });
    const idRec = await approved();
    await psp.settled();
    return { idRec, ids: receiver.received.map(({ json }) => json.recs[0].idRec) };
  };
  assert.deepEqual((await received('notify-drop')).ids, []);
  const twice = await received('notify-duplicate');
  assert.deepEqual(twice.ids, [twice.idRec, twice.idRec]);
  const forged = await received('notify-forge');
  assert.equal(forged.ids.length, 2);
  assert.equal(new Set(forged.ids).size, 2);
  receiver.received.length = 0;
  psp.setFault({ kind: 'notify-reorder', count: 1 });
  const [held, next] = [await approved(), await approved()];
  await psp.settled();
  assert.deepEqual(
    receiver.received.map(({ json }) => json.recs[0].idRec),
    [next, held],
  );
  const { url } = receiver;
  assert.equal(await psp.forgeNotification({ url, cobsr: [{ txid: newTxid(), status: 'CONCLUIDA' }] }), 200);
  assert.equal(receiver.received.at(-1)?.path, '/hook/cobr');
});

test('a call whose answer was lost was carried out, and is found by its id', async t => {
  const { approved, call, psp } = await start(t);
  const idRec = await approved();
  const txid = newTxid();
  psp.setFault({ kind: 'lost-reply', on: { method: 'PUT', path: '/cobr/' }, count: 1 });
  await assert.rejects(call('PUT', `/cobr/${txid}`, cobrBody(idRec)));
  assert.equal((await call('GET', `/cobr/${txid}`)).json.idRec, idRec);
  psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 1 });
  await assert.rejects(call('POST', '/rec', recBody()));
  const list = await call('GET', '/rec?inicio=2030-12-02T00:00:00Z&fim=2030-12-02T15:00:00Z&status=CRIADA');
  const [{ idRec: lost }] = list.json.recs;
  psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/solicrec' }, count: 1 });
  await assert.rejects(call('POST', '/solicrec', requestBody(lost)));
  assert.equal((await call('GET', `/rec/${lost}`)).json.solicitacao.length, 1);
});

test('a stale read shows the state before the last change', async t => {
  const { approved, call, psp } = await start(t);
  const idRec = await approved();
  psp.setFault({ kind: 'stale-read', on: { path: '/rec/' }, count: 1 });
  assert.equal((await call('GET', `/rec/${idRec}`)).json.status, 'CRIADA');
  assert.equal((await call('GET', `/rec/${idRec}`)).json.status, 'APROVADA');
});
