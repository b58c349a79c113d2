// The charges of a recurrence at the simulated PSP: when they are accepted, scheduled, collected, retried and canceled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusalCode } from '../../../../packages/psp/src/payer.ts';
import { cobBody, newTxid } from '../caller.ts';
import { type AutomaticCaller, cobrBody, startAutomatic, VARIABLE, WITH_RETRIES } from './caller.ts';

const refusal = (code: RefusalCode) => ({ name: 'PspRefusal', code });
const due = (dataDeVencimento: string) => ({ calendario: { dataDeVencimento } });
const amount = (original: string) => ({ valor: { original } });
type Attempt = { tipo: string; status: string; dataLiquidacao: string };
const attempts = ({ tentativas = [] }: { tentativas?: Attempt[] }) =>
  tentativas.map(({ tipo, status, dataLiquidacao }) => `${tipo} ${dataLiquidacao} ${status}`);

function reader({ call }: AutomaticCaller) {
  return async (txid: string) => (await call('GET', `/cobr/${txid}`)).json;
}

async function refuses(caller: AutomaticCaller, why: RegExp, body: object, txid = newTxid()): Promise<void> {
  const { status, json } = await caller.call('PUT', `/cobr/${txid}`, body);
  assert.deepEqual([status, json.type], [400, 'https://pix.bcb.gov.br/api/v2/error/CobROperacaoInvalida']);
  assert.match(json.violacoes[0].razao, why);
}

test('a charge is scheduled at once and collected in the first hours of its day', async t => {
  const caller = await startAutomatic(t);
  const { approved, call, clock } = caller;
  const read = reader(caller);
  const txid = newTxid();
  const idRec = await approved();
  const made = await call('PUT', `/cobr/${txid}`, cobrBody(idRec));
  assert.deepEqual([made.status, made.json.status, made.json.tentativas], [201, 'CRIADA', undefined]);
  assert.deepEqual(made.json.calendario, { criacao: '2030-12-02', dataDeVencimento: '2030-12-10' });
  clock.advanceMs(1000);
  const asked = await read(txid);
  assert.deepEqual([asked.status, attempts(asked)], ['ATIVA', ['AGND 2030-12-10 SOLICITADA']]);
  clock.advanceMs(1000);
  assert.deepEqual(attempts(await read(txid)), ['AGND 2030-12-10 AGENDADA']);
  clock.set('2030-12-10T02:59:00Z');
  assert.equal((await read(txid)).status, 'ATIVA', 'not before its day begins in Brazil');
  clock.set('2030-12-10T11:00:00Z');
  const paid = await read(txid);
  assert.deepEqual([paid.status, attempts(paid)], ['CONCLUIDA', ['AGND 2030-12-10 PAGA']]);
  const [pix] = paid.pix;
  assert.deepEqual([pix.txid, pix.valor, pix.endToEndId], [txid, '35.00', paid.tentativas[0].endToEndId]);
  assert.ok(pix.horario > '2030-12-10T03:00' && pix.horario < '2030-12-10T11:00');
  const { json: alone } = await call('GET', `/pix/${pix.endToEndId}`);
  assert.deepEqual([alone.txid, alone.chave], [txid, undefined]);
  const listed = await call(
    'GET',
    `/cobr?inicio=2030-12-02T00:00:00Z&fim=2030-12-10T11:00:00Z&idRec=${idRec}&status=CONCLUIDA`,
  );
  assert.deepEqual(
    listed.json.cobsr.map((cobr: { txid: string }) => cobr.txid),
    [txid],
  );
});

