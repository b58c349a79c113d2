// The payload behind a location, verified by an independent reader of JWS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose';
import { testClock } from '../../harness/clock.ts';
import { type Caller, cobBody, cobvBody, newTxid, startCaller } from './caller.ts';

/** Reads a location as a payer's bank does: without a client certificate. */
async function readPayload({ raw, psp }: Caller, location: string, query = '') {
  const answer = await raw('GET', `https://${location}${query}`, { certificate: null });
  if (answer.status !== 200) return answer;
  assert.equal(answer.headers['content-type'], 'application/jose');
  const { jku, alg, x5t, kid } = decodeProtectedHeader(answer.text);
  assert.deepEqual([jku, alg], [psp.jwksUrl, 'ES256']);
  assert.ok(x5t && kid);
  const { json: jwks } = await raw('GET', jku!, { certificate: null });
  const { payload } = await compactVerify(answer.text, createLocalJWKSet(jwks));
  return { ...answer, json: JSON.parse(new TextDecoder().decode(payload)) };
}

test('the payload of a charge is signed and has the amount to be paid', async t => {
  const caller = await startCaller(t);
  const txid = newTxid();
  const { json: charge } = await caller.call('PUT', `/cob/${txid}`, cobBody());
  const { json } = await readPayload(caller, charge.location);
  assert.deepEqual([json.txid, json.status, json.revisao], [txid, 'ATIVA', 0]);
  assert.deepEqual(json.valor, { original: '37.00', modalidadeAlteracao: 0 });
  assert.ok(json.calendario.apresentacao);
  await caller.call('PATCH', `/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  assert.equal((await readPayload(caller, charge.location)).status, 410);
});

const LATE = {
  original: '100.00',
  multa: { modalidade: 2, valorPerc: '2.00' },
  juros: { modalidade: 3, valorPerc: '1.00' },
  desconto: {
    modalidade: 1,
    descontoDataFixa: [
      { data: '2030-12-05', valorPerc: '10.00' },
      { data: '2030-12-08', valorPerc: '5.00' },
    ],
  },
};

test('the payload of a charge with a due date has the amounts of the day on which the payer will pay', async t => {
  const caller = await startCaller(t, { clock: testClock('2030-12-02T15:00:00Z') });
  const { json: charge } = await caller.call('PUT', `/cobv/${newTxid()}`, cobvBody({ valor: LATE }));
  const on = async (day: string) =>
    (await readPayload(caller, charge.location, `?codMun=3550308&DPP=${day}`)).json.valor;
  assert.deepEqual(await on('2030-12-05'), { original: '100.00', desconto: '10.00', final: '90.00' });
  assert.deepEqual(await on('2030-12-06'), { original: '100.00', desconto: '5.00', final: '95.00' });
  assert.deepEqual(await on('2030-12-10'), { original: '100.00', final: '100.00' });
  assert.deepEqual(await on('2030-12-13'), { original: '100.00', multa: '2.00', juros: '0.10', final: '102.10' });
  for (const query of ['?DPP=2030-12-01', '?DPP=2031-01-10', '?DPP=soon', '?codMun=12']) {
    const refused = await readPayload(caller, charge.location, query);
    assert.equal(refused.status, 400, query);
    assert.match(refused.json.type, /CobPayloadOperacaoInvalida$/);
  }
});

test('a location without a charge has no payload, and later that of its charge', async t => {
  const caller = await startCaller(t);
  const { json: location } = await caller.call('POST', '/loc', { tipoCob: 'cob' });
  assert.equal((await readPayload(caller, location.location)).status, 404);
  const txid = newTxid();
  await caller.call('PUT', `/cob/${txid}`, cobBody({ loc: { id: location.id } }));
  assert.equal((await readPayload(caller, location.location)).json.txid, txid);
  const other = await caller.call('PUT', `/cob/${newTxid()}`, cobBody({ loc: { id: location.id } }));
  assert.equal(other.json.violacoes[0].propriedade, 'cob.loc.id');
  assert.equal((await caller.call('GET', `/loc/${location.id}`)).json.txid, txid);
  assert.equal((await caller.call('DELETE', `/loc/${location.id}/txid`)).json.txid, undefined);
  assert.equal((await caller.call('GET', `/cob/${txid}`)).json.location, undefined);
  assert.equal((await readPayload(caller, location.location)).status, 404);
});

test('locations are listed, and one of the other kind is refused', async t => {
  const caller = await startCaller(t, { clock: testClock('2030-12-02T15:00:00Z') });
  const { json: due } = await caller.call('POST', '/loc', { tipoCob: 'cobv' });
  assert.equal((await caller.call('POST', '/loc', { tipoCob: 'rec' })).status, 400);
  const refused = await caller.call('PUT', `/cob/${newTxid()}`, cobBody({ loc: { id: due.id } }));
  assert.match(refused.json.violacoes[0].razao, /cobv/);
  await caller.call('PUT', `/cobv/${newTxid()}`, cobvBody());
  const list = (more: string) => caller.call('GET', `/loc?inicio=2030-12-02T00:00:00Z&fim=2030-12-02T15:00:00Z${more}`);
  assert.equal((await list('')).json.loc.length, 2);
  assert.equal((await list('&txIdPresente=false')).json.loc[0].id, due.id);
  assert.equal((await list('&tipoCob=cob')).json.loc.length, 0);
});
