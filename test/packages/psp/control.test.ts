// The control API of the simulated PSP: its methods over plain HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cobrBody, recBody, VARIABLE } from './automatic/caller.ts';
import { cobBody, newTxid, startCaller } from './caller.ts';

async function start(t: Parameters<typeof startCaller>[0]) {
  const caller = await startCaller(t);
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(caller.psp.controlUrl + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer.
    return { status: answer.status, json: (text === '' ? undefined : JSON.parse(text)) as any };
  };
  return { ...caller, control };
}

test("it gives the PSP's addresses, pays, refuses, returns and removes", async t => {
  const { call, control, psp } = await start(t);
  const { json: about } = await control('GET', '/');
  assert.deepEqual([about.url, about.tokenUrl, about.clients[0].clientId], [psp.url, psp.tokenUrl, 'trilho']);
  const [txid, other] = [newTxid(), newTxid()];
  for (const one of [txid, other]) await call('PUT', `/cob/${one}`, cobBody());
  const paid = await control('POST', '/pay', { txid, valor: '30.00', horario: '2025-01-15T12:00:00-03:00' });
  assert.deepEqual([paid.status, paid.json.valor, paid.json.horario], [201, '30.00', '2025-01-15T15:00:00.000Z']);
  const twice = await control('POST', '/pay', { txid });
  assert.deepEqual([twice.status, twice.json.error], [409, 'paid']);
  const { endToEndId } = paid.json;
  assert.equal((await control('POST', '/med', { endToEndId, valor: '10.00' })).json.natureza, 'MED_FRAUDE');
  assert.equal((await control('POST', '/med', { endToEndId, valor: '30.00' })).status, 400);
  assert.equal((await control('POST', '/med', { endToEndId, status: 'NAO_REALIZADO' })).status, 400);
  assert.equal((await control('POST', `/charges/${other}/remove`)).status, 204);
  assert.equal((await call('GET', `/cob/${other}`)).json.status, 'REMOVIDA_PELO_PSP');
  const { json: state } = await control('GET', '/state');
  assert.deepEqual([state.charges.length, state.pix.length, state.locations.length], [2, 1, 2]);
});

test('it sets faults, the end of refunds and the clock', async t => {
  const { call, control, psp } = await start(t);
  const { json } = await control('POST', '/faults', { kind: 'status', status: 503 });
  assert.equal((await call('GET', '/webhook')).status, 503);
  assert.equal((await control('GET', '/faults')).json[0].fired, 1);
  assert.equal((await control('DELETE', `/faults/${json.id}`)).status, 204);
  assert.equal((await call('GET', '/webhook')).status, 200);
  await control('PUT', '/refunds', { status: 'NAO_REALIZADO', afterMs: null });
  const { endToEndId } = await psp.pay({ chave: psp.client.keys[0]!, valor: '1.00' });
  await call('PUT', `/pix/${endToEndId}/devolucao/d1`, { valor: '1.00' });
  const ended = await control('POST', '/refunds/end', { endToEndId, id: 'd1', status: 'DEVOLVIDO' });
  assert.equal(ended.json.status, 'DEVOLVIDO');
  await control('POST', '/tokens/revoke');
  const { json: moved } = await control('POST', '/clock', { to: '2031-01-15T12:00:00-03:00' });
  assert.match(moved.now, /^2031-01-15T15:00:00/);
  assert.ok((await control('GET', '/requests')).json.length > 0);
  assert.deepEqual((await control('GET', '/notifications')).json, []);
});

test('it opens clients and issues certificates', async t => {
  const { control, psp, raw } = await start(t);
  const input = { clientId: 'other', clientSecret: 's', keys: ['other@example.com'] };
  const made = await control('POST', '/clients', input);
  assert.equal(made.status, 201);
  assert.equal((await control('POST', '/clients', input)).status, 400);
  const issued = await control('POST', '/certificates', { clientId: 'other', notAfter: '2021-01-01T00:00:00Z' });
  assert.equal((await raw('POST', psp.tokenUrl, { certificate: issued.json })).status, 400);
});