test('a new charge must fit its recurrence, its account, the window and its cycle', async t => {
  const caller = await startAutomatic(t);
  const { approved, call, newRec, psp } = caller;
  await refuses(caller, /não está no status APROVADA/, cobrBody(await newRec()));
  await refuses(caller, /inexiste/, cobrBody(`RN${'0'.repeat(27)}`));
  const idRec = await approved({
    calendario: { dataInicial: '2030-12-06', dataFinal: '2031-01-31', periodicidade: 'MENSAL' },
  });
  await refuses(caller, /conta não pertence/, cobrBody(idRec, { recebedor: { conta: '1', tipoConta: 'CORRENTE' } }));
  await refuses(caller, /anterior à data de criação/, cobrBody(idRec, due('2030-12-01')));
  await refuses(caller, /fora da vigência/, cobrBody(idRec, due('2030-12-05')));
  await refuses(caller, /a mais de 10 dias/, cobrBody(idRec, due('2030-12-13')));
  psp.automatic.setRules({ latestDays: 5 });
  await refuses(caller, /a menos de 5 dias/, cobrBody(idRec, due('2030-12-06')));
  for (const wrong of [
    { infoAdicional: 'x'.repeat(141) },
    { valor: {} },
    { desconhecido: 1 },
    amount('0.00'),
    { ajusteDiaUtil: 'sim' },
  ]) {
    const { status, json } = await call('POST', '/cobr', cobrBody(idRec, wrong));
    assert.deepEqual([status, json.violacoes.length], [400, 1]);
  }
  const taken = newTxid();
  await call('PUT', `/cob/${taken}`, cobBody());
  await refuses(caller, /encontra-se em uso/, cobrBody(idRec), taken);
  const { json: first } = await call('POST', '/cobr', cobrBody(idRec));
  await refuses(caller, /encontra-se em uso/, cobrBody(idRec), first.txid);
  assert.equal((await call('PUT', `/cob/${first.txid}`, cobBody())).status, 400);
  await refuses(caller, /no mesmo ciclo/, cobrBody(idRec, due('2030-12-11')));
  await call('PATCH', `/cobr/${first.txid}`, { status: 'CANCELADA' });
  assert.equal((await call('POST', '/cobr', cobrBody(idRec, due('2030-12-11')))).status, 201);
  assert.equal((await call('PUT', '/cobr/short', cobrBody(idRec))).status, 400);
  assert.equal((await call('GET', `/cobr/${newTxid()}`)).status, 404);
});

test('a PSP without an earliest day sends a charge ten days before', async t => {
  const caller = await startAutomatic(t, { automatic: { earliestDays: null } });
  const { approved, clock, scheduled } = caller;
  const txid = await scheduled(await approved(), due('2031-01-15'));
  assert.equal((await reader(caller)(txid)).status, 'CRIADA');
  clock.set('2031-01-05T03:00:02Z');
  assert.deepEqual(attempts(await reader(caller)(txid)), ['AGND 2031-01-15 AGENDADA']);
});

test('the day of settlement is a banking day of the payer’s municipality, unless the charge says otherwise', async t => {
  const local = { '3550308': ['2030-12-09'] };
  const caller = await startAutomatic(t, { automatic: { localHolidays: local } });
  const { approved, scheduled } = caller;
  const start = { calendario: { dataInicial: '2030-12-07', periodicidade: 'SEMANAL' } };
  const [adjusted, exact] = [await approved(start), await approved(start)];
  const saturday = due('2030-12-07');
  const first = await reader(caller)(await scheduled(adjusted, saturday));
  assert.deepEqual(attempts(first), ['AGND 2030-12-10 AGENDADA']);
  const second = await reader(caller)(await scheduled(exact, { ...saturday, ajusteDiaUtil: false }));
  assert.deepEqual(attempts(second), ['AGND 2030-12-07 AGENDADA']);
});

test('without money it is tried again in the evening, and then ends', async t => {
  const caller = await startAutomatic(t);
  const { approved, clock, psp, scheduled } = caller;
  const read = reader(caller);
  const [poor, late] = [await approved(), await approved()];
  const [unpaid, paid] = [await scheduled(poor), await scheduled(late)];
  for (const idRec of [poor, late]) psp.automatic.setAccount({ idRec, balance: '34.99' });
  clock.set('2030-12-10T20:59:00Z');
  assert.deepEqual(attempts(await read(paid)), ['AGND 2030-12-10 AGENDADA']);
  psp.automatic.setAccount({ idRec: late, balance: '35.00' });
  clock.set('2030-12-11T00:00:00Z');
  const evening = await read(paid);
  assert.equal(evening.status, 'CONCLUIDA');
  assert.ok(evening.pix[0].horario > '2030-12-10T21:00');
  const over = await read(unpaid);
  assert.deepEqual([over.status, attempts(over)], ['EXPIRADA', ['AGND 2030-12-10 EXPIRADA']]);
  const { status, json } = await caller.call('POST', `/cobr/${unpaid}/retentativa/2030-12-12`);
  assert.equal(status, 400);
  assert.match(json.violacoes[0].razao, /não permite retentativa/);
});

