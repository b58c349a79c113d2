// Mandates through HTTP, a receiver and a simulated PSP: the four ways to an approval, charges that are collected, and what is left when
// nobody pays.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Links } from '../../src/charges/links/links.ts';
import { erasePayer } from '../../src/payers/erase.ts';
import { exportPayer } from '../../src/payers/export.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { silentLog } from '../harness/log.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';

const AUTOMATIC = { branch: '9708', account: '012682', accountType: 'CORRENTE' } as const;
const MINUTE_MS = 60_000;

let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp({ rail: { automatic: AUTOMATIC, timeoutSeconds: 5 }, env: { TRILHO_RATE_LIMIT: '0' } });
  await at.registerWebhook();
});
after(() => at.stop());

let customers = 0;
const DOCUMENTS = ['52998224725', '11144477735'];
async function newCustomer(): Promise<string> {
  const document = DOCUMENTS[customers++ % DOCUMENTS.length];
  const made = await at.service.post('/customers', {
    accountId: 'acme',
    name: 'Maria da Silva',
    document,
    separate: true,
  });
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}

/** The day in Brazil, some days from now. */
const day = (ahead: number) =>
  new Date(at.service.clock.now().getTime() - 3 * 3_600_000 + ahead * 86_400_000).toISOString().slice(0, 10);

async function work(): Promise<void> {
  await at.psp.settled();
  await at.service.runJobs();
}

async function later(ms: number): Promise<void> {
  at.service.clock.advanceMs(ms);
  await work();
}

/** Day by day, so that every look has its turn. */
async function until(target: string, hour = '12'): Promise<void> {
  while (day(0) < target) await later(Math.min(8 * 3_600_000, msTo(target, hour)));
  if (msTo(target, hour) > 0) await later(msTo(target, hour));
}
const msTo = (target: string, hour: string) =>
  new Date(`${target}T${hour}:00:00-03:00`).getTime() - at.service.clock.now().getTime();

async function create(more: Record<string, unknown> = {}) {
  const made = await at.service.post('/mandates', {
    accountId: 'acme',
    customerId: await newCustomer(),
    journey: 2,
    contract: 'C-1',
    description: 'Plano mensal',
    period: 'MONTHLY',
    firstDay: day(1),
    amountCents: 3_500,
    ...more,
  });
  return made;
}

async function started(more: Record<string, unknown> = {}): Promise<string> {
  const made = await create(more);
  assert.equal(made.status, 201, made.text);
  await work();
  await later(5 * MINUTE_MS);
  return made.json.id;
}

const read = async (id: string) => (await at.service.get(`/mandates/${id}`)).json;

async function approved(more: Record<string, unknown> = {}): Promise<string> {
  const id = await started(more);
  at.psp.automatic.approve({ emv: (await read(id)).emv });
  await work();
  assert.equal((await read(id)).status, 'APPROVED');
  return id;
}

async function newCharge(dueDay: string, more: Record<string, unknown> = {}): Promise<string> {
  const made = await at.service.post('/charges', {
    accountId: 'acme',
    amountCents: 3_500,
    currency: 'BRL',
    methods: ['pix'],
    dueAt: `${dueDay}T20:00:00-03:00`,
    customer: { name: 'Maria da Silva', document: '52998224725' },
    ...more,
  });
  assert.equal(made.status, 201, made.text);
  await work();
  return made.json.id;
}

const collect = (mandateId: string, chargeId: string) =>
  at.service.post(`/mandates/${mandateId}/collections`, { chargeId });
const stateOf = async (chargeId: string) => (await at.service.get(`/charges/${chargeId}`)).json.state;
const typesOf = async (id: string) =>
  (await at.service.get(`/events?objectId=${id}`)).json.events.map(({ type }: { type: string }) => type).sort();
/** The PSP moves a day that is no banking day. */
const dayOfAttempt = async (id: string) => (await read(id)).collections.at(-1).attempts.at(-1).day;
const recsAtPsp = () => at.psp.state().recs;