test('unknown input is named', async t => {
  const { control } = await start(t);
  for (const [method, path, body, message] of [
    ['POST', '/pay', { txid: 3 }, /txid must be text/],
    ['POST', '/pay', { txid: 'x', amount: '1.00' }, /amount is not a field/],
    ['POST', '/faults', { kind: 'rain' }, /kind must be one of lost-reply/],
    ['POST', '/faults', { kind: 'slow', delayMs: 'long' }, /delayMs/],
    ['POST', '/clock', { to: 'tomorrow' }, /moment/],
    ['PUT', '/refunds', { status: 'DEVOLVIDO' }, /afterMs/],
    ['GET', '/sing', undefined, /There is no GET \/sing/],
  ] as const) {
    const { status, json } = await control(method, path, body);
    assert.ok(status === 400 || status === 404, path);
    assert.match(json.message, message);
  }
});

test('the payer of a recurrence approves, has limits and money, and cancels', async t => {
  const { call, control } = await start(t);
  const rules = { earliestDays: null, latestDays: 0, stepMs: 0, countedIn: 'banking', localHolidays: {} };
  assert.equal((await control('PUT', '/recs/rules', rules)).status, 204);
  const { id } = (await call('POST', '/locrec')).json;
  const make = async (more: object) => (await call('POST', '/rec', recBody(more))).json.idRec as string;
  const far = { calendario: { dataInicial: '2049-12-10', periodicidade: 'MENSAL' } };
  const idRec = await make({ loc: id, ...far, ...VARIABLE });
  const pagador = { cpf: '15231470190', codMun: '2611606' };
  const approved = await control('POST', '/recs/approve', { idRec, maximum: '80.00', pagador });
  assert.deepEqual([approved.json.rec.status, approved.json.rec.pagador.codMun], ['APROVADA', '2611606']);
  assert.equal((await control('POST', '/recs/approve', { idRec })).json.error, 'not_open');
  assert.equal((await control('PUT', '/recs/account', { idRec, balance: '100.00', maximum: null })).status, 200);
  const body = (dataDeVencimento: string) => cobrBody(idRec, { calendario: { dataDeVencimento } });
  const { txid } = (await call('POST', '/cobr', body('2049-12-10'))).json;
  assert.equal((await control('POST', '/cobrs/collect', { txid })).json.status, 'CONCLUIDA');
  const next = (await call('POST', '/cobr', body('2050-01-10'))).json.txid;
  assert.equal((await control('PUT', '/cobrs/refusal', { codigo: 'AG12', count: 1 })).status, 204);
  const refused = await control('POST', '/cobrs/collect', { txid: next });
  assert.deepEqual([refused.json.status, refused.json.encerramento.rejeicao.codigo], ['REJEITADA', 'AG12']);
  assert.equal((await control('PUT', '/cobrs/refusal', {})).status, 204);
  const last = (await call('POST', '/cobr', body('2050-01-11'))).json.txid;
  assert.equal((await control('POST', '/cobrs/cancel', { txid: last })).json.status, 'CANCELADA');
  const ended = await control('POST', '/recs/cancel', { idRec, solicitante: 'PSP_PAGADOR', codigo: 'FRUD' });
  assert.equal(ended.json.encerramento.cancelamento.codigo, 'FRUD');
  const [refusing, expiring] = [await make({ ...far }), await make({ ...far })];
  await call('PATCH', `/rec/${refusing}`, { loc: (await call('POST', '/locrec')).json.id });
  assert.equal((await control('POST', '/recs/reject', { idRec: refusing })).json.status, 'REJEITADA');
  assert.equal((await control('POST', '/recs/expire', { idRec: expiring })).json.status, 'EXPIRADA');
  const { json: state } = await control('GET', '/state');
  assert.deepEqual([state.recs.length, state.cobsr.length], [3, 3]);
  const wrong = [
    ['POST', '/recs/approve', { idRec: 1 }],
    ['POST', '/recs/approve', { idRec, pay: 'yes' }],
    ['POST', '/recs/cancel', { idRec, solicitante: 'ALGUEM' }],
    ['PUT', '/recs/account', { idRec, balance: 1 }],
    ['PUT', '/recs/rules', { latestDays: -1 }],
    ['PUT', '/recs/rules', { unknown: 1 }],
    ['PUT', '/cobrs/refusal', { codigo: 'LONGER' }],
    ['POST', '/cobrs/collect', {}],
  ] as const;
  for (const [method, path, input] of wrong) {
    const { status, json } = await control(method, path, input);
    assert.deepEqual([status, json.error], [400, 'bad_input'], `${method} ${path}`);
  }
});
