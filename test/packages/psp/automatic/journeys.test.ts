// The four ways in which a payer approves a recurrence at the simulated PSP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCode, writeDynamicCode } from '../../../../packages/psp/src/br-code.ts';
import type { RefusalCode } from '../../../../packages/psp/src/payer.ts';
import { cobBody, cobvBody, newTxid } from '../caller.ts';
import { recBody, requestBody, startAutomatic, VARIABLE, WITH_RETRIES } from './caller.ts';

const refusal = (code: RefusalCode) => ({ name: 'PspRefusal', code });
const statuses = (thing: { atualizacao: { status: string }[] }) => thing.atualizacao.map(({ status }) => status);

test('codes are those of the Central Bank’s three examples', () => {
  const [name, city] = ['Fulano de Tal', 'BRASILIA'];
  const at = 'pix.example.com/qr/v2';
  const alone = { recurrence: `${at}/rec/2353c790eefb11eaadc10242ac120002`, name, city };
  const withCob = {
    location: `${at}/8b3da2f39a4140d1a91abd93113bd441`,
    recurrence: `${at}/rec/94ed2badcbc04c15b0bb7fa353194890`,
    name,
    city,
  };
  const withCobv = {
    location: `${at}/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7`,
    recurrence: `${at}/rec/3ffa640fa4f14080adccb949fa2dc0d0`,
    name,
    city,
  };
  // Bacen's API 2.9.0, examples recResponse3, 6 and 7.
  const published = [
    '00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9',
    '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741',
    '00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441',
  ];
  for (const [index, input] of [alone, withCob, withCobv].entries()) {
    assert.equal(writeDynamicCode(input), published[index]);
    const { location, recurrence } = readCode(published[index]!)!;
    assert.deepEqual([location, recurrence], ['location' in input ? input.location : undefined, input.recurrence]);
  }
});

test('journey 1: the payer accepts the request in their bank', async t => {
  const { call, clock, newRec, psp } = await startAutomatic(t);
  const { json: rec } = await call('POST', '/rec', recBody(WITH_RETRIES));
  assert.match(rec.idRec, /^RR9999999920301202[a-zA-Z0-9]{11}$/);
  assert.match(await newRec(), /^RN9999999920301202[a-zA-Z0-9]{11}$/);
  assert.deepEqual(
    [rec.status, rec.ativacao, rec.recebedor.cnpj],
    ['CRIADA', { tipoJornada: 'AGUARDANDO_DEFINICAO' }, '12ABC34501DE35'],
  );
  const asked = await call('POST', '/solicrec', requestBody(rec.idRec));
  const { idSolicRec, status } = asked.json;
  assert.deepEqual([asked.status, status], [201, 'CRIADA']);
  assert.match(idSolicRec, /^SC9999999920301202[a-zA-Z0-9]{11}$/);
  clock.advanceMs(1000);
  assert.equal((await call('GET', `/solicrec/${idSolicRec}`)).json.status, 'ENVIADA');
  clock.advanceMs(1000);
  assert.equal((await call('GET', `/solicrec/${idSolicRec}`)).json.status, 'RECEBIDA');
  psp.automatic.approve({ idSolicRec });
  const { json: approved } = await call('GET', `/rec/${rec.idRec}`);
  assert.deepEqual([approved.status, approved.ativacao], ['APROVADA', { tipoJornada: 'JORNADA_1' }]);
  assert.deepEqual(approved.pagador, { cpf: '15231470190', ispbParticipante: '91193552', codMun: '3550308' });
  assert.deepEqual(statuses(approved.solicitacao[0]), ['CRIADA', 'ENVIADA', 'RECEBIDA', 'ACEITA']);
  assert.throws(() => psp.automatic.approve({ idRec: rec.idRec }), refusal('not_found'));
});

test('journey 1: a request is refused, expires or is canceled, and only one is open', async t => {
  const { call, clock, newRec, psp } = await startAutomatic(t);
  const [refused, silent] = [await newRec(), await newRec()];
  const { json: first } = await call('POST', '/solicrec', requestBody(refused));
  const again = await call('POST', '/solicrec', requestBody(refused));
  assert.equal(again.status, 400);
  assert.equal(again.json.type, 'https://pix.bcb.gov.br/api/v2/error/SolicRecOperacaoInvalida');
  assert.match(again.json.violacoes[0].razao, /Existe uma solicitação ativa/);
  const canceled = await call('PATCH', `/solicrec/${first.idSolicRec}`, { status: 'CANCELADA' });
  assert.deepEqual([canceled.status, canceled.json.status], [201, 'CANCELADA']);
  assert.equal((await call('PATCH', `/solicrec/${first.idSolicRec}`, { status: 'CANCELADA' })).status, 400);
  const { json: second } = await call('POST', '/solicrec', requestBody(refused));
  psp.automatic.reject({ idSolicRec: second.idSolicRec, codigo: 'AP14' });
  const { json: ended } = await call('GET', `/rec/${refused}`);
  assert.deepEqual([ended.status, ended.encerramento.rejeicao.codigo], ['REJEITADA', 'AP14']);
  assert.deepEqual(
    ended.solicitacao.map(({ status }: { status: string }) => status),
    ['CANCELADA', 'REJEITADA'],
  );
  assert.equal((await call('POST', '/solicrec', requestBody(refused))).status, 400);

  await call('POST', '/solicrec', requestBody(silent));
  clock.set('2030-12-05T15:00:00Z');
  const { json: unanswered } = await call('GET', `/rec/${silent}`);
  assert.deepEqual(statuses(unanswered.solicitacao[0]), ['CRIADA', 'ENVIADA', 'RECEBIDA', 'EXPIRADA']);
  assert.equal(unanswered.status, 'CRIADA');
  assert.equal((await call('POST', '/solicrec', requestBody(silent))).status, 400, 'an end in the past');
  assert.equal((await call('POST', '/solicrec', requestBody(`RN${'0'.repeat(27)}`))).status, 404);
});

