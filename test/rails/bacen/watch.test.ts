// The list of received pix: which times are requested, how pages follow, and what happens when it cannot be read.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import type { BacenSettings } from '../../../src/rails/bacen/settings.ts';
import type { Receipt } from '../../../src/rails/rail.ts';
import { testClock } from '../../harness/clock.ts';
import { recordingLog } from '../../harness/log.ts';
import { NOW, PIX_KEY, type ScriptedPsp, startScriptedPsp } from './scripted-psp.ts';

const pixOf = (number: number, changes: object = {}) => ({
  endToEndId: `E${String(number).padStart(31, '0')}`,
  valor: '1.00',
  chave: PIX_KEY,
  horario: '2026-11-16T11:30:00Z',
  ...changes,
});

async function start(t: TestContext, quirks: BacenSettings['quirks'] = {}) {
  const psp = await startScriptedPsp(t);
  const { log, lines } = recordingLog();
  const { watch } = bacenRail({ ...psp.settings, quirks }, { clock: testClock(NOW), log });
  assert.ok(watch?.by === 'time');
  const list = async (from: string, to: string): Promise<Receipt[]> => {
    const found: Receipt[] = [];
    for (let cursor: string | undefined, page = 0; page < 50; page++) {
      const { receipts, next } = await watch.receipts(new Date(from), new Date(to), cursor);
      found.push(...receipts);
      if (next === undefined) return found;
      cursor = next;
    }
    return assert.fail('the pages never end');
  };
  return { psp, watch, list, lines };
}

const asked = ({ calls }: ScriptedPsp) =>
  calls.map(({ query }) => [query.get('inicio'), query.get('fim'), query.get('devolucaoPresente')]);

test('the end is never in the future, also for a clock that is behind, long times are split, and earlier payments are read for their returns', async t => {
  const { psp, list } = await start(t);
  psp.answer({ body: { pix: [] } });
  await list('2026-10-01T00:00:00.500Z', '2026-12-01T00:00:00Z');
  assert.deepEqual(asked(psp), [
    ['2026-10-01T00:00:00.500Z', '2026-11-01T00:00:00.500Z', null],
    ['2026-11-01T00:00:00.500Z', '2026-11-16T11:59:50.000Z', null],
    ['2026-07-02T00:00:00.500Z', '2026-08-02T00:00:00.500Z', 'true'],
    ['2026-08-02T00:00:00.500Z', '2026-09-02T00:00:00.500Z', 'true'],
    ['2026-09-02T00:00:00.500Z', '2026-10-01T00:00:00.500Z', 'true'],
  ]);
});

test('with whole seconds no time is skipped', async t => {
  const { psp, list } = await start(t, { pixDates: 'seconds', maxWindowDays: 366 });
  psp.answer({ body: { pix: [] } });
  await list('2026-11-15T03:00:00.700Z', '2026-11-16T02:59:59.999Z');
  assert.deepEqual(asked(psp)[0], ['2026-11-15T03:00:00Z', '2026-11-16T03:00:00Z', null]);
  await list('2026-11-16T11:00:00Z', '2026-11-16T12:00:00.900Z');
  assert.deepEqual(asked(psp)[2], ['2026-11-16T11:00:00Z', '2026-11-16T11:59:50Z', null]);
});

test('the future is not requested', async t => {
  const { psp, list } = await start(t);
  assert.deepEqual(await list('2026-11-17T00:00:00Z', '2026-11-18T00:00:00Z'), []);
  assert.deepEqual(psp.calls, []);
});

test("pages follow the PSP's count, or end with a partial one", async t => {
  const withCount = (page: number) => ({ parametros: { paginacao: { quantidadeDePaginas: 3 } }, pix: [pixOf(page)] });
  const sizes = [2, 2, 1];
  const withoutCount = (page: number) => ({
    pix: Array.from({ length: sizes[page] ?? 0 }, (_, index) => pixOf(page * 10 + index)),
  });
  for (const [answer, count] of [
    [withCount, 3],
    [withoutCount, 5],
  ] as const) {
    const { psp, list } = await start(t, { pageSize: 2, maxWindowDays: 366 });
    psp.answer(({ query }) =>
      query.has('devolucaoPresente') ? { body: {} } : { body: answer(Number(query.get('paginacao.paginaAtual'))) },
    );
    const receipts = await list('2026-11-16T00:00:00Z', NOW);
    assert.equal(new Set(receipts.map(({ reference }) => reference)).size, count);
    assert.equal(psp.calls.length, 4);
    assert.ok(psp.calls.every(({ query }) => query.get('paginacao.itensPorPagina') === '2'));
  }
});

test('a PSP with its own page size is read to the end by its count, and one without pages once', async t => {
  const all = Array.from({ length: 7 }, (_, index) => pixOf(index + 1));
  const counted = (total: number, pix: object[]) => ({
    parametros: { paginacao: { quantidadeTotalDeItens: total } },
    pix,
  });
  const answers: [(page: number) => object, number, number][] = [
    [page => counted(7, all.slice(page * 3, page * 3 + 3)), 7, 3],
    [() => counted(7, all), 7, 1],
    [() => ({ pix: all }), 7, 2],
    [() => counted(7, all.slice(0, 3)), 3, 2],
    [page => counted(7, all.slice(page * 3, page * 3 + 3).slice(0, page === 2 ? 0 : 3)), 6, 3],
  ];
  for (const [answer, found, calls] of answers) {
    const { psp, list, lines } = await start(t, { pageSize: 5, maxWindowDays: 366 });
    psp.answer(({ query }) =>
      query.has('devolucaoPresente') ? { body: {} } : { body: answer(Number(query.get('paginacao.paginaAtual'))) },
    );
    const receipts = await list('2026-11-16T00:00:00Z', NOW);
    assert.equal(new Set(receipts.map(({ reference }) => reference)).size, found);
    assert.equal(psp.calls.length, calls + 1);
    const missing = lines.map(line => JSON.parse(line)).map(({ level, count }) => [level, count]);
    assert.deepEqual(missing, found === 7 ? [] : [['error', 7 - found]]);
  }
});

