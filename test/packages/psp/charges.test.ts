// Charges at the simulated PSP: created, revised, removed and read by the norm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePix } from 'pix-utils';
import { testClock } from '../../harness/clock.ts';
import { cobBody, cobvBody, KEY, newTxid, startCaller } from './caller.ts';

const clock = () => testClock('2030-12-02T15:00:00Z');

test('a charge is created, revised and removed, and keeps its revisions', async t => {
  const { call } = await startCaller(t, { clock: clock() });
  const path = `/cob/${newTxid()}`;
  const created = await call('PUT', path, cobBody());
  assert.deepEqual([created.status, created.json.status, created.json.revisao], [201, 'ATIVA', 0]);
  assert.equal(created.json.location, created.json.loc.location);
  const revised = await call('PUT', path, cobBody({ valor: { original: '40.00' } }));
  assert.deepEqual([revised.status, revised.json.revisao, revised.json.valor.original], [201, 1, '40.00']);
  assert.equal(revised.json.pixCopiaECola, created.json.pixCopiaECola);
  const patched = await call('PATCH', path, { solicitacaoPagador: 'Obrigado' });
  assert.deepEqual([patched.status, patched.json.revisao, patched.json.valor.original], [200, 2, '40.00']);
  assert.equal((await call('GET', `${path}?revisao=0`)).json.valor.original, '37.00');
  const noRevision = await call('GET', `${path}?revisao=9`);
  assert.match(noRevision.json.type, /CobConsultaInvalida$/);
  const removed = await call('PATCH', path, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  assert.deepEqual([removed.status, removed.json.status], [200, 'REMOVIDA_PELO_USUARIO_RECEBEDOR']);
  for (const [method, body] of [
    ['PUT', cobBody()],
    ['PATCH', { solicitacaoPagador: 'x' }],
  ] as const) {
    const refused = await call(method, path, body);
    assert.equal(refused.status, 400);
    assert.equal(refused.headers['content-type'], 'application/problem+json');
    assert.deepEqual(refused.json.violacoes[0].propriedade, 'cob.status');
  }
});

test('the code has the location and is read by an independent reader', async t => {
  const { call } = await startCaller(t);
  const { json } = await call('PUT', `/cob/${newTxid()}`, cobBody());
  const read = parsePix(json.pixCopiaECola);
  assert.ok('url' in read, 'a dynamic code');
  assert.equal(read.url, json.location);
  assert.ok(json.location.length <= 77 && json.pixCopiaECola.length <= 512);
});

test('POST /cob gives a txid of its own', async t => {
  const { call } = await startCaller(t);
  const { status, json } = await call('POST', '/cob', cobBody());
  assert.equal(status, 201);
  assert.match(json.txid, /^[a-zA-Z0-9]{26,35}$/);
  assert.equal((await call('GET', `/cob/${json.txid}`)).status, 200);
});

const WRONG_COBS: readonly [string, object, string][] = [
  ['an amount without cents', { valor: { original: '37' } }, 'cob.valor.original'],
  ['an amount of three decimals', { valor: { original: '37.505' } }, 'cob.valor.original'],
  ['a number for text', { valor: { original: 37.5 } }, 'cob.valor.original'],
  ['zero', { valor: { original: '0.00' } }, 'cob.valor.original'],
  ['a misspelt field', { calendario: { expiracoa: 60 } }, 'cob.calendario.expiracoa'],
  ['an expiry of zero', { calendario: { expiracao: 0 } }, 'cob.calendario.expiracao'],
  ["another receiver's key", { chave: 'other@example.com' }, 'cob.chave'],
  ['a payer with two ids', { devedor: { cpf: '12345678909', cnpj: '12345678000195', nome: 'x' } }, 'cob.devedor'],
  ['a payer without a name', { devedor: { cpf: '12345678909' } }, 'cob.devedor.nome'],
  ['a null', { solicitacaoPagador: null }, 'cob.solicitacaoPagador'],
  ['a text that is too long', { solicitacaoPagador: 'x'.repeat(141) }, 'cob.solicitacaoPagador'],
  ['an unknown location', { loc: { id: 99 } }, 'cob.loc.id'],
  ['a withdrawal', { valor: { original: '1.00', retirada: {} } }, 'cob.valor.retirada'],
];

test('a cob that breaks the norm is refused, and the property named', async t => {
  const { call } = await startCaller(t);
  for (const [name, part, property] of WRONG_COBS) {
    const { status, json } = await call('PUT', `/cob/${newTxid()}`, cobBody(part));
    assert.equal(status, 400, name);
    assert.equal(json.type, 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida', name);
    assert.deepEqual(
      json.violacoes.map((one: { propriedade: string }) => one.propriedade),
      [property],
      name,
    );
  }
  for (const txid of ['short', 'x'.repeat(36), `${'x'.repeat(25)}-`]) {
    const { status, json } = await call('PUT', `/cob/${txid}`, cobBody());
    assert.deepEqual([status, json.violacoes[0].propriedade], [400, 'txid'], txid);
  }
  assert.equal((await call('PUT', `/cob/${newTxid()}`, {})).json.violacoes.length, 3);
});

const WRONG_COBVS: readonly [string, object, string][] = [
  ['no payer', { devedor: undefined }, 'cobv.devedor'],
  ['a past day', { calendario: { dataDeVencimento: '2030-12-01' } }, 'cobv.calendario.dataDeVencimento'],
  ['a day that does not exist', { calendario: { dataDeVencimento: '2031-02-29' } }, 'cobv.calendario.dataDeVencimento'],
  [
    'a negative validity',
    { calendario: { dataDeVencimento: '2030-12-10', validadeAposVencimento: -1 } },
    'cobv.calendario.validadeAposVencimento',
  ],
  [
    'a fine of an unknown kind',
    { valor: { original: '100.00', multa: { modalidade: 3, valorPerc: '2.00' } } },
    'cobv.valor.multa.modalidade',
  ],
  [
    'a kind as text',
    { valor: { original: '100.00', juros: { modalidade: '3', valorPerc: '1.00' } } },
    'cobv.valor.juros.modalidade',
  ],
  [
    'a rebate of the whole amount',
    { valor: { original: '100.00', abatimento: { modalidade: 1, valorPerc: '100.00' } } },
    'cobv.valor.abatimento',
  ],
  [
    'a discount without its dates',
    { valor: { original: '100.00', desconto: { modalidade: 1 } } },
    'cobv.valor.desconto.descontoDataFixa',
  ],
  [
    'a discount after the due day',
    {
      valor: {
        original: '100.00',
        desconto: { modalidade: 1, descontoDataFixa: [{ data: '2030-12-11', valorPerc: '1.00' }] },
      },
    },
    'cobv.valor.desconto',
  ],
  [
    'a discount for each day that comes to all of it today',
    { valor: { original: '100.00', desconto: { modalidade: 3, valorPerc: '12.50' } } },
    'cobv.valor.desconto',
  ],
  [
    'a discount given twice',
    {
      valor: {
        original: '100.00',
        desconto: {
          modalidade: 1,
          descontoDataFixa: [
            { data: '2030-12-05', valorPerc: '1.00' },
            { data: '2030-12-05', valorPerc: '1.00' },
          ],
        },
      },
    },
    'cobv.valor.desconto.descontoDataFixa',
  ],
];

test('a cobv that breaks the norm is refused, and the property named', async t => {
  const { call } = await startCaller(t, { clock: clock() });
  for (const [name, part, property] of WRONG_COBVS) {
    const { status, json } = await call('PUT', `/cobv/${newTxid()}`, cobvBody(part));
    assert.equal(status, 400, name);
    assert.match(json.type, /CobVOperacaoInvalida$/, name);
    assert.deepEqual(json.violacoes[0].propriedade, property, name);
  }
});

test('a txid belongs to one charge of either kind, for each client', async t => {
  const { call, psp } = await startCaller(t, { clock: clock() });
  const txid = newTxid();
  await call('PUT', `/cob/${txid}`, cobBody());
  assert.equal((await call('PUT', `/cobv/${txid}`, cobvBody())).json.violacoes[0].propriedade, 'txid');
  assert.equal((await call('GET', `/cobv/${txid}`)).status, 404);
  await assert.rejects(psp.addClient({ clientId: 'other', clientSecret: 'x', keys: [KEY] }), /key/);
});

test('lists have pages and filters', async t => {
  const time = clock();
  const { call } = await startCaller(t, { clock: time });
  for (let number = 0; number < 5; number++) {
    await call('PUT', `/cob/${newTxid()}`, cobBody({ devedor: { cpf: `1234567890${number}`, nome: 'x' } }));
    time.advanceMs(60_000);
  }
  const list = (more = '') => call('GET', `/cob?inicio=2030-12-02T15:00:00Z&fim=2030-12-02T15:04:00Z${more}`);
  const { json } = await list('&paginacao.itensPorPagina=2&paginacao.paginaAtual=2');
  assert.equal(json.cobs.length, 1);
  assert.deepEqual(json.parametros.paginacao, {
    paginaAtual: 2,
    itensPorPagina: 2,
    quantidadeDePaginas: 3,
    quantidadeTotalDeItens: 5,
  });
  assert.equal((await list('&cpf=12345678903')).json.cobs.length, 1);
  assert.equal((await list('&status=CONCLUIDA')).json.cobs.length, 0);
  assert.equal((await call('GET', '/cob?inicio=2030-12-02T15:00:30Z&fim=2030-12-02T15:02:00Z')).json.cobs.length, 2);
});

test('a query that breaks the norm is refused', async t => {
  const { call } = await startCaller(t, { clock: clock() });
  const times = 'inicio=2030-12-01T00:00:00Z&fim=2030-12-02T00:00:00Z';
  for (const query of [
    '',
    'inicio=2030-12-01T00:00:00Z',
    'inicio=2030-12-01&fim=2030-12-02',
    'inicio=2030-12-02T00:00:00Z&fim=2030-12-01T00:00:00Z',
    'inicio=2030-12-01T00:00:00Z&fim=2030-12-03T00:00:00Z',
    `${times}&cpf=12345678909&cnpj=12345678000195`,
    `${times}&paginacao.itensPorPagina=1001`,
    `${times}&paginacao.paginaAtual=-1`,
    `${times}&pagina=1`,
  ]) {
    for (const [path, kind] of [
      ['/pix', 'PixConsultaInvalida'],
      ['/cob', 'CobConsultaInvalida'],
    ]) {
      const { status, json } = await call('GET', `${path}?${query}`);
      assert.equal(status, 400, query);
      assert.equal(json.type, `https://pix.bcb.gov.br/api/v2/error/${kind}`);
    }
  }
});
