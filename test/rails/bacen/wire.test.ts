// The outcome of every way in which a call can end: nothing was sent, unknown, or the PSP has decided.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import type { BacenSettings } from '../../../src/rails/bacen/settings.ts';
import { testClock } from '../../harness/clock.ts';
import { recordingLog, silentLog } from '../../harness/log.ts';
import { type Action, CODE, NOW, paymentRequest, startScriptedPsp, TXID } from './scripted-psp.ts';

const request = paymentRequest();
const ANSWER = {
  status: 'ATIVA',
  txid: TXID,
  chave: 'recebedor@example.com',
  valor: { original: '159.90' },
  pixCopiaECola: CODE,
};
const rail = (settings: BacenSettings) => bacenRail(settings, { clock: testClock(NOW), log: silentLog });
const PROBLEM = {
  type: 'https://pix.bcb.gov.br/api/v2/error/CobVOperacaoInvalida',
  title: 'Cobrança inválida.',
  status: 400,
  detail: 'A requisição não respeita o schema.',
  violacoes: [{ razao: 'A chave não existe', propriedade: 'cobv.chave', valor: '52998224725' }],
};
const HTML = '<html><body><h1>Request blocked</h1></body></html>';
const LATER = new Date('2026-11-16T12:00:07Z');
const PAUSED_UNTIL = new Date('2026-11-16T12:00:30Z');

test('an answer to PUT is registered, rejected, unknown or unavailable', async t => {
  const psp = await startScriptedPsp(t);
  const { submit } = rail(psp.settings);
  const reason =
    'CobVOperacaoInvalida: Cobrança inválida. A requisição não respeita o schema. (cobv.chave: A chave não existe)';
  const retryAfter = { 'retry-after': '7' };
  const registered = { kind: 'registered', instrument: { emv: CODE } };
  const table: [Action, object][] = [
    [{ status: 201, body: ANSWER }, registered],
    [{ status: 200, body: ANSWER }, registered],
    [{ status: 202, body: ANSWER }, registered],
    [{ status: 201, body: `\uFEFF${JSON.stringify({ ...ANSWER, loc: null, devedor: null })}` }, registered],
    [{ status: 201, body: HTML }, { kind: 'unknown' }],
    [{ status: 201, body: '' }, { kind: 'unknown' }],
    [
      { status: 400, body: PROBLEM },
      { kind: 'rejected', reason },
    ],
    [
      { status: 422, body: { codigo: 'X1', mensagem: 'Não' } },
      { kind: 'rejected', reason: 'X1: Não' },
    ],
    [{ status: 400 }, { kind: 'rejected', reason: 'The PSP gave no reason.' }],
    [{ status: 400, body: HTML }, { kind: 'unavailable' }],
    [
      { status: 401, body: {} },
      { kind: 'unavailable', retryAt: PAUSED_UNTIL },
    ],
    [{ status: 403, body: { ...PROBLEM, status: 403 } }, { kind: 'unavailable' }],
    [{ status: 404, body: PROBLEM }, { kind: 'unavailable' }],
    [{ status: 405 }, { kind: 'unavailable' }],
    [{ status: 302, headers: { location: 'https://elsewhere.example' } }, { kind: 'unavailable' }],
    // The PSP answers that it has the charge and that it does not.
    [{ status: 409, body: PROBLEM }, { kind: 'unknown' }],
    [
      { status: 429, headers: retryAfter },
      { kind: 'unavailable', retryAt: LATER },
    ],
    [
      { status: 429, headers: { 'retry-after': LATER.toUTCString() } },
      { kind: 'unavailable', retryAt: LATER },
    ],
    [{ status: 429 }, { kind: 'unavailable' }],
    [
      { status: 503, headers: retryAfter },
      { kind: 'unavailable', retryAt: LATER },
    ],
    [{ status: 503 }, { kind: 'unknown' }],
    [{ status: 500, body: PROBLEM }, { kind: 'unknown' }],
    [{ status: 502, body: HTML }, { kind: 'unknown' }],
    [{ status: 504 }, { kind: 'unknown' }],
    ['cut', { kind: 'unknown' }],
    ['cut-body', { kind: 'unknown' }],
  ];
  for (const [action, outcome] of table) {
    psp.answer(({ method }) => (method === 'PUT' ? action : { status: 404, body: {} }));
    // A rail of its own: after a 401 no token is fetched for a while.
    const call = action === table[10]?.[0] ? rail(psp.settings).submit : submit;
    assert.deepEqual(await call(request, TXID), outcome, JSON.stringify(action));
  }
});

