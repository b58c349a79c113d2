// Every call of Pix Automático of our own rail, in one walk: recurrences by each way to an approval, requests in the payer's bank,
// locations, collections with repeats, refusals and retries, lists in pages, and webhooks.
import assert from 'node:assert/strict';
import type { Psp } from '@trilho/psp';
import { addDays, civilDay, DAY_MS, momentOn } from '../../../src/lib/civil-days.ts';
import type {
  AutomaticCalls,
  Collection,
  NoAnswer,
  Page,
  Recurrence,
  RecurrenceRequest,
} from '../../../src/rails/automatic.ts';

type Charge = { readonly reference: string };
type Walk = {
  readonly calls: AutomaticCalls;
  readonly psp: Psp;
  /** A charge that is paid within the hour. */
  readonly charge: () => Promise<Charge>;
};

export async function walkAutomatic(walk: Walk): Promise<void> {
  await asked(walk);
  await coded(walk);
  await paidAtOnce(walk);
  await collected(walk);
  await listed(walk);
  for (const notice of ['rec', 'cobr'] as const) assert.ok(await walk.calls.readWebhook(notice));
}

const dayOf = ({ psp }: Walk, ahead: number) => addDays(civilDay(psp.now()), ahead);

function request(walk: Walk, more: Partial<RecurrenceRequest> = {}): RecurrenceRequest {
  return {
    contract: '63100862',
    payer: { name: 'Conceição d’Ávila', document: '52998224725' },
    firstDay: dayOf(walk, 4),
    period: 'MONTHLY',
    allowsRetries: false,
    ...more,
  };
}

async function created({ calls }: Walk, asks: RecurrenceRequest): Promise<Recurrence> {
  const answer = await calls.createRecurrence(asks);
  assert.ok(answer.kind === 'found');
  return answer.recurrence;
}

async function read({ calls }: Walk, id: string, reference?: string): Promise<Recurrence> {
  const answer = await calls.recurrence(id, reference);
  assert.ok(answer.kind === 'found');
  return answer.recurrence;
}

/** Journey 1, and recurrences that the payer or we end. */
async function asked(walk: Walk): Promise<void> {
  const { calls, psp } = walk;
  const terms = { description: 'Serviço de música', lastDay: dayOf(walk, 400), amountCents: 3_500n };
  const { id } = await created(walk, request(walk, terms));
  const expiresAt = new Date(psp.now().getTime() + DAY_MS);
  const ask = { recurrenceId: id, expiresAt, document: '52998224725', ispb: '91193552', account: '550689' };
  const first = await calls.askPayer({ ...ask, branch: '2569' });
  assert.ok(first.kind === 'found');
  assert.equal((await calls.askPayer(ask)).kind, 'rejected');
  assert.equal((await calls.payerRequest(first.request.id)).kind, 'found');
  for (const _ of ['canceled', 'repeated'])
    assert.equal((await calls.cancelPayerRequest(first.request.id)).kind, 'found');
  const second = await calls.askPayer(ask);
  assert.ok(second.kind === 'found');
  psp.automatic.approve({ idSolicRec: second.request.id });
  assert.equal((await read(walk, id)).status, 'APPROVED');
  for (const _ of ['canceled', 'repeated']) assert.equal((await calls.cancelRecurrence(id)).kind, 'found');

  const company = { name: 'Empresa SA', document: '12ABC34501DE35' };
  const refused = await created(walk, request(walk, { payer: company, minimumCents: 500n, period: 'WEEKLY' }));
  const ofCompany = { ...ask, recurrenceId: refused.id, document: company.document };
  assert.equal((await calls.askPayer(ofCompany)).kind, 'found');
  psp.automatic.reject({ idRec: refused.id });
  assert.equal((await read(walk, refused.id)).status, 'REJECTED');

  assert.equal((await calls.createRecurrence(request(walk, { firstDay: dayOf(walk, -4) }))).kind, 'rejected');
  assert.equal((await calls.recurrence(`RN${'0'.repeat(27)}`)).kind, 'absent');
  assert.equal((await calls.payerRequest(`SC${'0'.repeat(27)}`)).kind, 'absent');
}

async function locationOf({ calls }: Walk): Promise<string> {
  const answer = await calls.takeLocation();
  assert.ok(answer.kind === 'found');
  return answer.location.id;
}