test('three retries on different days within a week, and no retry while one is open', async t => {
  const caller = await startAutomatic(t);
  const { approved, call, clock, psp, scheduled } = caller;
  const read = reader(caller);
  const idRec = await approved(WITH_RETRIES);
  const txid = await scheduled(idRec);
  psp.automatic.setAccount({ idRec, balance: '0.00' });
  const retry = (day: string) => call('POST', `/cobr/${txid}/retentativa/${day}`);
  const refused = async (day: string, why: RegExp) => {
    const { status, json } = await retry(day);
    assert.equal(status, 400);
    assert.match(json.violacoes[0].razao, why);
  };
  await refused('2030-12-12', /SOLICITADA ou AGENDADA/);
  clock.set('2030-12-11T00:00:00Z');
  assert.equal((await read(txid)).status, 'ATIVA');
  await refused('2030-12-10', /não corresponde a uma data futura/);
  await refused('2030-12-18', /posterior a 2030-12-17/);
  await refused('2030-02-30', /não respeita o schema/);
  const asked = await retry('2030-12-12');
  assert.deepEqual(
    [asked.status, attempts(asked.json)],
    [201, ['AGND 2030-12-10 EXPIRADA', 'NTAG 2030-12-12 SOLICITADA']],
  );
  await refused('2030-12-13', /SOLICITADA ou AGENDADA/);
  for (const next of ['2030-12-13', '2030-12-14']) {
    clock.set(`${next}T00:00:00Z`);
    assert.equal((await read(txid)).status, 'ATIVA');
    assert.equal((await retry(next)).status, 201, `in the evening before ${next}`);
  }
  clock.set('2030-12-15T00:00:00Z');
  const over = await read(txid);
  assert.deepEqual([over.status, over.tentativas.length], ['EXPIRADA', 4]);
  await refused('2030-12-16', /não está no status ATIVA/);
});

test('a retry collects, a weekly recurrence leaves it less time, and without a retry a charge ends by itself', async t => {
  const caller = await startAutomatic(t);
  const { approved, call, clock, psp, scheduled } = caller;
  const read = reader(caller);
  const weekly = { calendario: { dataInicial: '2030-12-10', periodicidade: 'SEMANAL' }, ...WITH_RETRIES };
  const [retried, silent] = [await approved(weekly), await approved(weekly)];
  const [first, second] = [await scheduled(retried), await scheduled(silent)];
  for (const idRec of [retried, silent]) psp.automatic.setAccount({ idRec, balance: '0.00' });
  clock.set('2030-12-11T00:00:00Z');
  assert.equal((await call('POST', `/cobr/${first}/retentativa/2030-12-17`)).status, 400, 'the next cycle');
  assert.equal((await call('POST', `/cobr/${first}/retentativa/2030-12-16`)).status, 201);
  psp.automatic.setAccount({ idRec: retried, balance: null });
  clock.set('2030-12-16T12:00:00Z');
  const paid = await read(first);
  assert.deepEqual([paid.status, attempts(paid).at(-1)], ['CONCLUIDA', 'NTAG 2030-12-16 PAGA']);
  assert.equal((await read(second)).status, 'ATIVA');
  clock.set('2030-12-17T03:00:00Z');
  assert.equal((await read(second)).status, 'EXPIRADA');
});