test('a refused PUT of a charge that the PSP already has is registered, if it is the same charge', async t => {
  const psp = await startScriptedPsp(t);
  const { submit } = rail(psp.settings);
  const outcomes: [object, object][] = [
    [ANSWER, { kind: 'registered', instrument: { emv: CODE } }],
    [
      { ...ANSWER, status: 'CONCLUIDA', valor: { original: 159.9 } },
      { kind: 'registered', instrument: { emv: CODE } },
    ],
    [
      { ...ANSWER, valor: { original: '159.91' } },
      { kind: 'rejected', reason: 'The PSP has another charge under this txid.' },
    ],
    [
      { ...ANSWER, chave: 'x@example.com' },
      { kind: 'rejected', reason: 'The PSP has another charge under this txid.' },
    ],
    [
      { ...ANSWER, status: 'REMOVIDA_PELO_PSP' },
      { kind: 'rejected', reason: 'The charge was removed at the PSP.' },
    ],
  ];
  for (const status of [400, 409, 422]) {
    for (const [body, outcome] of outcomes) {
      psp.answer(({ method }) => (method === 'PUT' ? { status } : { body }));
      assert.deepEqual(await submit(request, TXID), outcome, JSON.stringify([status, body]));
    }
    psp.answer(({ method }) => (method === 'PUT' ? { status } : { status: 500 }));
    assert.deepEqual(await submit(request, TXID), { kind: 'unknown' });
  }
});

test('an answer to a refund is done, rejected, accepted, unknown or unavailable', async t => {
  const psp = await startScriptedPsp(t);
  const { refund } = rail(psp.settings);
  const asked = { id: request.id, paymentReference: `E${'1'.repeat(31)}`, amountCents: 1_000n };
  const done = { id: TXID, valor: '10.00', status: 'DEVOLVIDO' };
  const refused = { codigo: 'X1', mensagem: 'Sem saldo' };
  const rejected = { kind: 'rejected', reason: 'X1: Sem saldo' };
  const other = { kind: 'rejected', reason: 'The PSP has a refund of another amount under this id.' };
  /** The answers to PUT and to the GET that may follow. */
  const table: [Action, Action, object][] = [
    [{ body: done }, 'cut', { kind: 'done' }],
    [{ body: { ...done, status: 'EM_PROCESSAMENTO' } }, 'cut', { kind: 'accepted' }],
    [
      { body: { ...done, status: 'NAO_REALIZADO', motivo: 'Conta encerrada' } },
      'cut',
      { kind: 'rejected', reason: 'Conta encerrada' },
    ],
    [{ body: HTML }, 'cut', { kind: 'unknown' }],
    [{ status: 422, body: refused }, { status: 404 }, rejected],
    [{ status: 404, body: refused }, { status: 404 }, rejected],
    [{ status: 400, body: refused }, { body: done }, { kind: 'done' }],
    [{ status: 409, body: refused }, { body: { ...done, valor: 10.01 } }, other],
    [{ status: 409, body: refused }, { status: 404 }, { kind: 'unknown' }],
    [{ status: 400, body: refused }, { status: 500 }, { kind: 'unknown' }],
    [{ status: 400, body: refused }, { status: 429 }, { kind: 'unknown' }],
    [{ status: 429 }, { status: 404 }, { kind: 'unavailable' }],
    [{ status: 403, body: refused }, { status: 404 }, { kind: 'unavailable' }],
    [{ status: 405, body: refused }, { status: 404 }, { kind: 'unavailable' }],
    [{ status: 404, body: HTML }, { status: 404 }, { kind: 'unavailable' }],
    [{ status: 500 }, { status: 404 }, { kind: 'unknown' }],
    ['cut', { status: 404 }, { kind: 'unknown' }],
  ];
  for (const [put, get, outcome] of table) {
    psp.answer(({ method }) => (method === 'PUT' ? put : get));
    assert.deepEqual(await refund(asked), outcome, JSON.stringify([put, get]));
  }
});

test('a call without an answer ends at its deadline: unknown if it was sent, unavailable if it was not', async t => {
  const psp = await startScriptedPsp(t);
  psp.answer('hang');
  const { submit, lookup } = rail({ ...psp.settings, timeoutSeconds: 1 });
  const silent = await startScriptedPsp(t);
  silent.answerToken('hang');
  const withoutToken = rail({ ...silent.settings, timeoutSeconds: 1 });
  assert.deepEqual(
    await Promise.all([submit(request, TXID), lookup(request, TXID), withoutToken.submit(request, TXID)]),
    [{ kind: 'unknown' }, { kind: 'unknown' }, { kind: 'unavailable' }],
  );
});

