// The calls of Pix Automático against the simulated PSP: the four ways to an approval, collections to their end, and what a
// lost answer leaves.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Recurrence, RecurrenceRequest } from '../../../src/rails/automatic.ts';
import { diagnoseRail } from '../../../src/rails/bacen/diagnose.ts';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import { recurrenceIn } from '../../../src/rails/br-code.ts';
import { testClock } from '../../harness/clock.ts';
import { silentLog } from '../../harness/log.ts';
import { type Action, NOW, paymentRequest, quoteRequest, startScriptedPsp } from './scripted-psp.ts';
import { AUTOMATIC, startSimulated } from './simulated-psp.ts';

const HOUR = (day: string, hour: string) => new Date(`${day}T${hour}:00-03:00`);

let made = 0;
const newReference = () => `a${String(++made).padStart(31, '0')}`;

function request(more: Partial<RecurrenceRequest> = {}): RecurrenceRequest {
  return {
    contract: '63100862',
    description: 'Serviço de música',
    payer: { name: 'Fulano de Tal', document: '45164632481' },
    firstDay: '2026-11-24',
    lastDay: '2027-11-20',
    period: 'MONTHLY',
    amountCents: 3_500n,
    allowsRetries: true,
    ...more,
  };
}

const ask = (recurrenceId: string) => ({
  recurrenceId,
  expiresAt: new Date('2026-11-18T12:00:00Z'),
  document: '15231470190',
  ispb: '91193552',
  branch: '2569',
  account: '550689',
});

const collect = (recurrenceId: string, more: object = {}) => ({
  recurrenceId,
  dueDay: '2026-11-24',
  amountCents: 3_500n,
  description: 'Novembro',
  ...more,
});

async function start(t: TestContext, options: Parameters<typeof startSimulated>[2] = {}) {
  const simulated = await startSimulated(t, 'custom', { withAutomatic: true, ...options });
  const calls = simulated.rail.automatic!;
  const create = async (more: Partial<RecurrenceRequest> = {}) => {
    const answer = await calls.createRecurrence(request(more));
    assert(answer.kind === 'found');
    return answer.recurrence;
  };
  const read = async (id: string, reference?: string) => {
    const answer = await calls.recurrence(id, reference);
    assert(answer.kind === 'found');
    return answer.recurrence;
  };
  const located = async () => {
    const answer = await calls.takeLocation();
    assert(answer.kind === 'found');
    return answer.location;
  };
  const approved = async (more: Partial<RecurrenceRequest> = {}) => {
    const { id } = await create({ locationId: (await located()).id, ...more });
    simulated.psp.automatic.approve({ emv: (await read(id)).emv! });
    return id;
  };
  const collected = async (reference: string) => {
    const answer = await calls.collection(reference);
    assert(answer.kind === 'found');
    return answer.collection;
  };
  return { ...simulated, calls, create, read, located, approved, collected };
}

const stateOf = ({ status, journey }: Recurrence) => [status, journey];

test('journey 1: the payer is asked in their bank, and accepts', async t => {
  const { calls, create, read, psp, clock } = await start(t);
  const { id, status, pspStatus } = await create();
  assert.deepEqual([status, pspStatus], ['CREATED', 'CRIADA']);
  assert.match(id, /^RR/);
  const first = await calls.askPayer(ask(id));
  assert(first.kind === 'found');
  assert.equal((await calls.askPayer(ask(id))).kind, 'rejected', 'one is open');
  assert.equal((await calls.cancelPayerRequest(first.request.id)).kind, 'found');
  const repeat = await calls.cancelPayerRequest(first.request.id);
  assert.deepEqual(repeat, {
    kind: 'found',
    request: { id: first.request.id, status: 'CANCELED', pspStatus: 'CANCELADA' },
  });
  const second = await calls.askPayer(ask(id));
  assert(second.kind === 'found');
  clock.advanceMs(2_000);
  psp.automatic.approve({ idSolicRec: second.request.id });
  const asked = await calls.payerRequest(second.request.id);
  assert.equal(asked.kind === 'found' && asked.request.status, 'ACCEPTED');
  const approved = await read(id);
  assert.deepEqual(stateOf(approved), ['APPROVED', 1]);
  assert.deepEqual(
    approved.requests.map(one => one.status),
    ['CANCELED', 'ACCEPTED'],
  );
  assert.equal((await calls.payerRequest(`SC${'0'.repeat(27)}`)).kind, 'absent');
});