test('returns above the payment are a warning that names the payment', async t => {
  const { psp, list, lines } = await start(t);
  const back = (valor: string, status = 'DEVOLVIDO') => ({ id: `D${valor}${status}`, valor, status });
  const pix = [
    pixOf(1, { devolucoes: [back('0.60'), back('0.40'), back('0.50', 'NAO_REALIZADO')] }),
    pixOf(2, { devolucoes: [back('0.60'), back('0.41')] }),
  ];
  psp.answer(({ query }) => ({ body: query.has('devolucaoPresente') ? {} : { pix } }));
  assert.equal((await list('2026-11-16T00:00:00Z', NOW)).length, 2);
  const said = lines.map(line => JSON.parse(line));
  assert.deepEqual(
    said.map(({ level, paymentReference }) => [level, paymentReference]),
    [['warn', pixOf(2).endToEndId]],
  );
});

test('the location of a request is looked up once, unless the PSP does not answer', async t => {
  const { psp, watch } = await start(t);
  psp.answer({ status: 403, body: {} });
  await assert.rejects(async () => watch.locationOf?.('1'), { code: 'rail_unavailable' });
  psp.answer({ body: { loc: { location: 'https://pix.example.com/1' } } });
  for (let times = 0; times < 3; times++) assert.equal(await watch.locationOf?.('1'), 'pix.example.com/1');
  psp.answer({ status: 404, body: {} });
  for (let times = 0; times < 3; times++) assert.equal(await watch.locationOf?.('2'), undefined);
  assert.equal(psp.calls.length, 3);
});

test('the end stays the same from page to page while the clock advances', async t => {
  const psp = await startScriptedPsp(t);
  const clock = testClock(NOW);
  const { watch } = bacenRail({ ...psp.settings, quirks: { pageSize: 1 } }, { clock, log: recordingLog().log });
  assert.ok(watch?.by === 'time');
  psp.answer({ body: { pix: [pixOf(1)] } });
  const [from, to] = [new Date('2026-11-16T00:00:00Z'), new Date('2026-11-17T00:00:00Z')];
  const first = await watch.receipts(from, to);
  clock.advanceMs(60_000);
  await watch.receipts(from, to, first.next);
  assert.deepEqual(asked(psp)[1], asked(psp)[0]);
});

test('no answer is an outage, and so is a 404 unless the PSP uses it for a time without payments', async t => {
  const { psp, list, watch } = await start(t);
  const outages = [
    { status: 500 },
    { status: 403 },
    { status: 429 },
    { body: '<html>' },
    { status: 400, body: {} },
    'cut',
  ] as const;
  for (const action of outages) {
    psp.answer(action);
    await assert.rejects(list('2026-11-16T00:00:00Z', NOW), { code: 'rail_unavailable' }, JSON.stringify(action));
  }
  for (const action of [{ status: 500 }, { status: 403 }, { body: '' }, { body: { valor: 'x' } }, 'cut'] as const) {
    psp.answer(action);
    await assert.rejects(watch.receipt(pixOf(1).endToEndId), { code: 'rail_unavailable' }, JSON.stringify(action));
  }
  psp.answer({ status: 404, body: {} });
  await assert.rejects(list('2026-11-16T00:00:00Z', NOW), { code: 'rail_unavailable', message: /baseUrl/ });
  const other = await start(t, { emptyListIs404: true });
  other.psp.answer({ status: 404, body: {} });
  assert.deepEqual(await other.list('2026-11-16T00:00:00Z', NOW), []);
});

test('a payment is accepted only under the requested id', async t => {
  const { psp, watch } = await start(t);
  const { endToEndId } = pixOf(1);
  psp.answer({ body: pixOf(2) });
  assert.equal(await watch.receipt(endToEndId), undefined);
  for (const status of [400, 404, 410, 422]) {
    psp.answer({ status, body: {} });
    assert.equal(await watch.receipt(endToEndId), undefined);
  }
  psp.answer({ body: pixOf(1) });
  assert.equal((await watch.receipt(endToEndId))?.amountCents, 100n);
});

test('an unreadable payment in a list does not hide the others, and is logged without its contents', async t => {
  const { psp, list, lines } = await start(t);
  const answer = {
    pix: [
      pixOf(1),
      pixOf(2, { valor: 'hunter2' }),
      null,
      pixOf(4),
      pixOf(5, { devolucoes: [{ id: 'D', valor: 'hunter2' }] }),
    ],
  };
  psp.answer(({ query }) => ({ body: query.has('devolucaoPresente') ? {} : answer }));
  const receipts = await list('2026-11-16T00:00:00Z', NOW);
  assert.deepEqual(
    receipts.map(({ reference }) => reference),
    [pixOf(1).endToEndId, pixOf(4).endToEndId, pixOf(5).endToEndId],
  );
  assert.deepEqual(
    lines
      .map(text => JSON.parse(text))
      .map(({ level, rail, count, paymentReference }) => [level, rail, count, paymentReference]),
    [
      ['error', 'custom:test', 3, pixOf(2).endToEndId],
      ['error', 'custom:test', 3, undefined],
      ['error', 'custom:test', 3, pixOf(5).endToEndId],
    ],
  );
  assert.doesNotMatch(lines.join(), /hunter2/);
});