test('journey 2: the payer reads the code, and a charge is collected on its day', async () => {
  const made = await create();
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.json.status, made.json.emv, made.json.collections], ['CREATING', undefined, []]);
  const { id } = made.json;
  await work();
  await later(5 * MINUTE_MS);
  const waiting = await read(id);
  assert.deepEqual([waiting.status, waiting.pspStatus], ['CREATED', 'CRIADA']);
  at.psp.automatic.approve({ emv: waiting.emv });
  await work();
  const { status, approvedBy } = await read(id);
  assert.deepEqual([status, approvedBy], ['APPROVED', 2], 'the notification was enough');

  const chargeId = await newCharge(day(14));
  const asked = await collect(id, chargeId);
  assert.equal(asked.status, 201, asked.text);
  assert.deepEqual([asked.json.status, asked.json.amountCents, asked.json.dueDay], ['WAITING', 3_500, day(14)]);
  assert.equal((await collect(id, chargeId)).json.id, asked.json.id, 'a repeat is the same');
  await work();
  assert.equal((await read(id)).collections[0].status, 'WAITING', 'the PSP takes it ten days before');
  const due = day(14);
  await until(day(5));
  const sent = (await read(id)).collections[0];
  assert.deepEqual([sent.status, sent.attempts[0].status], ['ACTIVE', 'SCHEDULED']);
  await until(due, '09');
  const [collection] = (await read(id)).collections;
  assert.deepEqual([collection.status, collection.attempts[0].status], ['COMPLETED', 'PAID']);
  assert.equal(await stateOf(chargeId), 'PAID');
  assert.deepEqual(await typesOf(id), ['mandate.approved', 'mandate.created']);
  assert.deepEqual(await typesOf(collection.id), ['mandate.collection_completed', 'mandate.collection_created']);
  const again = await collect(id, chargeId);
  assert.equal(again.json.status, 'COMPLETED', 'a charge is collected once');
});

test('journey 1: the payer is asked in their bank; who does not answer in time ends it', async () => {
  const payerAccount = { ispb: '91193552', branch: '2569', account: '550689', until: `${day(2)}T12:00:00Z` };
  const id = await started({ journey: 1, payerAccount });
  const { recurrenceId, payerAccount: shown } = await read(id);
  assert.equal(shown, undefined);
  const [row] = await at.service.sql('select payer_account, request_id from mandates where id = $1', [id]);
  assert.equal(row!['payer_account'], null, 'it is not needed any more');
  at.psp.automatic.approve({ idRec: recurrenceId });
  await work();
  assert.deepEqual([(await read(id)).status, (await read(id)).approvedBy], ['APPROVED', 1]);
  const silent = await started({ journey: 1, payerAccount });
  await until(day(3));
  const ended = await read(silent);
  assert.deepEqual([ended.status, ended.ending.by], ['CANCELED', 'RECEIVER']);
  assert.match(ended.reason, /not approved in time/);
});

test('journeys 3 and 4: the code also pays a charge', async () => {
  const now = at.service.clock.now().getTime();
  const soon = new Date(now + 3_600_000).toISOString();
  const instant = await newCharge(day(0), { dueAt: soon, expireAt: soon });
  const third = await started({ journey: 3, chargeId: instant });
  await at.psp.pay({ emv: (await read(third)).emv });
  await work();
  await later(MINUTE_MS);
  assert.deepEqual([(await read(third)).approvedBy, await stateOf(instant)], [3, 'PAID']);
  const due = await newCharge(day(3));
  const fourth = await started({ journey: 4, chargeId: due });
  at.psp.automatic.approve({ emv: (await read(fourth)).emv, pay: false });
  await work();
  assert.deepEqual([(await read(fourth)).approvedBy, await stateOf(due)], [4, 'ACTIVE']);
  const wrong = await create({ journey: 3, chargeId: due });
  assert.deepEqual([wrong.status, wrong.json.errors[0].path], [400, 'chargeId']);
});

