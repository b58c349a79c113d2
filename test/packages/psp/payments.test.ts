// The payer, refunds and returns of the simulated PSP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusalCode } from '../../../packages/psp/src/payer.ts';
import { testClock } from '../../harness/clock.ts';
import { cobBody, cobvBody, KEY, newTxid, startCaller } from './caller.ts';

const clock = () => testClock('2030-12-02T15:00:00Z');
const refusal = (code: RefusalCode) => ({ name: 'PspRefusal', code });

test('a paid charge is CONCLUIDA, its pix can be read, and it is not paid twice', async t => {
  const { call, psp } = await startCaller(t, { clock: clock() });
  const txid = newTxid();
  const { json } = await call('PUT', `/cob/${txid}`, cobBody());
  const pix = await psp.pay({ emv: json.pixCopiaECola, infoPagador: 'Obrigado' });
  assert.match(pix.endToEndId, /^E\d{8}203012021500[a-zA-Z0-9]{11}$/);
  assert.deepEqual([pix.txid, pix.valor, pix.chave, pix.infoPagador], [txid, '37.00', KEY, 'Obrigado']);
  const paid = (await call('GET', `/cob/${txid}`)).json;
  assert.deepEqual([paid.status, paid.pix], ['CONCLUIDA', [pix]]);
  assert.deepEqual((await call('GET', `/pix/${pix.endToEndId}`)).json, pix);
  await assert.rejects(psp.pay({ txid }), refusal('paid'));
  const again = await psp.pay({ txid, force: true, valor: '1.00' });
  assert.equal((await call('GET', `/cob/${txid}`)).json.pix[1].endToEndId, again.endToEndId);
});

