// A boleto that carries a pix code is paid once, however it is paid and however often the bank reports it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openLinks } from '../../src/charges/links/links.ts';
import { compareDay } from '../../src/charges/reconcile/compare-day.ts';
import { sweepCharges } from '../../src/charges/sweep.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { civilDay, DAY_MS } from '../../src/lib/civil-days.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { watchedRails } from '../../src/rails/watched-rails.ts';
import { connect } from '../../src/storage/connect.ts';
import { apiEntry, pixEntry, type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { runCommand } from '../harness/commands.ts';
import { silentLog } from '../harness/log.ts';

describe('sicoob', () => {
  let at: ServiceAtBank;
  before(async () => {
    at = await startServiceAtBank('sicoob', { hasPix: true });
  });
  after(() => at.stop());

  async function create(): Promise<{ id: string; line: string; emv: string }> {
    const { json, text } = await at.create();
    assert.equal(json.boleto?.status, 'REGISTERED', text);
    return { id: json.id, line: json.boleto.digitableLine, emv: json.boleto.emv };
  }

  async function paymentsOf(id: string) {
    const { state, boleto, payments } = await at.read(id);
    return { state, status: boleto.status, methods: payments.map(({ method }: { method: string }) => method) };
  }

  const onlyOnce = { state: 'PAID', status: 'PAID', methods: ['boleto'] };
  const unmatched = async () => (await at.service.get('/payments/unmatched')).json.payments;

  /** How each bank list of today differs from what is recorded. */
  async function differences(): Promise<unknown[]> {
    const entries = { rails: [pixEntry(at.psp)], boletos: [apiEntry(at.psp)] };
    const { rails, stop } = liveRails(entries, { clock: at.service.clock, log: silentLog });
    const db = await connect({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
    const found = [];
    for (const watched of watchedRails(rails)) {
      const compared = await compareDay(
        { db, clock: at.service.clock, chargeFollowers: [] },
        watched,
        civilDay(at.service.clock.now()),
      );
      found.push(...compared.differences);
    }
    stop();
    await db.close();
    return found;
  }

  test('the pix is reported first, then the boleto', async () => {
    const { id, emv } = await create();
    await at.psp.pay({ emv });
    at.psp.setFault({ kind: 'status', status: 500, on: { path: '/boletos' } });
    await at.look();
    assert.deepEqual(await paymentsOf(id), onlyOnce);
    assert.deepEqual(await differences().catch(() => 'the boleto list is away'), 'the boleto list is away');
    at.psp.clearFaults();
    await at.look();
    await at.look();
    assert.deepEqual(await paymentsOf(id), onlyOnce);
    assert.deepEqual([await unmatched(), await differences()], [[], []]);
  });

  test("the bank's fee is recorded also when the pix is reported first, before the money is credited and after", async () => {
    const feesOf = (id: string) =>
      at.service.sql<{ fee_cents: string; booked: string | null }>(
        `select fee_cents, (select sum(amount) from ledger_lines l
                              join ledger_entries e on e.id = l.entry_id and e.account_id = l.account_id
                             where l.book = 'bank_fee' and e.charge_id = p.charge_id) as booked
           from payments p where charge_id = $1`,
        [id],
      );
    const payUnreported = async (wait: () => Promise<unknown>) => {
      const { id, emv } = await create();
      await at.psp.pay({ emv });
      at.psp.setFault({ kind: 'status', status: 500, on: { path: '/boletos' } });
      await at.look();
      await wait();
      at.psp.clearFaults();
      await at.look();
      await at.look();
      return id;
    };
    const settle = async () => {
      at.service.clock.advanceMs(2 * DAY_MS);
      const { clock, databaseUrl, url } = at.service;
      const db = await connect({ connection: { connectionString: databaseUrl }, log: silentLog });
      const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
      const links = await openLinks(db, () => url);
      await sweepCharges({ db, queue, links, chargeFollowers: CHARGE_FOLLOWERS }, clock.now());
      await queue.stop();
      await db.close();
    };
    const early = await payUnreported(async () => undefined);
    assert.deepEqual(await feesOf(early), [{ fee_cents: '150', booked: null }]);
    const late = await payUnreported(settle);
    for (const id of [early, late]) {
      assert.equal((await at.read(id)).state, 'SETTLED');
      assert.deepEqual(await feesOf(id), [{ fee_cents: '150', booked: '150' }]);
    }
    const env = { TRILHO_MODE: 'live', DATABASE_URL: at.service.databaseUrl };
    assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
  });

  test('the boleto is reported first, then the pix', async () => {
    const { id, emv } = await create();
    await at.psp.pay({ emv });
    at.psp.setFault({ kind: 'status', status: 500, on: { method: 'GET', path: '/pix' } });
    await at.look();
    assert.deepEqual(await paymentsOf(id), onlyOnce);
    at.psp.clearFaults();
    await at.look();
    await at.look();
    assert.deepEqual(await paymentsOf(id), onlyOnce);
    assert.deepEqual([await unmatched(), await differences()], [[], []]);
    const [row] = await at.service.sql<{ count: string }>(
      `select count(*) from ledger_entries where kind = 'payment' and cause_id in (select id from payments where charge_id = $1)`,
      [id],
    );
    assert.equal(Number(row?.count), 1);
  });

  test('a pix whose purpose the PSP does not answer stops no other', async () => {
    const { id, emv } = await create();
    at.psp.setFault({ kind: 'status', status: 403, on: { method: 'GET', path: '/cobv/' } });
    const seenUntil = async () =>
      (await at.service.sql<{ at: Date }>(`select seen_until as at from rails where method = 'pix'`))[0]!.at;
    const before = await seenUntil();
    await at.psp.pay({ emv });
    await at.look();
    assert.ok((await seenUntil()) > before);
    at.psp.clearFaults();
    await at.look();
    assert.deepEqual(await paymentsOf(id), onlyOnce);
    assert.deepEqual([await unmatched(), await differences()], [[], []]);
  });

  test('both are reported at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, create));
    for (const { emv } of made) await at.psp.pay({ emv });
    await at.look();
    for (const { id } of made) assert.deepEqual(await paymentsOf(id), onlyOnce);
    assert.deepEqual([await unmatched(), await differences()], [[], []]);
  });

  test('the line and the code both paid are two payments', async () => {
    const { id, line, emv } = await create();
    await at.psp.payTitle({ line });
    await at.psp.pay({ emv, force: true });
    await at.look();
    await at.look();
    const charge = await at.read(id);
    assert.equal(charge.payments.length, 2);
    assert.equal(charge.payments.filter(({ isRepeat }: { isRepeat: boolean }) => isRepeat).length, 1);
    assert.deepEqual([await unmatched(), await differences()], [[], []]);
  });

  test('a line that is paid leaves no code to pay', async () => {
    const { line, emv } = await create();
    await at.psp.payTitle({ line });
    await assert.rejects(at.psp.pay({ emv }), /removed/);
  });

  test("a returned pix is a return of the boleto's payment", async () => {
    const { id, emv } = await create();
    const { endToEndId } = await at.psp.pay({ emv });
    await at.look();
    at.psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
    await at.look();
    assert.equal((await at.read(id)).state, 'REFUNDED');
  });
});