test('without money it is tried again, and at last the payer can still pay the charge', async () => {
  const id = await approved({ retries: true });
  const { recurrenceId } = await read(id);
  const chargeId = await newCharge(day(4));
  assert.equal((await collect(id, chargeId)).status, 201);
  await work();
  await later(11 * MINUTE_MS);
  at.psp.automatic.setAccount({ idRec: recurrenceId, balance: '0.00' });
  await until(await dayOfAttempt(id), '22');
  const open = (await read(id)).collections[0];
  assert.deepEqual(
    open.attempts.map(({ kind }: { kind: string }) => kind),
    ['FIRST', 'RETRY'],
  );
  at.psp.automatic.setAccount({ idRec: recurrenceId, balance: null });
  await until(await dayOfAttempt(id));
  assert.deepEqual([(await read(id)).collections[0].status, await stateOf(chargeId)], ['COMPLETED', 'PAID']);

  const strict = await approved();
  const unpaid = await newCharge(day(4));
  assert.equal((await collect(strict, unpaid)).status, 201);
  at.psp.automatic.setAccount({ idRec: (await read(strict)).recurrenceId, balance: '0.00' });
  await work();
  await later(11 * MINUTE_MS);
  await until(await dayOfAttempt(strict), '22');
  const [collection] = (await read(strict)).collections;
  assert.equal(collection.status, 'EXPIRED');
  assert.ok((await typesOf(collection.id)).includes('mandate.collection_failed'));
  await at.psp.pay({ emv: (await at.service.get(`/charges/${unpaid}`)).json.pix.emv });
  await work();
  assert.equal(await stateOf(unpaid), 'PAID');
});

test('a charge that is paid otherwise is not collected, and a mandate that ends leaves its charges payable', async () => {
  const id = await approved();
  const [first, second] = [await newCharge(day(5)), await newCharge(day(36))];
  await collect(id, first);
  await work();
  await at.psp.pay({ emv: (await at.service.get(`/charges/${first}`)).json.pix.emv });
  await collect(id, second);
  const due = day(5);
  await until(due, '12');
  const [canceled] = (await read(id)).collections;
  assert.equal(canceled.status, 'CANCELED');
  assert.equal((await at.service.get(`/charges/${first}`)).json.payments.length, 1);
  at.psp.automatic.cancel({ idRec: (await read(id)).recurrenceId });
  await work();
  await later(MINUTE_MS);
  const ended = await read(id);
  assert.deepEqual([ended.status, ended.ending.by, ended.ending.code], ['CANCELED', 'PAYER', 'SLDB']);
  assert.equal(ended.collections[1].status, 'FAILED');
  assert.equal(await stateOf(second), 'ACTIVE');
  assert.equal((await collect(id, await newCharge(day(5)))).status, 409);
});

test('a lost answer makes no second recurrence, and a lost notification is found', async () => {
  const before = recsAtPsp().length;
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 1 });
  const id = await started();
  assert.equal((await read(id)).status, 'CREATED');
  assert.equal(recsAtPsp().length, before + 1);
  at.psp.setFault({ kind: 'notify-drop', count: 1 });
  at.psp.automatic.approve({ emv: (await read(id)).emv });
  await work();
  assert.equal((await read(id)).status, 'CREATED');
  await later(3_600_000);
  assert.equal((await read(id)).status, 'APPROVED');
});