test('an expired, removed or unknown charge cannot be paid', async t => {
  const time = clock();
  const { call, psp } = await startCaller(t, { clock: time });
  const [expiring, removed, byPsp] = [newTxid(), newTxid(), newTxid()];
  await call('PUT', `/cob/${expiring}`, cobBody({ calendario: { expiracao: 60 } }));
  await call('PUT', `/cob/${removed}`, cobBody());
  const { json } = await call('PUT', `/cob/${byPsp}`, cobBody());
  await call('PATCH', `/cob/${removed}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  psp.removeCharge(byPsp);
  time.advanceMs(60_001);
  await assert.rejects(psp.pay({ txid: expiring }), refusal('expired'));
  assert.equal((await call('GET', `/cob/${expiring}`)).json.status, 'ATIVA');
  await assert.rejects(psp.pay({ txid: removed }), refusal('removed'));
  await assert.rejects(psp.pay({ emv: json.pixCopiaECola }), refusal('removed'));
  assert.equal((await call('GET', `/cob/${byPsp}`)).json.status, 'REMOVIDA_PELO_PSP');
  await assert.rejects(psp.pay({ emv: json.pixCopiaECola.replace('986', '987') }), refusal('bad_code'));
  await assert.rejects(psp.pay({ txid: newTxid() }), refusal('not_found'));
  await assert.rejects(psp.pay({ chave: 'other@example.com', valor: '1.00' }), refusal('key_unknown'));
});

test('a key can be paid many times, without a txid', async t => {
  const { call, psp } = await startCaller(t, { clock: clock() });
  for (const valor of ['1.00', '2.00']) await psp.pay({ chave: KEY, valor });
  await assert.rejects(psp.pay({ chave: KEY }), refusal('amount_missing'));
  const times = 'inicio=2030-12-02T14:00:00Z&fim=2030-12-02T15:00:00Z';
  assert.equal((await call('GET', `/pix?${times}&txIdPresente=false`)).json.pix.length, 2);
  assert.equal((await call('GET', `/pix?${times}&txIdPresente=true`)).json.pix.length, 0);
});

test('a charge with a due date costs fine and interest when late, and ends', async t => {
  const time = clock();
  const { call, psp } = await startCaller(t, { clock: time });
  const valor = {
    original: '100.00',
    multa: { modalidade: 2, valorPerc: '2.00' },
    juros: { modalidade: 3, valorPerc: '1.00' },
  };
  const [late, over] = [newTxid(), newTxid()];
  for (const txid of [late, over]) await call('PUT', `/cobv/${txid}`, cobvBody({ valor }));
  time.set('2030-12-13T15:00:00Z');
  const pix = await psp.pay({ txid: late });
  assert.equal(pix.valor, '102.10');
  assert.deepEqual((await call('GET', `/pix/${pix.endToEndId}`)).json.componentesValor, {
    original: { valor: '100.00' },
    multa: { valor: '2.00' },
    juros: { valor: '0.10' },
  });
  time.set('2031-01-11T15:00:00Z');
  await assert.rejects(psp.pay({ txid: over }), refusal('expired'));
});

test('refunds go up to the payment, each id once, within 90 days', async t => {
  const time = clock();
  const { call, psp } = await startCaller(t, { clock: time });
  const { endToEndId } = await psp.pay({ chave: KEY, valor: '10.00' });
  const path = `/pix/${endToEndId}/devolucao`;
  const first = await call('PUT', `${path}/a1`, { valor: '7.00', descricao: 'troco' });
  assert.deepEqual([first.status, first.json.status, first.json.natureza], [201, 'DEVOLVIDO', 'ORIGINAL']);
  assert.match(first.json.rtrId, /^D[a-zA-Z0-9]{31}$/);
  assert.deepEqual((await call('GET', `${path}/a1`)).json, first.json);
  for (const [id, body] of [
    ['a1', { valor: '1.00' }],
    ['a2', { valor: '3.01' }],
    ['a-3', { valor: '1.00' }],
    ['a4', { valor: '0.00' }],
    ['a5', { valor: '1.00', natureza: 'MED_FRAUDE' }],
  ] as const) {
    const refused = await call('PUT', `${path}/${id}`, body);
    assert.deepEqual([refused.status, refused.json.title], [400, 'Devolução inválida.'], id);
  }
  assert.match((await call('GET', `${path}/a2`)).json.type, /PixDevolucaoNaoEncontrada$/);
  time.advanceMs(91 * 86_400_000);
  const tooLate = await call('PUT', `${path}/a6`, { valor: '1.00' });
  assert.equal(tooLate.status, 400);
});

test('a refund ends later, or fails, and then its amount is available again', async t => {
  const { call, psp } = await startCaller(t, { refunds: { status: 'DEVOLVIDO', afterMs: null } });
  const { endToEndId } = await psp.pay({ chave: KEY, valor: '10.00' });
  const path = `/pix/${endToEndId}/devolucao`;
  assert.equal((await call('PUT', `${path}/a1`, { valor: '10.00' })).json.status, 'EM_PROCESSAMENTO');
  psp.endRefund({ endToEndId, id: 'a1', status: 'NAO_REALIZADO' });
  const ended = (await call('GET', `${path}/a1`)).json;
  assert.equal(ended.status, 'NAO_REALIZADO');
  assert.ok(ended.motivo);
  psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  assert.equal((await call('PUT', `${path}/a2`, { valor: '10.00' })).json.status, 'DEVOLVIDO');
});

test('a return of the MED takes a part or the rest without a request', async t => {
  const { call, psp } = await startCaller(t);
  const { endToEndId } = await psp.pay({ chave: KEY, valor: '10.00' });
  psp.medReturn({ endToEndId, valor: '4.00', natureza: 'MED_OPERACIONAL' });
  psp.medReturn({ endToEndId });
  const { devolucoes } = (await call('GET', `/pix/${endToEndId}`)).json;
  assert.deepEqual(
    devolucoes.map((one: { natureza: string; valor: string }) => [one.natureza, one.valor]),
    [
      ['MED_OPERACIONAL', '4.00'],
      ['MED_FRAUDE', '6.00'],
    ],
  );
  assert.throws(() => psp.medReturn({ endToEndId }), /0\.00/);
});

test('a return of the MED in process has no time of settlement until it ends', async t => {
  const { call, psp } = await startCaller(t);
  const { endToEndId } = await psp.pay({ chave: KEY, valor: '10.00' });
  const { id } = psp.medReturn({ endToEndId, status: 'EM_PROCESSAMENTO' });
  const shown = async () => (await call('GET', `/pix/${endToEndId}`)).json.devolucoes[0];
  const before = await shown();
  assert.deepEqual([before.status, before.horario.liquidacao], ['EM_PROCESSAMENTO', undefined]);
  assert.throws(() => psp.medReturn({ endToEndId }), /0\.00/, 'its amount is reserved');
  psp.endRefund({ endToEndId, id, status: 'NAO_REALIZADO', motivo: 'Contestação recusada.' });
  const after = await shown();
  assert.deepEqual([after.status, after.motivo], ['NAO_REALIZADO', 'Contestação recusada.']);
});