test('nothing was sent if the PSP cannot be reached or refuses the certificate', async t => {
  const psp = await startScriptedPsp(t);
  const unreachable = { baseUrl: 'https://localhost:1/api', tokenUrl: 'https://localhost:1/token' };
  const unknownName = { baseUrl: 'https://psp.invalid/api', tokenUrl: 'https://psp.invalid/token' };
  const { caFile: _, ...withoutCa } = psp.settings;
  const expired = await psp.keys.issue({ clientId: 'trilho', notAfter: new Date('2021-01-01T00:00:00Z') });
  const foreign = await psp.keys.issue({ clientId: 'trilho', foreign: true });
  const cases: [string, BacenSettings][] = [
    ['refused', { ...psp.settings, ...unreachable }],
    ['no such name', { ...psp.settings, ...unknownName }],
    ['unknown authority', withoutCa],
    ['expired', { ...psp.settings, certificateFile: expired.certificate, privateKeyFile: expired.key }],
    ['foreign', { ...psp.settings, certificateFile: foreign.certificate, privateKeyFile: foreign.key }],
  ];
  for (const [name, settings] of cases) {
    const outcome = await rail(settings).submit(request, TXID);
    assert.equal(outcome.kind, 'unavailable', name);
  }
  for (const maxVersion of ['TLSv1.2', undefined] as const) {
    const strict = await startScriptedPsp(t, { refusesClients: true, ...(maxVersion && { maxVersion }) });
    assert.equal((await rail(strict.settings).submit(request, TXID)).kind, 'unavailable');
  }
  assert.deepEqual([psp.calls, psp.tokenCalls], [[], []]);
});

test('nothing was sent if the API cannot be reached, although there is a token', async t => {
  const psp = await startScriptedPsp(t);
  const { submit } = rail({ ...psp.settings, baseUrl: 'https://localhost:1/api' });
  assert.deepEqual(await submit(request, TXID), { kind: 'unavailable' });
  assert.equal(psp.tokenCalls.length, 1);
});

test('an API that refuses only the certificate never rejects a charge', async t => {
  const tokens = await startScriptedPsp(t);
  for (const maxVersion of ['TLSv1.2', undefined] as const) {
    const api = await startScriptedPsp(t, { refusesClients: true, ...(maxVersion && { maxVersion }) });
    const { baseUrl } = api.settings;
    const { submit } = rail({ ...tokens.settings, ...(baseUrl && { baseUrl }) });
    // A server that closes the connection without an alert looks like one whose reply was lost.
    assert.ok(['unavailable', 'unknown'].includes((await submit(request, TXID)).kind));
    assert.deepEqual(api.calls, []);
  }
});

test('a GET on a kept connection that the server has closed is sent again, a PUT is not', async t => {
  const psp = await startScriptedPsp(t);
  const { submit, lookup } = rail(psp.settings);
  const script = (method: string) => {
    let isFirst = true;
    psp.answer(seen => {
      if (seen.method !== method || !isFirst) return { body: ANSWER };
      isFirst = false;
      return 'cut';
    });
  };
  psp.answer({ body: ANSWER });
  await lookup(request, TXID);
  script('GET');
  assert.equal((await lookup(request, TXID)).kind, 'registered');
  script('PUT');
  assert.equal((await submit(request, TXID)).kind, 'unknown');
});

test('an outage is logged once, and no line holds a secret, a document or a name', async t => {
  const psp = await startScriptedPsp(t);
  const { log, lines } = recordingLog();
  const { submit, lookup } = bacenRail(psp.settings, { clock: testClock(NOW), log });
  psp.answer({ status: 500, body: { ...PROBLEM, detail: 'hunter2-secret 52998224725 Maria' } });
  for (let call = 0; call < 3; call++) await submit(request, TXID);
  psp.answer({ body: ANSWER });
  await lookup(request, TXID);
  psp.answer({ status: 403 });
  await lookup(request, TXID);
  assert.deepEqual(
    lines.map(line => JSON.parse(line)).map(({ level, rail: name, reason }) => [level, name, reason]),
    [
      ['warn', 'custom:test', 'the PSP failed (500)'],
      ['warn', 'custom:test', 'the PSP denies access: a scope or the contract of this client lacks it'],
    ],
  );
  assert.doesNotMatch(lines.join(), /hunter2|52998224725|Maria|token-/);
});

test("the PSP's reason is kept short and without documents", async t => {
  const psp = await startScriptedPsp(t);
  const detail = `CPF 529.982.247-25 inválido\u0000${'x'.repeat(1_000)}`;
  psp.answer(({ method }) => (method === 'PUT' ? { status: 400, body: { title: 'Não', detail } } : { status: 404 }));
  const outcome = await rail(psp.settings).submit(request, TXID);
  assert.ok(outcome.kind === 'rejected');
  assert.match(outcome.reason, /^Não CPF … inválido x+$/);
  assert.equal(outcome.reason.length, 300);
});