test('journey 2: the payer reads a code of the recurrence alone', async t => {
  const { call, raw, psp } = await startAutomatic(t);
  const { json: location } = await call('POST', '/locrec');
  assert.match(location.location, /^localhost:\d+\/qr\/v2\/rec\/[0-9a-f]{32}$/);
  const { json: rec } = await call('POST', '/rec', recBody({ loc: location.id, ...VARIABLE }));
  assert.deepEqual(rec.loc, { ...location, idRec: rec.idRec });
  const { dadosQR } = (await call('GET', `/rec/${rec.idRec}`)).json;
  assert.equal(dadosQR.jornada, 'JORNADA_2');
  assert.deepEqual(readCode(dadosQR.pixCopiaECola), { recurrence: location.location });
  const jws = await raw('GET', `https://${location.location}`);
  const payload = JSON.parse(Buffer.from(jws.text.split('.')[1]!, 'base64url').toString());
  assert.deepEqual([payload.idRec, payload.recebedor.ispbParticipante], [rec.idRec, '99999999']);
  await assert.rejects(psp.pay({ emv: dadosQR.pixCopiaECola }), refusal('not_found'));
  const approved = psp.automatic.approve({ emv: dadosQR.pixCopiaECola, maximum: '80.00' });
  assert.deepEqual([approved.rec.status, approved.rec.ativacao.tipoJornada], ['APROVADA', 'JORNADA_2']);
  assert.equal(approved.rec.pagador?.cpf, '45164632481');
  assert.throws(() => psp.automatic.approve({ emv: dadosQR.pixCopiaECola }), refusal('not_open'));
  psp.automatic.cancel({ idRec: rec.idRec });
  const gone = await raw('GET', `https://${location.location}`);
  assert.deepEqual(
    [gone.status, gone.json.type],
    [400, 'https://pix.bcb.gov.br/api/v2/error/RecPayloadOperacaoInvalida'],
  );
});

test('journey 3: paying the cob of the code approves the recurrence', async t => {
  const { call, psp } = await startAutomatic(t);
  const [txid, other] = [newTxid(), newTxid()];
  for (const one of [txid, other]) await call('PUT', `/cob/${one}`, cobBody());
  const loc = (await call('POST', '/locrec')).json.id;
  const { json: rec } = await call('POST', '/rec', recBody({ loc, ativacao: { dadosJornada: { txid } } }));
  assert.deepEqual(rec.ativacao, { tipoJornada: 'AGUARDANDO_DEFINICAO', dadosJornada: { txid } });
  const wrong = await call('GET', `/rec/${rec.idRec}?txid=${other}`);
  assert.deepEqual([wrong.status, wrong.json.type], [400, 'https://pix.bcb.gov.br/api/v2/error/RecConsultaInvalida']);
  const { dadosQR } = (await call('GET', `/rec/${rec.idRec}?txid=${txid}`)).json;
  assert.equal(dadosQR.jornada, 'JORNADA_3');
  const pix = await psp.pay({ emv: dadosQR.pixCopiaECola });
  assert.deepEqual([pix.txid, pix.valor], [txid, '37.00']);
  const { json: approved } = await call('GET', `/rec/${rec.idRec}`);
  assert.deepEqual(
    [approved.status, approved.ativacao],
    ['APROVADA', { tipoJornada: 'JORNADA_3', dadosJornada: { txid } }],
  );
  assert.equal((await call('GET', `/cob/${txid}`)).json.status, 'CONCLUIDA');
  await assert.rejects(psp.pay({ emv: dadosQR.pixCopiaECola }), refusal('not_open'));
});

test('journey 4: the payer of a cobv may approve the recurrence, and the txid of journey 3 is dropped', async t => {
  const { call, psp } = await startAutomatic(t);
  const [cob, cobv] = [newTxid(), newTxid()];
  await call('PUT', `/cob/${cob}`, cobBody());
  await call('PUT', `/cobv/${cobv}`, cobvBody());
  const loc = (await call('POST', '/locrec')).json.id;
  const { json: rec } = await call('POST', '/rec', recBody({ loc, ativacao: { dadosJornada: { txid: cob } } }));
  const { dadosQR } = (await call('GET', `/rec/${rec.idRec}?txid=${cobv}`)).json;
  assert.equal(dadosQR.jornada, 'JORNADA_4');
  await psp.pay({ emv: dadosQR.pixCopiaECola });
  assert.equal((await call('GET', `/rec/${rec.idRec}`)).json.status, 'CRIADA', 'paid without approving');
  const { rec: approved, pix } = psp.automatic.approve({ emv: dadosQR.pixCopiaECola, pay: false });
  assert.deepEqual([approved.status, approved.ativacao, pix], ['APROVADA', { tipoJornada: 'JORNADA_4' }, undefined]);
  assert.equal((await call('GET', `/rec/${rec.idRec}?txid=${cob}`)).status, 400, 'a cob does not fit journey 4');
  assert.equal((await call('GET', `/rec/${rec.idRec}?txid=${cobv}`)).status, 200);
});