test('journeys 2, 3 and 4: the code leads to the recurrence, alone or with a charge', async t => {
  const { create, read, located, psp, rail } = await start(t);
  const location = await located();
  const alone = await create({ locationId: location.id });
  assert.deepEqual(alone.location, location);
  const { emv } = await read(alone.id);
  assert.equal(recurrenceIn(emv ?? ''), location.url);
  psp.automatic.approve({ emv: emv! });
  assert.deepEqual(stateOf(await read(alone.id)), ['APPROVED', 2]);

  const cob = quoteRequest();
  const { reference } = rail.prepare(cob);
  assert.equal((await rail.submit(cob, reference)).kind, 'registered');
  const third = await create({ locationId: (await located()).id, chargeReference: reference });
  await psp.pay({ emv: (await read(third.id, reference)).emv! });
  assert.deepEqual(stateOf(await read(third.id)), ['APPROVED', 3]);

  const cobv = paymentRequest({ id: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a18' });
  const due = rail.prepare(cobv).reference;
  assert.equal((await rail.submit(cobv, due)).kind, 'registered');
  const fourth = await create({ locationId: (await located()).id });
  psp.automatic.approve({ emv: (await read(fourth.id, due)).emv! });
  assert.deepEqual(stateOf(await read(fourth.id)), ['APPROVED', 4]);
});

test('a recurrence is refused, canceled by either side, and a repeated cancel is the same', async t => {
  const { calls, create, read, approved, psp } = await start(t);
  const refused = await create();
  await calls.askPayer(ask(refused.id));
  psp.automatic.reject({ idRec: refused.id, codigo: 'AP14' });
  const { status, ending } = await read(refused.id);
  assert.deepEqual([status, ending?.code], ['REJECTED', 'AP14']);
  const [ours, theirs] = [await approved(), await approved({ contract: 'other' })];
  for (let time = 0; time < 2; time++) {
    const answer = await calls.cancelRecurrence(ours);
    assert.deepEqual(answer.kind === 'found' && [answer.recurrence.status, answer.recurrence.ending?.by], [
      'CANCELED',
      'RECEIVER',
    ]);
  }
  psp.automatic.cancel({ idRec: theirs });
  assert.deepEqual((await read(theirs)).ending?.by, 'PAYER');
  assert.equal((await calls.recurrence(`RN${'0'.repeat(27)}`)).kind, 'absent');
  const past = await calls.createRecurrence(request({ firstDay: '2026-11-01' }));
  assert.match(past.kind === 'rejected' ? past.reason : '', /RecOperacaoInvalida/);
});

test('amounts are fixed, variable with or without a minimum; and every period exists', async t => {
  const { create, approved, collected, calls, clock, psp } = await start(t);
  for (const period of ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'YEARLY'] as const) await create({ period });
  const { amountCents: _, lastDay: __, description: ___, ...open } = request();
  const free = await calls.createRecurrence({ ...open, payer: { name: 'Empresa SA', document: '12ABC34501DE35' } });
  assert.equal(free.kind, 'found');
  const limited = await calls.createRecurrence({ ...open, minimumCents: 2_000n, locationId: '1' });
  assert.equal(limited.kind, 'rejected', 'no such location');
  const fixed = await approved();
  const reference = newReference();
  assert.equal((await calls.collect(collect(fixed, { amountCents: 3_501n }), reference)).kind, 'found');
  clock.advanceMs(5_000);
  const { status, attempts, ending } = await collected(reference);
  assert.deepEqual([status, attempts[0]?.refusal?.code, ending?.code], ['REJECTED', 'AM09', 'AM09']);
  psp.automatic.refuseCharges({ codigo: 'DENC', count: 1 });
  const refused = newReference();
  await calls.collect(collect(fixed), refused);
  clock.advanceMs(5_000);
  assert.equal((await collected(refused)).ending?.code, 'DENC');
});

test('a collection is paid on its day, and its pix is in the list of payments', async t => {
  const { approved, collected, calls, clock, rail } = await start(t);
  const id = await approved();
  const reference = newReference();
  assert.equal((await calls.collect(collect(id), reference)).kind, 'found');
  assert.equal((await calls.collect(collect(id), reference)).kind, 'found', 'a repeat is the same');
  const other = await calls.collect(collect(id, { amountCents: 1n }), reference);
  assert.equal(other.kind, 'rejected');
  assert.equal((await calls.collect(collect(id), newReference())).kind, 'rejected', 'the cycle has one');
  clock.advanceMs(5_000);
  const waiting = await collected(reference);
  assert.deepEqual(
    [waiting.status, waiting.attempts.map(({ kind, status, day }) => [kind, status, day])],
    ['ACTIVE', [['FIRST', 'SCHEDULED', '2026-11-24']]],
  );
  clock.set(HOUR('2026-11-24', '09:00').toISOString());
  const paid = await collected(reference);
  assert.deepEqual([paid.status, paid.amountCents, paid.paymentReferences.length], ['COMPLETED', 3_500n, 1]);
  assert(rail.watch?.by === 'time');
  clock.advanceMs(60_000);
  const { receipts } = await rail.watch.receipts(new Date(NOW), clock.now());
  assert.deepEqual(
    receipts.map(({ reference: payment, requestReference, amountCents }) => [payment, requestReference, amountCents]),
    [[paid.paymentReferences[0], reference, 3_500n]],
  );
  assert.equal((await calls.cancelCollection(reference)).kind, 'found', 'it has ended');
});

test('without money it is tried again on the days that the receiver asks for', async t => {
  const { approved, collected, calls, clock, psp } = await start(t);
  const id = await approved();
  const [reference, canceled] = [newReference(), newReference()];
  await calls.collect(collect(id), canceled);
  assert.equal((await calls.cancelCollection(canceled)).kind, 'found');
  const again = await calls.cancelCollection(canceled);
  assert.equal(again.kind === 'found' && again.collection.status, 'CANCELED');
  await calls.collect(collect(id), reference);
  psp.automatic.setAccount({ idRec: id, balance: '0.00' });
  clock.set(HOUR('2026-11-23', '22:30').toISOString());
  assert.equal((await calls.cancelCollection(reference)).kind, 'rejected', 'too late');
  clock.set(HOUR('2026-11-24', '22:00').toISOString());
  assert.deepEqual((await collected(reference)).attempts.at(-1)?.status, 'EXPIRED');
  assert.equal((await calls.retryCollection(reference, '2026-11-24')).kind, 'rejected', 'not a later day');
  for (let time = 0; time < 2; time++)
    assert.equal((await calls.retryCollection(reference, '2026-11-26')).kind, 'found', 'a repeat is the same');
  psp.automatic.setAccount({ idRec: id, balance: null });
  clock.set(HOUR('2026-11-26', '09:00').toISOString());
  const { status, attempts } = await collected(reference);
  assert.deepEqual([status, attempts.map(({ kind }) => kind)], ['COMPLETED', ['FIRST', 'RETRY']]);
  assert.equal((await calls.collection(newReference())).kind, 'absent');
});

test('after a lost answer everything is found, and nothing is made twice', async t => {
  const { approved, calls, clock, psp } = await start(t);
  const lose = (method: string, path: string) => psp.setFault({ kind: 'lost-reply', on: { method, path }, count: 1 });
  const period = { from: new Date(NOW), to: clock.now() };
  const before = await calls.findRecurrence(request(), period);
  assert.deepEqual(before, { kind: 'listed', recurrences: [] });
  lose('POST', '/rec');
  assert.equal((await calls.createRecurrence(request())).kind, 'unknown');
  await calls.createRecurrence(request({ contract: 'another' }));
  const found = await calls.findRecurrence(request(), period);
  assert(found.kind === 'listed');
  const [lost, ...others] = found.recurrences;
  assert.deepEqual([lost?.status, others], ['CREATED', []]);
  lose('POST', '/solicrec');
  assert.equal((await calls.askPayer(ask(lost!.id))).kind, 'unknown');
  const asked = await calls.recurrence(lost!.id);
  assert.equal(asked.kind === 'found' && asked.recurrence.requests.length, 1);
  const id = await approved({ contract: 'third' });
  const reference = newReference();
  lose('PUT', '/cobr/');
  assert.equal((await calls.collect(collect(id), reference)).kind, 'unknown');
  assert.equal((await calls.collect(collect(id), reference)).kind, 'found');
  lose('PATCH', '/cobr/');
  assert.equal((await calls.cancelCollection(reference)).kind, 'unknown');
  assert.equal((await calls.cancelCollection(reference)).kind, 'found');
  lose('PATCH', '/rec/');
  assert.equal((await calls.cancelRecurrence(id)).kind, 'unknown');
  assert.equal((await calls.cancelRecurrence(id)).kind, 'found');
});

test('lists have every recurrence and collection once, in pages', async t => {
  const { approved, calls, clock } = await start(t, { quirks: { pageSize: 2 } });
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) ids.push(await approved({ contract: `c${index}` }));
  const references = ids.map(newReference);
  for (const [index, id] of ids.entries()) await calls.collect(collect(id), references[index]!);
  clock.advanceMs(60_000);
  const period = { from: new Date(NOW), to: clock.now() };
  assert.deepEqual((await allOf(cursor => calls.recurrences(period, cursor))).map(({ id }) => id).sort(), ids.sort());
  const collections = await allOf(cursor => calls.collections(period, cursor));
  assert.deepEqual(collections.map(({ reference }) => reference).sort(), references.sort());
});

