// Mandates through HTTP, a receiver and a simulated PSP: the four ways to an approval, canceling, and what is refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Links } from '../../src/charges/links/links.ts';
import { erasePayer } from '../../src/payers/erase.ts';
import { exportPayer } from '../../src/payers/export.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { silentLog } from '../harness/log.ts';
import { type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());

test('journey 2: the payer reads the code, and approves', async () => {
  const made = await at.create();
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.json.status, made.json.emv, made.json.collections], ['CREATING', undefined, []]);
  const { id } = made.json;
  await at.work();
  await at.later(5 * MINUTE_MS);
  const waiting = await at.read(id);
  assert.deepEqual([waiting.status, waiting.pspStatus], ['CREATED', 'CRIADA']);
  at.psp.automatic.approve({ emv: waiting.emv });
  await at.work();
  const { status, approvedBy } = await at.read(id);
  assert.deepEqual([status, approvedBy], ['APPROVED', 2], 'the notification was enough');
  assert.deepEqual(await at.typesOf(id), ['mandate.approved', 'mandate.created']);
});

test('journey 1: the payer is asked in their bank; who does not answer in time ends it', async () => {
  const payerAccount = { ispb: '91193552', branch: '2569', account: '550689', until: `${at.day(2)}T12:00:00Z` };
  const id = await at.started({ journey: 1, payerAccount });
  const { recurrenceId, payerAccount: shown } = await at.read(id);
  assert.equal(shown, undefined);
  const [row] = await at.service.sql('select payer_account, request_id from mandates where id = $1', [id]);
  assert.equal(row!['payer_account'], null, 'it is not needed any more');
  at.psp.automatic.approve({ idRec: recurrenceId });
  await at.work();
  assert.deepEqual([(await at.read(id)).status, (await at.read(id)).approvedBy], ['APPROVED', 1]);
  const silent = await at.started({ journey: 1, payerAccount });
  await at.until(at.day(3));
  const ended = await at.read(silent);
  assert.deepEqual([ended.status, ended.ending.by], ['CANCELED', 'RECEIVER']);
  assert.match(ended.reason, /not approved in time/);
});

test('journeys 3 and 4: the code also pays a charge', async () => {
  const now = at.service.clock.now().getTime();
  const soon = new Date(now + 3_600_000).toISOString();
  const instant = await at.newCharge(at.day(0), { dueAt: soon, expireAt: soon });
  const third = await at.started({ journey: 3, chargeId: instant });
  await at.psp.pay({ emv: (await at.read(third)).emv });
  await at.work();
  await at.later(MINUTE_MS);
  assert.deepEqual([(await at.read(third)).approvedBy, await at.stateOf(instant)], [3, 'PAID']);
  const due = await at.newCharge(at.day(3));
  const fourth = await at.started({ journey: 4, chargeId: due });
  at.psp.automatic.approve({ emv: (await at.read(fourth)).emv, pay: false });
  await at.work();
  assert.deepEqual([(await at.read(fourth)).approvedBy, await at.stateOf(due)], [4, 'ACTIVE']);
  const wrong = await at.create({ journey: 3, chargeId: due });
  assert.deepEqual([wrong.status, wrong.json.errors[0].path], [400, 'chargeId']);
});

test('it is canceled before it is sent, or while the payer has not answered', async () => {
  const unsent = (await at.create()).json.id;
  assert.equal((await at.cancelMandate(unsent)).json.status, 'CANCELED');
  await at.work();
  assert.equal((await at.read(unsent)).recurrenceId, undefined);
  const waiting = await at.started();
  assert.equal((await at.cancelMandate(waiting)).status, 200);
  await at.later(MINUTE_MS);
  assert.deepEqual([(await at.read(waiting)).status, (await at.read(waiting)).ending.by], ['CANCELED', 'RECEIVER']);
  assert.equal((await at.cancelMandate(waiting)).json.status, 'CANCELED');
});

test('what does not fit is refused with its field, and nothing is written', async () => {
  const faultsOf = async (more: Record<string, unknown>) => {
    const { status, json } = await at.create(more);
    return [status, json.errors?.map(({ path }: { path: string }) => path)];
  };
  assert.deepEqual(await faultsOf({ firstDay: at.day(0) }), [400, ['firstDay']]);
  assert.deepEqual(await faultsOf({ lastDay: at.day(0) }), [400, ['lastDay']]);
  assert.deepEqual(await faultsOf({ minimumCents: 5 }), [400, ['minimumCents']]);
  assert.deepEqual(await faultsOf({ journey: 1 }), [400, ['payerAccount']]);
  assert.deepEqual(await faultsOf({ journey: 3 }), [400, ['chargeId']]);
  assert.deepEqual(await faultsOf({ chargeId: crypto.randomUUID() }), [400, ['chargeId']]);
  assert.deepEqual(await faultsOf({ customerId: crypto.randomUUID() }), [400, ['customerId']]);
  assert.deepEqual(await faultsOf({ contract: 'x'.repeat(36) }), [400, ['contract']]);
});

test('a repeat is the first one, and other accounts see nothing', async () => {
  const customerId = await at.newCustomer();
  const body = { externalId: 'm-1', customerId };
  const first = await at.create(body);
  const again = await at.create(body);
  assert.deepEqual([again.json.id, again.headers.get('idempotent-replayed')], [first.json.id, 'true']);
  assert.equal((await at.create({ ...body, amountCents: 1 })).status, 409);
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
  const id = await at.started({ customerId: customer.id });
  const db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
  const deps = { db, clock: at.service.clock };
  await assert.rejects(erasePayer(deps, document), { code: 'wrong_state' });
  const kinds: string[] = [];
  for await (const { kind } of exportPayer({ db, links: {} as Links }, document)) kinds.push(kind);
  assert.deepEqual(kinds, ['customer', 'event', 'mandate', 'event']);
  await at.service.post(`/mandates/${id}/cancel`, {});
  await at.later(MINUTE_MS);
  assert.equal((await erasePayer(deps, document)).customers, 1);
  await db.close();
});
