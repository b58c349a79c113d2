// trilho reconcile and the nightly comparison of a day: recurrences and collections that only the PSP has are named by their ids.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { reconcileCommand } from '../../src/cli/reconcile.ts';
import { addDays, civilDay, momentOn } from '../../src/lib/civil-days.ts';
import type { AutomaticCalls } from '../../src/rails/automatic.ts';
import { type BacenRail, bacenRail } from '../../src/rails/bacen/rail.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { AUTOMATIC, MARIA } from '../harness/mandates-at-psp.ts';
import { RAIL, railSettings, type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';

/** The command uses the machine's clock, so the days of the test are in its past. */
const DAY = addDays(civilDay(new Date()), -3);
const DUE = addDays(DAY, 9);

const { log, lines } = recordingLog();
let at: ServiceAtPsp;
/** Another program at the same PSP. */
let others: BacenRail;
let calls: AutomaticCalls;
let customerId: string;
before(async () => {
  at = await startServiceAtPsp({ now: momentOn(DAY, 12).toISOString(), rail: { automatic: AUTOMATIC }, log });
  others = bacenRail(railSettings(at.psp, { automatic: AUTOMATIC }), { clock: at.service.clock, log: silentLog });
  calls = others.automatic!;
  customerId = (await at.service.post('/customers', { accountId: 'acme', ...MARIA })).json.id;
});
after(async () => {
  others.stop();
  await at.stop();
});

async function later(ms = 61_000): Promise<void> {
  at.service.clock.advanceMs(ms);
  await at.psp.settled();
  await at.service.runJobs();
}

async function newMandate(contract: string): Promise<string> {
  const terms = { accountId: 'acme', customerId, journey: 2, contract, period: 'MONTHLY', firstDay: DUE };
  const made = await at.service.post('/mandates', { ...terms, amountCents: 15_990 });
  assert.equal(made.status, 201, made.text);
  await at.service.runJobs();
  return made.json.id;
}

/** A collection that is at the PSP, of a mandate of this service. */
async function collected(): Promise<string> {
  const mandateId = await newMandate('ours');
  await later();
  at.psp.automatic.approve({ emv: (await at.service.get(`/mandates/${mandateId}`)).json.emv });
  await later(5 * 60_000);
  const dueAt = momentOn(DUE, 20).toISOString();
  const body = chargeBody({ methods: ['pix'], customer: MARIA, dueAt });
  const { id: chargeId } = (await at.service.post('/charges', body)).json;
  await later();
  const made = await at.service.post(`/mandates/${mandateId}/collections`, { chargeId });
  assert.equal(made.status, 201, made.text);
  await later();
  const [collection] = (await at.service.get(`/mandates/${mandateId}`)).json.collections;
  assert.notEqual(collection.status, 'WAITING');
  return mandateId;
}

/** A recurrence that another program has created. */
async function foreign(contract: string, locationId?: string): Promise<string> {
  const answer = await calls.createRecurrence({
    ...{ contract, payer: MARIA, firstDay: DUE, period: 'MONTHLY', amountCents: 15_990n, allowsRetries: false },
    ...(locationId !== undefined && { locationId }),
  });
  assert(answer.kind === 'found');
  return answer.recurrence.id;
}

async function foreignCollection(): Promise<{ id: string; reference: string }> {
  const answer = await calls.takeLocation();
  assert(answer.kind === 'found');
  const id = await foreign('approved', answer.location.id);
  at.psp.automatic.approve({ idRec: id });
  const reference = `f${'0'.repeat(31)}`;
  const asked = await calls.collect({ recurrenceId: id, dueDay: DUE, amountCents: 15_990n }, reference);
  assert.equal(asked.kind, 'found');
  return { id, reference };
}

/** What the command prints about the day, once the PSP's clock has passed it: a PSP refuses to list the future. */
async function report(): Promise<{ code: number; found: string[] }> {
  const now = at.service.clock.now();
  at.service.clock.set(new Date(Date.now() + 60_000).toISOString());
  const environment = {
    TRILHO_MODE: 'live',
    DATABASE_URL: at.service.databaseUrl,
    TRILHO_RAILS: JSON.stringify([railSettings(at.psp, { automatic: AUTOMATIC })]),
  };
  const { code, said } = await runCommand(reconcileCommand, environment, ['--day', DAY]);
  at.service.clock.set(now.toISOString());
  return { code, found: said.split('\n') };
}

test('what both sides have is no difference, nor is what has ended or may still be ours', async () => {
  await collected();
  const ended = await foreign('ended');
  assert.equal((await calls.cancelRecurrence(ended)).kind, 'found');
  const nothing = `${RAIL} ${DAY}: 0 payments at the PSP, 0 here, nothing differs.`;
  assert.deepEqual(await report(), { code: 0, found: [nothing] });
  // The PSP has taken it, and the mandate waits for the look that finds it.
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 1 });
  const mandateId = await newMandate('unanswered');
  const { status } = (await at.service.get(`/mandates/${mandateId}`)).json;
  assert.deepEqual([status, await report()], ['CREATING', { code: 0, found: [nothing] }]);
  await later(5 * 60_000);
  assert.equal((await at.service.get(`/mandates/${mandateId}`)).json.status, 'CREATED');
});

test('a recurrence and a collection that only the PSP has are named, counted at night, and left as they are', async () => {
  const made = async () => (await at.service.get('/mandates')).json.mandates.length;
  const before = await made();
  const pending = await foreign('pending');
  const { id, reference } = await foreignCollection();
  const { code, found } = await report();
  assert.equal(code, 1);
  assert.deepEqual(
    found.slice(0, -1).sort(),
    [
      `${reference}: collection not recorded here; ATIVA at the PSP`,
      ...[
        `${id}: recurrence of no mandate; APROVADA at the PSP`,
        `${pending}: recurrence of no mandate; CRIADA at the PSP`,
      ].sort(),
    ].sort(),
  );
  assert.equal(found.at(-1), `${RAIL} ${DAY}: 0 payments at the PSP, 0 here, 3 differences.`);
  assert.ok(!found.join().includes(MARIA.name) && !found.join().includes(MARIA.document));

  await at.service.sql('update rails set compared_day = $1, next_compare_at = $2', [
    addDays(DAY, -1),
    momentOn(addDays(DAY, 1), 3),
  ]);
  at.service.clock.set(momentOn(addDays(DAY, 1), 4).toISOString());
  const hidden = at.psp.setFault({ kind: 'status', status: 500, on: { method: 'GET', path: '/cobr' } });
  await at.service.runJobs();
  const compared = () => lines.map(line => JSON.parse(line)).filter(({ msg }) => msg.startsWith(`${DAY} was compared`));
  assert.deepEqual(compared(), [], 'the PSP does not list collections');
  at.psp.clearFaults(hidden);
  at.service.clock.advanceMs(31 * 60_000);
  await at.service.runJobs();
  assert.deepEqual(
    compared().map(({ rail, count }) => [rail, count]),
    [[RAIL, 3]],
  );
  assert.equal(await made(), before);
});