async function allOf<T>(read: (cursor?: string) => Promise<{ kind: string; items?: readonly T[]; next?: string }>) {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    assert.equal(page.kind, 'page');
    items.push(...(page.items ?? []));
    cursor = page.next;
  } while (cursor !== undefined);
  return items;
}

test('webhooks of both kinds are registered and read; a notification names ids and nothing else', async t => {
  const { calls, settings, clock } = await start(t);
  const webhook = { url: 'https://example.com/rails/secret' };
  const doctor = async () => {
    const checks = await diagnoseRail({ ...settings, webhook }, { clock, log: silentLog });
    return checks.find(({ name }) => name === 'Pix Automático')?.ok;
  };
  assert.equal(await calls.readWebhook('rec'), undefined);
  assert.equal(await doctor(), false);
  await calls.registerWebhooks(webhook.url);
  assert.equal(await doctor(), true);
  for (const notice of ['rec', 'cobr'] as const)
    assert.deepEqual(await calls.readWebhook(notice), { url: 'https://example.com/rails/secret' });
  await assert.rejects(calls.registerWebhooks('http://example.com/'), { code: 'wrong_state' });
  const idRec = `RR${'1'.repeat(27)}`;
  const txid = newReference();
  assert.deepEqual(calls.hints({ recs: [{ idRec, status: 'APROVADA' }, { idRec }, { idRec: "'; --" }, 7] }), {
    recurrenceIds: [idRec],
    references: [],
  });
  assert.deepEqual(calls.hints({ cobsr: [{ txid, idRec }, null] }), { recurrenceIds: [], references: [txid] });
  assert.deepEqual(calls.hints('nonsense'), { recurrenceIds: [], references: [] });
});

