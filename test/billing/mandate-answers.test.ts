// Answers of a PSP about a mandate that are lost, late or unexpected: it gets one recurrence, and shows what the PSP says.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { HOUR_MS, type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';
import { cutOffAfter } from '../harness/steps.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());
afterEach(() => at.psp.clearFaults());

test('a lost answer makes no second recurrence, and a lost notification is found', async () => {
  const before = at.psp.state().recs.length;
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 1 });
  const id = await at.started();
  assert.equal((await at.read(id)).status, 'CREATED');
  assert.equal(at.psp.state().recs.length, before + 1);
  at.psp.setFault({ kind: 'notify-drop', count: 1 });
  at.psp.automatic.approve({ emv: (await at.read(id)).emv });
  await at.work();
  assert.equal((await at.read(id)).status, 'CREATED');
  await at.later(HOUR_MS);
  assert.equal((await at.read(id)).status, 'APPROVED');
});

test('a state that the norm does not know is shown, and nothing is sent again', async () => {
  const before = at.psp.state().recs.length;
  const fault = at.psp.setFault({ kind: 'wrong-state', state: 'EM_ANALISE', on: { path: '/rec' } });
  const id = await at.started();
  await at.later(HOUR_MS);
  const unknown = await at.read(id);
  assert.deepEqual([unknown.status, unknown.pspStatus], ['CREATING', 'EM_ANALISE']);
  assert.ok(unknown.recurrenceId);
  assert.equal(at.psp.state().recs.length, before + 1);
  at.psp.clearFaults(fault);
  await at.later(HOUR_MS);
  const { status, recurrenceId } = await at.read(id);
  assert.deepEqual([status, recurrenceId], ['CREATED', unknown.recurrenceId]);
  assert.equal(at.psp.state().recs.length, before + 1);
});

test('a mandate in a state that the norm does not know is canceled at the PSP', async () => {
  const fault = at.psp.setFault({ kind: 'wrong-state', state: 'EM_ANALISE', on: { path: '/rec' } });
  const id = await at.started();
  assert.equal((await at.cancelMandate(id)).status, 200);
  at.psp.clearFaults(fault);
  await at.later(MINUTE_MS);
  const { status, recurrenceId, ending } = await at.read(id);
  assert.deepEqual([status, ending.by], ['CANCELED', 'RECEIVER']);
  assert.ok(recurrenceId);
});

test('a cancellation that the PSP refuses is shown, logged once, and repeated ever less often', async () => {
  const id = await at.started();
  const logged = () => at.lines.filter(line => line.includes('refuses to cancel a mandate')).length;
  at.psp.setFault({ kind: 'status', status: 400, on: { method: 'PATCH', path: '/rec' } });
  assert.equal((await at.cancelMandate(id)).status, 200);
  const before = at.sentTo('PATCH', '/rec');
  for (let minute = 0; minute < 60; minute++) await at.later(MINUTE_MS);
  assert.ok(at.sentTo('PATCH', '/rec') - before < 15);
  const refused = await at.read(id);
  assert.equal(refused.status, 'CREATED');
  assert.match(refused.cancelRefusal, /./);
  assert.equal(logged(), 1);
  at.psp.clearFaults();
  await at.later(HOUR_MS);
  const ended = await at.read(id);
  assert.deepEqual([ended.status, ended.cancelRefusal], ['CANCELED', undefined]);
});

type Rec = {
  readonly idRec: string;
  readonly status: string;
  readonly valor?: { readonly valorRec?: string };
  readonly solicitacao?: readonly unknown[];
};
const recsAtPsp = () => at.psp.state().recs as readonly Rec[];

test('of two mandates with one contract, each gets its own recurrence although both answers are lost', async () => {
  const before = recsAtPsp().length;
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 2 });
  const customerId = await at.newCustomer();
  const first = await at.create({ customerId, contract: 'C-2', amountCents: 1_000 });
  const second = await at.create({ customerId, contract: 'C-2', amountCents: 2_000 });
  await at.work();
  await at.later(5 * MINUTE_MS);
  const made = recsAtPsp().slice(before);
  assert.deepEqual(
    made.map(({ status }) => status),
    ['CRIADA', 'CRIADA'],
  );
  for (const { json } of [first, second]) {
    const { recurrenceId, amountCents } = await at.read(json.id);
    const own = made.find(({ idRec }) => idRec === recurrenceId);
    assert.equal(Number(own?.valor?.valorRec) * 100, amountCents);
  }
});

test('a request that was taken late is found when its repeat is refused', async () => {
  const before = recsAtPsp().length;
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 1 });
  at.psp.setFault({ kind: 'status', status: 404, on: { method: 'GET', path: '/locrec' }, count: 2 });
  at.psp.setFault({ kind: 'stale-read', delayMs: 5 * MINUTE_MS, on: { method: 'GET', path: '/rec' }, count: 2 });
  const { json } = await at.create();
  await at.work();
  for (let minute = 0; minute < 5; minute++) await at.later(MINUTE_MS);
  assert.equal((await at.read(json.id)).status, 'CREATED');
  assert.equal(recsAtPsp().length, before + 1);
});

for (const journey of [1, 2] as const) {
  test(`two nodes that look at once make one recurrence, in journey ${journey}`, async () => {
    const before = recsAtPsp().length;
    const payerAccount = { ispb: '91193552', branch: '2569', account: '550689', until: `${at.day(2)}T12:00:00Z` };
    const mandateId = (await at.create({ journey, ...(journey === 1 && { payerAccount }) })).json.id;
    const nodes = [await at.openNode(), await at.openNode()];
    const look = () => {
      const now = at.service.clock.now().toISOString();
      return Promise.all(
        nodes.map(({ run, place }) =>
          cutOffAfter(Number.POSITIVE_INFINITY, steps =>
            run('look at mandate', { chargeId: '', mandateId }, { now, place, steps }),
          ),
        ),
      );
    };
    // Long enough that both have read the mandate before one has written what it got.
    at.psp.setFault({ kind: 'slow', delayMs: 300, on: { method: 'POST' } });
    await look();
    await at.later(MINUTE_MS);
    await look();
    await at.later(5 * MINUTE_MS);
    for (const { close } of nodes) await close();
    assert.equal((await at.read(mandateId)).status, 'CREATED');
    const made = recsAtPsp().slice(before);
    assert.deepEqual(
      made.map(({ status, solicitacao = [] }) => [status, solicitacao.length]),
      [['CRIADA', journey === 1 ? 1 : 0]],
    );
  });
}