test('the payer’s bank rejects: some codes keep the charge open, others and unknown ones end it', async t => {
  const caller = await startAutomatic(t);
  const { approved, clock, psp, scheduled } = caller;
  const read = reader(caller);
  const [fixed, limited] = [await approved(), await approved(VARIABLE)];
  const wrong = await read(await scheduled(fixed, amount('36.00')));
  assert.deepEqual(
    [wrong.status, wrong.encerramento.rejeicao.codigo, wrong.tentativas[0].rejeicao.codigo],
    ['REJEITADA', 'AM09', 'AM09'],
  );
  assert.throws(() => psp.automatic.setAccount({ idRec: fixed, maximum: '10.00' }), refusal('bad_input'));
  assert.throws(() => psp.automatic.setAccount({ idRec: limited, maximum: '10.00' }), refusal('bad_input'));
  psp.automatic.setAccount({ idRec: limited, maximum: '34.99' });
  const above = await scheduled(limited);
  assert.deepEqual([(await read(above)).status, (await read(above)).tentativas[0].rejeicao.codigo], ['ATIVA', 'AM02']);
  clock.set('2030-12-11T00:00:00Z');
  assert.equal((await read(above)).status, 'EXPIRADA');
  const inJanuary = due('2031-01-10');
  psp.automatic.setRules({ earliestDays: null });
  clock.set('2031-01-02T12:00:00Z');
  for (const codigo of ['AG12', 'CRNC']) {
    psp.automatic.refuseCharges({ codigo, count: 1 });
    const { status, encerramento } = await read(await scheduled(fixed, inJanuary));
    assert.deepEqual([status, encerramento.rejeicao.codigo], ['REJEITADA', codigo]);
  }
  psp.automatic.refuseCharges({ codigo: 'AB10', count: 1 });
  const again = await read(await scheduled(fixed, inJanuary));
  assert.deepEqual(attempts(again), ['AGND 2031-01-10 REJEITADA', 'RIFL 2031-01-10 AGENDADA']);
});

test('the receiver cancels until the evening before, the payer until midnight', async t => {
  const caller = await startAutomatic(t);
  const { approved, call, clock, psp, scheduled } = caller;
  const read = reader(caller);
  const [early, late, mine] = [
    await scheduled(await approved()),
    await scheduled(await approved()),
    await scheduled(await approved()),
  ];
  const canceled = await call('PATCH', `/cobr/${early}`, { status: 'CANCELADA' });
  assert.deepEqual([canceled.status, attempts(canceled.json)], [200, ['AGND 2030-12-10 CANCELADA']]);
  assert.deepEqual(
    [canceled.json.encerramento.cancelamento.solicitante, canceled.json.encerramento.cancelamento.codigo],
    ['USUARIO_RECEBEDOR', 'SLCR'],
  );
  assert.equal((await call('PATCH', `/cobr/${early}`, { status: 'CANCELADA' })).status, 400, 'it has ended');
  assert.equal((await call('PATCH', `/cobr/${late}`, { status: 'ATIVA' })).status, 400);
  clock.set('2030-12-10T01:00:00Z');
  const tooLate = await call('PATCH', `/cobr/${late}`, { status: 'CANCELADA' });
  assert.equal(tooLate.status, 400);
  assert.match(tooLate.json.violacoes[0].razao, /data igual ou maior/);
  psp.automatic.cancelCharge({ txid: mine });
  assert.equal((await read(mine)).encerramento.cancelamento.codigo, 'SLBD');
  psp.automatic.setRules({ cancelUntilHour: 24 });
  clock.set('2030-12-10T03:00:00Z');
  assert.equal((await call('PATCH', `/cobr/${late}`, { status: 'CANCELADA' })).status, 400);
  assert.throws(() => psp.automatic.cancelCharge({ txid: late }), refusal('too_late'));
});

test('a charge is collected on request, and its pix is refunded and taken back', async t => {
  const caller = await startAutomatic(t);
  const { approved, call, psp } = caller;
  const { json } = await call('POST', '/cobr', cobrBody(await approved()));
  const collected = psp.automatic.collect({ txid: json.txid });
  assert.equal(collected.status, 'CONCLUIDA');
  const [pix] = collected.pix!;
  const refund = await call('PUT', `/pix/${pix!.endToEndId}/devolucao/d1`, { valor: '5.00' });
  assert.deepEqual([refund.status, refund.json.natureza], [201, 'ORIGINAL']);
  psp.medReturn({ endToEndId: pix!.endToEndId, valor: '10.00', natureza: 'MED_PIX_AUTOMATICO' });
  assert.throws(() => psp.medReturn({ endToEndId: pix!.endToEndId, natureza: 'MED_OPERACIONAL' }), RangeError);
  const [shown] = (await reader(caller)(json.txid)).pix;
  assert.deepEqual(
    shown.devolucoes.map(({ natureza, valor }: { natureza: string; valor: string }) => [natureza, valor]),
    [
      ['ORIGINAL', '5.00'],
      ['MED_PIX_AUTOMATICO', '10.00'],
    ],
  );
});