test('it is canceled: before it is sent, while the payer has not answered, and a collection alone', async () => {
  const unsent = (await create()).json.id;
  const cancel = (id: string) => at.service.post(`/mandates/${id}/cancel`, {});
  assert.equal((await cancel(unsent)).json.status, 'CANCELED');
  await work();
  assert.equal((await read(unsent)).recurrenceId, undefined);
  const waiting = await started();
  assert.equal((await cancel(waiting)).status, 200);
  await later(MINUTE_MS);
  assert.deepEqual([(await read(waiting)).status, (await read(waiting)).ending.by], ['CANCELED', 'RECEIVER']);
  assert.equal((await cancel(waiting)).json.status, 'CANCELED');
  const id = await approved();
  const chargeId = await newCharge(day(5));
  const collection = (await collect(id, chargeId)).json.id;
  await work();
  assert.equal((await at.service.post(`/collections/${collection}/cancel`, {})).status, 200);
  await later(MINUTE_MS);
  assert.deepEqual([(await read(id)).collections[0].status, await stateOf(chargeId)], ['CANCELED', 'ACTIVE']);
  assert.equal((await collect(id, chargeId)).status, 201, 'it can be collected again');
});

test('what does not fit is refused with its field, and nothing is written', async () => {
  const faultsOf = async (more: Record<string, unknown>) => {
    const { status, json } = await create(more);
    return [status, json.errors?.map(({ path }: { path: string }) => path)];
  };
  assert.deepEqual(await faultsOf({ firstDay: day(0) }), [400, ['firstDay']]);
  assert.deepEqual(await faultsOf({ lastDay: day(0) }), [400, ['lastDay']]);
  assert.deepEqual(await faultsOf({ minimumCents: 5 }), [400, ['minimumCents']]);
  assert.deepEqual(await faultsOf({ journey: 1 }), [400, ['payerAccount']]);
  assert.deepEqual(await faultsOf({ journey: 3 }), [400, ['chargeId']]);
  assert.deepEqual(await faultsOf({ chargeId: crypto.randomUUID() }), [400, ['chargeId']]);
  assert.deepEqual(await faultsOf({ customerId: crypto.randomUUID() }), [400, ['customerId']]);
  assert.deepEqual(await faultsOf({ contract: 'x'.repeat(36) }), [400, ['contract']]);
  const id = await approved();
  for (const [dueDay, more] of [
    [day(1), {}],
    [day(5), { amountCents: 3_501 }],
  ] as const) {
    const refused = await collect(id, await newCharge(dueDay, more));
    assert.deepEqual([refused.status, refused.json.errors[0].path], [400, 'chargeId'], refused.text);
  }
  assert.equal((await collect(id, crypto.randomUUID())).status, 400);
  assert.deepEqual((await read(id)).collections, []);
});

test('a repeat is the first one, and other accounts see nothing', async () => {
  const customerId = await newCustomer();
  const body = { externalId: 'm-1', customerId };
  const first = await create(body);
  const again = await create(body);
  assert.deepEqual([again.json.id, again.headers.get('idempotent-replayed')], [first.json.id, 'true']);
  assert.equal((await create({ ...body, amountCents: 1 })).status, 409);
  const { text } = await at.service.makeKey('other');
  const headers = { authorization: `Bearer ${text}` };
  assert.equal((await at.service.get(`/mandates/${first.json.id}`, headers)).status, 404);
  assert.equal((await at.service.post(`/mandates/${first.json.id}/cancel`, {}, headers)).status, 404);
  assert.equal((await at.service.get('/mandates', headers)).json.total, 0);
  const listed = await at.service.get(`/mandates?externalId=m-1&customerId=${customerId}&status=CREATING`);
  assert.equal(listed.json.total, 1);
});

test('a payer with a mandate is exported with it, and not erased before it has ended', async () => {
  const document = '39053344705';
  const { json: customer } = await at.service.post('/customers', { accountId: 'acme', name: 'José', document });
  const id = await started({ customerId: customer.id });
  const db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
  const deps = { db, clock: at.service.clock };
  await assert.rejects(erasePayer(deps, document), { code: 'wrong_state' });
  const kinds: string[] = [];
  for await (const { kind } of exportPayer({ db, links: {} as Links }, document)) kinds.push(kind);
  assert.deepEqual(kinds, ['customer', 'event', 'mandate', 'event']);
  await at.service.post(`/mandates/${id}/cancel`, {});
  await later(MINUTE_MS);
  assert.equal((await erasePayer(deps, document)).customers, 1);
  await db.close();
});