/** Journey 2, and how one is found whose answer was lost. */
async function coded(walk: Walk): Promise<void> {
  const { calls, psp } = walk;
  const asks = request(walk, { locationId: await locationOf(walk), contract: 'by code' });
  const period = { from: new Date(psp.now().getTime() - 60_000), to: psp.now() };
  assert.deepEqual(await calls.findRecurrence(asks, period), { kind: 'listed', recurrences: [] });
  const { id } = await created(walk, asks);
  const { locationId: _, ...unlocated } = asks;
  for (const lost of [asks, unlocated]) {
    const found = await calls.findRecurrence(lost, { ...period, to: psp.now() });
    assert.ok(found.kind === 'listed');
    if (lost === asks)
      assert.deepEqual(
        found.recurrences.map(one => one.id),
        [id],
      );
  }
  psp.automatic.approve({ emv: (await read(walk, id)).emv! });
  assert.equal((await read(walk, id)).journey, 2);
}

/** Journey 3. */
async function paidAtOnce(walk: Walk): Promise<void> {
  const { reference } = await walk.charge();
  const asks = request(walk, {
    locationId: await locationOf(walk),
    chargeReference: reference,
    contract: 'paid at once',
  });
  const { id } = await created(walk, asks);
  const { emv } = await read(walk, id, reference);
  await walk.psp.pay({ emv: emv! });
  const { status, journey } = await read(walk, id);
  assert.deepEqual([status, journey], ['APPROVED', 3]);
}

let made = 0;
const newReference = () => `w${String(++made).padStart(31, '0')}`;

async function collected(walk: Walk): Promise<void> {
  const { calls, psp } = walk;
  const asks = request(walk, { locationId: await locationOf(walk), contract: 'collected', allowsRetries: true });
  const { id: recurrenceId } = await created(walk, asks);
  psp.automatic.approve({ emv: (await read(walk, recurrenceId)).emv! });
  const cycle = { recurrenceId, dueDay: asks.firstDay, amountCents: 3_500n };
  const [first, second] = [newReference(), newReference()];
  for (const _ of ['made', 'repeated']) assert.equal((await calls.collect(cycle, first)).kind, 'found');
  assert.equal((await calls.collect({ ...cycle, amountCents: 1n }, newReference())).kind, 'rejected');
  for (const _ of ['canceled', 'repeated']) assert.equal((await calls.cancelCollection(first)).kind, 'found');
  assert.equal((await calls.collect({ ...cycle, description: 'Novembro — «música»' }, second)).kind, 'found');

  psp.automatic.setAccount({ idRec: recurrenceId, balance: '0.00' });
  psp.moveClock({ advanceMs: 60_000 });
  const day = (await collectionOf(walk, second)).attempts[0]!.day!;
  psp.moveClock({ to: momentOn(day, 22) });
  assert.equal((await calls.retryCollection(second, day)).kind, 'rejected');
  const next = addDays(day, 1);
  for (const _ of ['asked', 'repeated']) assert.equal((await calls.retryCollection(second, next)).kind, 'found');
  psp.automatic.setAccount({ idRec: recurrenceId, balance: null });
  psp.moveClock({ to: momentOn(next, 22) });
  const { status, attempts, paymentReferences } = await collectionOf(walk, second);
  assert.deepEqual([status, attempts.length, paymentReferences.length], ['COMPLETED', 2, 1]);
  assert.equal((await calls.cancelCollection(second)).kind, 'found', 'it has ended');
  assert.equal((await calls.collection(newReference())).kind, 'absent');
}

async function collectionOf({ calls }: Walk, reference: string): Promise<Collection> {
  const answer = await calls.collection(reference);
  assert.ok(answer.kind === 'found');
  return answer.collection;
}

async function listed({ calls, psp }: Walk): Promise<void> {
  const period = { from: new Date(psp.now().getTime() - 30 * DAY_MS), to: psp.now() };
  assert.ok((await pagesOf(cursor => calls.recurrences(period, cursor))) > 1);
  assert.ok((await pagesOf(cursor => calls.collections(period, cursor))) >= 1);
}

async function pagesOf<T>(list: (cursor?: string) => Promise<Page<T> | NoAnswer>): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    assert.ok(page.kind === 'page' && page.unreadable === 0);
    cursor = page.next;
    count++;
  } while (cursor !== undefined);
  return count;
}
