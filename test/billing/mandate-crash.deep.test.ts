// Looks at mandates and at collections, cut off after every statement and every answer of the PSP, really killed after one of them, and
// resumed by another node: one recurrence, one request to the payer, one collection, one payment.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import { silentLog } from '../harness/log.ts';
import { type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';
import { differences } from '../harness/order-proof.ts';
import type { PspCrash } from '../harness/psp-crash-at-step.ts';
import type { PspVerb, PspVictim } from '../harness/psp-verbs.ts';
import { cutOffAfter } from '../harness/steps.ts';

let at: MandatesAtPsp;
let db: Database;
let node: Awaited<ReturnType<MandatesAtPsp['openNode']>>;
before(async () => {
  at = await startMandatesAtPsp();
  db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
  node = await at.openNode();
});
after(async () => {
  await node.close();
  await db.close();
  await at.stop();
});
afterEach(async () => {
  at.psp.clearFaults();
  assert.deepEqual(await differences(db), [], 'the ledger is right');
});

/** Ends a verb after each of its steps, each time on another victim, and lets the service resume all. */
async function crashVerb<V extends PspVictim>(verb: PspVerb, prepare: () => Promise<V>): Promise<V[]> {
  const { place } = node;
  const now = () => at.service.clock.now().toISOString();
  const victims = await crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) => cutOffAfter(step, steps => node.run(verb, victim, { now: now(), place, steps })),
    kill: (victim, step) => {
      const order: PspCrash = { verb, step, now: now(), databaseUrl: at.service.databaseUrl, victim, place };
      return crashAt('psp-crash-at-step.ts', order);
    },
  });
  for (let minute = 0; minute < 12; minute++) await at.later(MINUTE_MS);
  return victims;
}

for (const journey of [1, 2] as const) {
  test(`bringing a mandate to the PSP, in journey ${journey}`, async () => {
    const earlier = at.psp.state().recs.length;
    const payerAccount = { ispb: '91193552', branch: '2569', account: '550689', until: `${at.day(2)}T12:00:00Z` };
    const victims = await crashVerb('look at mandate', async () => {
      const { json } = await at.create({ journey, ...(journey === 1 && { payerAccount }) });
      return { chargeId: '', mandateId: json.id as string };
    });
    const made = at.psp.state().recs.slice(earlier);
    assert.deepEqual(
      made.map(({ status, solicitacao = [] }) => [status, solicitacao.length]),
      victims.map(() => ['CRIADA', journey === 1 ? 1 : 0]),
    );
    const ids: string[] = [];
    for (const { mandateId } of victims) {
      const { status, recurrenceId } = await at.read(mandateId);
      assert.equal(status, 'CREATED');
      ids.push(recurrenceId);
      assert.deepEqual(await at.typesOf(mandateId), ['mandate.created']);
    }
    assert.deepEqual(ids.sort(), made.map(({ idRec }) => idRec).sort());
  });
}

type Victim = PspVictim & { readonly collectionId: string };

/** A collection that waits to be sent, of a mandate of its own. */
async function waiting(): Promise<Victim> {
  const id = await at.approved();
  const chargeId = await at.newCharge(at.day(5));
  const { json } = await at.collect(id, chargeId);
  return { chargeId, mandateId: id, collectionId: json.id };
}

async function sent(): Promise<Victim> {
  const victim = await waiting();
  await at.work();
  await at.later(MINUTE_MS);
  return victim;
}

const txidOf = ({ collectionId }: Victim) => collectionId.replaceAll('-', '');
/** The collections of the victim's mandate at the PSP. */
async function atPsp({ mandateId = '' }: Victim): Promise<string[]> {
  const { recurrenceId } = await at.read(mandateId);
  const found = at.psp.state().cobsr.filter(({ idRec }) => idRec === recurrenceId);
  return found.map(({ txid, status }) => `${txid} ${status}`);
}

test('sending a collection', async () => {
  const victims = await crashVerb('look at collection', waiting);
  for (const victim of victims) {
    assert.deepEqual(await atPsp(victim), [`${txidOf(victim)} ATIVA`]);
    assert.equal((await at.collectionOf(victim.mandateId!)).status, 'ACTIVE');
    assert.deepEqual(await at.typesOf(victim.collectionId), ['mandate.collection_created']);
  }
});

test('canceling a collection', async () => {
  const victims = await crashVerb('look at collection', async () => {
    const victim = await sent();
    await at.cancelCollection(victim.collectionId);
    return victim;
  });
  for (const victim of victims) {
    assert.deepEqual(await atPsp(victim), [`${txidOf(victim)} CANCELADA`]);
    assert.deepEqual(await at.typesOf(victim.collectionId), [
      'mandate.collection_canceled',
      'mandate.collection_created',
    ]);
  }
});

test('taking the money of a collection', async () => {
  const victims = await crashVerb('look at collection', async () => {
    at.psp.clearFaults();
    const victim = await sent();
    at.psp.setFault({ kind: 'notify-drop' });
    at.psp.automatic.collect({ txid: txidOf(victim) });
    return victim;
  });
  for (const { chargeId, collectionId } of victims) {
    const { state, payments } = await at.readCharge(chargeId);
    assert.equal(`${state} ${payments.length}`, 'PAID 1');
    assert.deepEqual(await at.typesOf(collectionId), ['mandate.collection_completed', 'mandate.collection_created']);
  }
});

test('asking the PSP for another attempt', async () => {
  const victims = await crashVerb('look at collection', async () => {
    at.psp.clearFaults();
    const id = await at.approved({ retries: true });
    const chargeId = await at.newCharge(at.day(4));
    const { json } = await at.collect(id, chargeId);
    await at.work();
    await at.later(11 * MINUTE_MS);
    at.psp.automatic.setAccount({ idRec: (await at.read(id)).recurrenceId, balance: '0.00' });
    const { day } = (await at.collectionOf(id)).attempts[0];
    await at.until(day, '20');
    at.psp.setFault({ kind: 'notify-drop' });
    at.service.clock.advanceMs(80 * MINUTE_MS);
    return { chargeId, mandateId: id, collectionId: json.id as string };
  });
  for (const { mandateId } of victims) {
    const { attempts } = await at.collectionOf(mandateId!);
    const kinds = attempts.map(({ kind }: { kind: string }) => kind);
    assert.equal(new Set(attempts.map(({ day }: { day: string }) => day)).size, kinds.length, 'one for each day');
    assert.ok(kinds.includes('RETRY'));
  }
});
