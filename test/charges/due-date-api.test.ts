// A new due date of a boleto at a bank with an API: requested by a call, confirmed by the bank's copy. Kills: due-date-api-crash.deep.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { digitableLine } from '@trilho/cnab';
import type { Fault } from '@trilho/psp';
import { type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { pathOf } from '../harness/checkouts.ts';
import { type ServiceAtInter, startServiceAtInter } from '../harness/inter-bank.ts';

const [EARLIER, DUE, LATER, LATEST] = ['2026-12-05', '2026-12-10', '2026-12-30', '2027-01-11'] as const;
const endOf = (day: string) => `${day}T23:59:59-03:00`;
const utc = (day: string) => new Date(endOf(day)).toISOString();
const TAXES = { fine: 2, interest: 1 };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Made = { readonly id: string; readonly line: string };

/** What a test does at either bank. */
function driver(bank: () => ServiceAtBank) {
  const change = (id: string, day: string) => bank().service.post(`/charges/${id}/due-date`, { dueAt: endOf(day) });
  const patches = () =>
    bank()
      .psp.requests()
      .filter(({ method }) => method === 'PATCH');
  return {
    change,
    patches,
    create: async (changes: Record<string, unknown> = {}): Promise<Made> => {
      const { json, text } = await bank().create({ dueAt: endOf(DUE), taxes: TAXES, ...changes });
      assert.equal(json.boleto.status, 'REGISTERED', text);
      return { id: json.id, line: json.boleto.digitableLine };
    },
    /** A minute passes and then more, and every job that follows is run. */
    later: async (minutes = 0) => {
      for (const passed of minutes > 0 ? [1, minutes, 1] : [1]) {
        bank().service.clock.advanceMs(passed * MINUTE_MS + 1_000);
        await bank().service.runJobs();
      }
    },
    eventsOf: async (id: string): Promise<string[]> => {
      const { json } = await bank().service.get(`/events?objectId=${id}`);
      return json.events
        .map(({ type }: { type: string }) => type)
        .filter((type: string) => type.includes('due_change'));
    },
    /** Runs this while the job of the change does not run, as if its node had died. */
    withoutJob: async (id: string) => {
      const rows = await bank().service.sql(
        `delete from pgboss.job where name = 'charge.change_due_day' and data ->> 'chargeId' = $1 returning id`,
        [id],
      );
      assert.equal(rows.length, 1, 'a job waits');
    },
  };
}

for (const profile of ['sicoob', 'inter'] as const) {
  describe(profile, () => {
    let at: ServiceAtBank;
    const { change, patches, create, later, eventsOf, withoutJob } = driver(() => at);
    before(async () => {
      at = profile === 'inter' ? await startServiceAtInter() : await startServiceAtBank(profile);
    });
    after(() => at.stop());

    for (const [day, last] of [
      [LATER, '2027-01-29'],
      [EARLIER, '2027-01-04'],
    ] as const) {
      test(`the bank is asked for ${day}, and its copy decides: line, end, fine and interest`, async () => {
        const { id, line } = await create();
        const asked = await change(id, day);
        assert.equal(asked.status, 200, asked.text);
        assert.deepEqual(asked.json.dueChange, { dueAt: utc(day), status: 'PENDING' });
        assert.deepEqual([asked.json.dueAt, asked.json.boleto.digitableLine], [utc(DUE), line]);
        await at.service.runJobs();
        const charge = await at.read(id);
        assert.deepEqual(charge.dueChange, { dueAt: utc(day), status: 'DONE' });
        assert.deepEqual([charge.dueAt, charge.expireAt], [utc(day), utc(last)]);
        const title = at.title(charge.boleto.digitableLine);
        assert.deepEqual([title.dueOn, title.lastDay], [day, last]);
        assert.notEqual(title.line, line);
        assert.equal(charge.boleto.digitableLine, digitableLine(charge.boleto.barcode));
        if (profile === 'sicoob') {
          const from = day === LATER ? '2026-12-31' : '2026-12-06';
          assert.partialDeepStrictEqual(title.request, { dataMulta: from, dataJurosMora: from, valorMulta: 2 });
        }
        assert.deepEqual(await eventsOf(id), ['charge.due_changed']);
        const page = await (await fetch(at.service.url + (await pathOf(at.service, id)))).text();
        const digits = page.replace(/[ .]/g, '');
        assert.deepEqual(
          [digits.includes(title.line), digits.includes(line)],
          [true, false],
          'the checkout has the new line',
        );
        const owed = (await at.service.get(`/charges/${id}/amount?on=${day}`)).json.boleto;
        assert.equal(owed.totalCents, charge.amountCents);
      });
    }

    for (const [name, fault] of Object.entries({
      'loses its answer': { kind: 'lost-reply' },
      'is cut off': { kind: 'cut' },
      'fails before it has done anything': { kind: 'status', status: 500 },
      'cannot be used for a while': { kind: 'status', status: 503, retryAfterSeconds: 1 },
    } satisfies Record<string, Fault>)) {
      test(`a bank that ${name} gets the new day, and the charge has one event`, async () => {
        const { id } = await create();
        const before = patches().length;
        await change(id, LATER);
        at.psp.setFault({ ...fault, on: { method: 'PATCH' }, count: 1 });
        await at.service.runJobs();
        at.psp.clearFaults();
        await later(40);
        const charge = await at.read(id);
        assert.deepEqual([charge.dueChange.status, charge.dueAt], ['DONE', utc(LATER)]);
        assert.equal(at.title(charge.boleto.digitableLine).dueOn, LATER);
        assert.deepEqual(await eventsOf(id), ['charge.due_changed']);
        const wasDone = fault.kind === 'lost-reply';
        const once = profile === 'inter' ? 1 : 4;
        if (wasDone) assert.equal(patches().length - before, once, 'it was looked up and not sent again');
        else assert.equal(patches().length - before, once + 1);
      });
    }

    test("a refusal leaves boleto and charge unchanged, with the bank's reason", async () => {
      const { id, line } = await create();
      const before = at.title(line);
      await change(id, LATER);
      // At Sicoob everything but the due day was accepted by then.
      const skip = profile === 'sicoob' ? 3 : 0;
      at.psp.setFault({ kind: 'status', status: 422, on: { method: 'PATCH' }, count: 1, skip });
      await at.service.runJobs();
      at.psp.clearFaults();
      const charge = await at.read(id);
      assert.equal(charge.dueChange.status, 'FAILED');
      assert.ok(charge.dueChange.reason.length > 0);
      assert.deepEqual([charge.dueAt, charge.boleto.digitableLine], [utc(DUE), line]);
      assert.deepEqual(at.title(line), before);
      assert.deepEqual(await eventsOf(id), ['charge.due_change_failed']);
      await change(id, LATER);
      await at.service.runJobs();
      assert.equal((await at.read(id)).dueAt, utc(LATER), 'it may be requested again');
    });

    test('a change can be replaced until the bank is called; then its answer comes first', async () => {
      const { id } = await create();
      await change(id, LATER);
      assert.equal((await change(id, LATEST)).json.dueChange.dueAt, utc(LATEST));
      at.psp.setFault({ kind: 'status', status: 500, on: { method: 'PATCH' } });
      await at.service.runJobs();
      const second = await change(id, LATER);
      assert.deepEqual([second.status, second.json.code], [409, 'wrong_state']);
      assert.match(second.json.detail, /was asked for the due day 2027-01-11 and has not answered yet: ask again on/);
      at.psp.clearFaults();
      await later(40);
      assert.equal((await at.read(id)).dueAt, utc(LATEST));
    });

    test('a bank that has not answered for days can be asked for another day', async () => {
      const { id } = await create({ dueAt: endOf(LATEST) });
      await change(id, LATER);
      at.psp.setFault({ kind: 'status', status: 500, on: { method: 'PATCH' } });
      await at.service.runJobs();
      at.psp.clearFaults();
      at.psp.setFault({ kind: 'status', status: 500, on: { method: 'GET' } });
      at.service.clock.advanceMs(6 * DAY_MS);
      assert.equal((await change(id, '2027-01-20')).json.dueChange.dueAt, utc('2027-01-20'));
      at.psp.clearFaults();
      await later(2);
      const charge = await at.read(id);
      assert.deepEqual([charge.dueAt, at.title(charge.boleto.digitableLine).dueOn], [utc('2027-01-20'), '2027-01-20']);
      at.service.clock.advanceMs(-6 * DAY_MS);
    });

    test('canceling a charge drops its change and withdraws the boleto at the bank', async () => {
      const { id, line } = await create();
      await change(id, LATER);
      await at.service.post(`/charges/${id}/cancel`, {});
      await later(2);
      const charge = await at.read(id);
      assert.deepEqual([charge.state, charge.dueChange.status, charge.dueAt], ['CANCELED', 'FAILED', utc(DUE)]);
      assert.equal(at.title(line).status, 'written_off');
      assert.equal((await change(id, LATER)).status, 409);
    });

    test('one that the bank has changed without our knowledge is withdrawn there too', async () => {
      const { id } = await create();
      await change(id, LATER);
      // The last of four requests at Sicoob has the day.
      at.psp.setFault({ kind: 'lost-reply', on: { method: 'PATCH' }, count: 1, skip: profile === 'sicoob' ? 3 : 0 });
      await at.service.runJobs();
      at.psp.clearFaults();
      await withoutJob(id);
      await at.service.post(`/charges/${id}/cancel`, {});
      await later(3);
      const { titles } = at.psp.state();
      assert.equal(titles.at(-1)?.status, 'written_off');
    });

    test('a payment counts by the due day that the bank had, also before we know of it', async () => {
      const { id } = await create({ amountCents: 10_000 });
      await change(id, LATER);
      at.psp.setFault({ kind: 'lost-reply', on: { method: 'PATCH' }, count: 1, skip: profile === 'sicoob' ? 3 : 0 });
      await at.service.runJobs();
      at.psp.clearFaults();
      assert.equal((await at.read(id)).dueChange.status, 'PENDING');
      await withoutJob(id);
      const { number } = at.psp.state().titles.at(-1)!;
      if (profile === 'inter') await pollEdit(at, id);
      at.service.clock.advanceMs(Date.parse(endOf('2026-12-20')) - at.service.clock.now().getTime());
      await at.psp.payTitle({ number });
      await at.look();
      await at.look();
      const charge = await at.read(id);
      assert.deepEqual([charge.state, charge.timing, charge.paidAmount], ['PAID', 'on_time', 'exact']);
      assert.deepEqual([charge.dueChange.status, charge.payments[0].amountCents], ['DONE', 10_000]);
    });
  });
}

/** The boleto is read, and then the bank has carried out the edit. */
async function pollEdit(at: ServiceAtBank, id: string): Promise<void> {
  assert('fetchCobranca' in at);
  const [row] = await at.service.sql<{ bank_id: string }>('select bank_id from charge_methods where charge_id = $1', [
    id,
  ]);
  await (at as ServiceAtInter).fetchCobranca(row!.bank_id);
}

describe('an edit at Inter', () => {
  let at: ServiceAtInter;
  const { change, patches, create, eventsOf, later } = driver(() => at);
  before(async () => {
    at = await startServiceAtInter();
  });
  after(() => at.stop());

  test('is sent once while the bank works on it and while its copy is behind', async () => {
    at.psp.setTitles({ processing: 1, editing: 8, hidesEdits: 6 });
    const { id, line } = await create();
    const before = patches().length;
    await change(id, LATER);
    for (let minute = 0; minute < 3; minute++) {
      await later();
      const { dueAt, dueChange } = await at.read(id);
      assert.deepEqual([dueAt, dueChange.status], [utc(DUE), 'PENDING']);
    }
    assert.equal((await change(id, LATEST)).status, 409);
    for (let minute = 0; minute < 10; minute++) await later();
    at.psp.setTitles({ processing: 1 });
    const charge = await at.read(id);
    assert.deepEqual([charge.dueAt, charge.dueChange.status], [utc(LATER), 'DONE']);
    assert.notEqual(charge.boleto.digitableLine, line);
    assert.equal(patches().length - before, 1);
  });

  test('that fails at the bank leaves the charge unchanged', async () => {
    at.psp.setTitles({ processing: 1, failsEdits: true });
    const { id } = await create();
    await change(id, LATER);
    await later(2);
    at.psp.setTitles({ processing: 1 });
    const { dueAt, dueChange } = await at.read(id);
    assert.deepEqual([dueAt, dueChange.status], [utc(DUE), 'FAILED']);
    assert.match(dueChange.reason, /^FALHA/);
    assert.deepEqual(await eventsOf(id), ['charge.due_change_failed']);
  });

  test('waits while the bank may have a second boleto of the charge, which is known by its due day', async () => {
    const { id } = await at.createTwice();
    const early = await change(id, LATER);
    assert.equal(early.status, 409, early.text);
    assert.match(early.json.detail, /was sent to the bank twice: its due date can be changed from 2026-11-17T/);
    at.psp.clearFaults();
    at.service.clock.advanceMs(DAY_MS);
    await later(2);
    assert.equal((await change(id, LATER)).status, 200);
    await later(2);
    assert.equal((await at.read(id)).dueAt, utc(LATER));
  });
});