test('an answer to a new recurrence is found, rejected, unknown or unavailable; what the norm does not know is kept', async t => {
  const psp = await startScriptedPsp(t);
  const settings = { ...psp.settings, automatic: AUTOMATIC };
  const calls = bacenRail(settings, { clock: testClock(NOW), log: silentLog }).automatic!;
  const idRec = `RR${'1'.repeat(27)}`;
  const found = (more: object) => ({ kind: 'found', recurrence: { id: idRec, requests: [], ...more } });
  const table: [Action, object][] = [
    [{ status: 201, body: { idRec, status: 'CRIADA' } }, found({ status: 'CREATED', pspStatus: 'CRIADA' })],
    [{ status: 201, body: { idRec, status: 'SUSPENSA' } }, found({ pspStatus: 'SUSPENSA' })],
    [{ status: 201, body: { idRec } }, { kind: 'unknown' }],
    [{ status: 201, body: '' }, { kind: 'unknown' }],
    [
      { status: 400, body: { codigo: 'X1', mensagem: 'Não' } },
      { kind: 'rejected', reason: 'X1: Não' },
    ],
    [{ status: 404, body: {} }, { kind: 'unavailable' }],
    [{ status: 403 }, { kind: 'unavailable' }],
    [{ status: 429 }, { kind: 'unavailable' }],
    [{ status: 500 }, { kind: 'unknown' }],
    ['cut', { kind: 'unknown' }],
  ];
  for (const [action, outcome] of table) {
    psp.answer(action);
    assert.deepEqual(await calls.createRecurrence(request()), outcome, JSON.stringify(action));
  }
  const txid = newReference();
  const tentativas = [{ status: 'ESTRANHA', tipo: 'ZZZZ', rejeicao: { codigo: 'AG12', descricao: 'Outra' } }];
  psp.answer({ body: { txid, status: 'PARADA', valor: { original: 35 }, tentativas, pix: null } });
  assert.deepEqual(await calls.collection(txid), {
    kind: 'found',
    collection: {
      reference: txid,
      pspStatus: 'PARADA',
      amountCents: 3_500n,
      attempts: [{ pspStatus: 'ESTRANHA', refusal: { code: 'AG12', description: 'Outra' } }],
      paymentReferences: [],
    },
  });
  // The PSP says that it has the collection and that it has it not.
  psp.answer(({ method }) => (method === 'PUT' ? { status: 409 } : { status: 404, body: {} }));
  assert.deepEqual(await calls.collect(collect(idRec), txid), { kind: 'unknown' });
});
