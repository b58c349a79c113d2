// trilho reconcile and the nightly comparison: each difference between a PSP's record of a day and ours is named.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { payCommand } from '../../src/cli/pay.ts';
import { reconcileCommand } from '../../src/cli/reconcile.ts';
import { addDays, civilDay, DAY_MS, momentOn } from '../../src/lib/civil-days.ts';
import { StartError } from '../../src/lib/errors.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { recordingLog } from '../harness/log.ts';
import { RAIL, railSettings, type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';

/** Commands use the machine's clock, so the days of the test are in its past. */
const FIRST_DAY = addDays(civilDay(new Date()), -9);
const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };

const { log, lines } = recordingLog();
let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp({ now: momentOn(FIRST_DAY, 12).toISOString(), log });
});
after(() => at.stop());

async function look(): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await at.service.runJobs();
}

async function charge(): Promise<{ id: string; emv: string }> {
  const dueAt = new Date(Date.now() + 30 * DAY_MS).toISOString();
  const { status, json, text } = await at.service.post('/charges', chargeBody({ methods: ['pix'], customer, dueAt }));
  assert.equal(status, 201, text);
  return { id: json.id, emv: json.pix.emv };
}

async function paidCharge(): Promise<{ id: string; reference: string }> {
  const { id, emv } = await charge();
  const { endToEndId } = await at.psp.pay({ emv });
  await look();
  assert.equal((await at.service.get(`/charges/${id}`)).json.state, 'PAID');
  return { id, reference: endToEndId };
}

async function refundedCharge(): Promise<{ id: string; reference: string; refundId: string }> {
  const { id, reference } = await paidCharge();
  const { json } = await at.service.post(`/charges/${id}/refunds`, { amountCents: 5_990 });
  await at.service.runJobs();
  return { id, reference, refundId: json.id };
}

const environment = () => ({
  TRILHO_MODE: 'live',
  DATABASE_URL: at.service.databaseUrl,
  TRILHO_RAILS: JSON.stringify([railSettings(at.psp)]),
});
const today = () => civilDay(at.service.clock.now());

/** A day of its own, at noon, for one test. */
function nextDay(): string {
  const day = addDays(today(), 1);
  at.service.clock.set(momentOn(day, 12).toISOString());
  return day;
}

const reconcile = (...args: string[]) => runCommand(reconcileCommand, environment(), args);

/** What the command prints about a day, once the PSP's clock has passed it: a PSP refuses to list the future. */
async function reportOf(day: string): Promise<string[]> {
  const now = at.service.clock.now();
  at.service.clock.set(new Date(Date.now() + 60_000).toISOString());
  const { code, said } = await reconcile('--day', day, '--rail', RAIL);
  at.service.clock.set(now.toISOString());
  const found = said.split('\n');
  assert.equal(code, found.length > 1 ? 1 : 0, said);
  return found;
}

const sameAs = (expected: string[], found: string[]) => assert.deepEqual(found.slice(0, -1).sort(), expected.sort());

test('the first day to be compared is the first whole one', async () => {
  const rows = await at.service.sql(
    `select to_char(compared_day, 'YYYY-MM-DD') as day, next_compare_at as at from rails where name = $1`,
    [RAIL],
  );
  assert.deepEqual(rows, [{ day: FIRST_DAY, at: momentOn(addDays(FIRST_DAY, 2), 3) }]);
});

test('a day with payments, refunds and returns that are all recorded has no difference', async () => {
  const { reference } = await refundedCharge();
  at.psp.medReturn({ endToEndId: reference, natureza: 'MED_FRAUDE' });
  await look();
  await paidCharge();
  assert.deepEqual(await reportOf(today()), [`${RAIL} ${today()}: 2 payments at the PSP, 2 here, nothing differs.`]);
  assert.deepEqual(await reportOf(addDays(today(), 1)), [
    `${RAIL} ${addDays(today(), 1)}: 0 payments at the PSP, 0 here, nothing differs.`,
  ]);
  // A list that lags behind is no difference: it is read again.
  at.psp.setFault({ kind: 'stale-read', on: { method: 'GET', path: '/pix' }, count: 1 });
  assert.deepEqual(await reportOf(today()), [`${RAIL} ${today()}: 1 payment at the PSP, 2 here, nothing differs.`]);
});

test('a payment that is only at the PSP, and one that belongs to no charge, are named', async () => {
  const day = nextDay();
  await look();
  const unmatched = await at.psp.pay({ chave: at.psp.client.keys[0]!, valor: '12.34' });
  await look();
  const { emv } = await charge();
  const missed = await at.psp.pay({ emv });
  sameAs(
    [
      `${missed.endToEndId}: not recorded here; BRL 159.90 at the PSP`,
      `${unmatched.endToEndId}: belongs to no charge and waits in GET /payments/unmatched; BRL 12.34 at the PSP`,
    ],
    await reportOf(day),
  );
  await look();
  await at.service.post('/payments/unmatched/dismiss', { reference: unmatched.endToEndId });
  sameAs([], await reportOf(day));
});

test('a payment that only we have, or with another amount, on another charge or not in the ledger, is named', async () => {
  const day = nextDay();
  const when = momentOn(day, 11).toISOString();
  const pay = (...args: string[]) => runCommand(payCommand, environment(), args);
  const [alone, first, other] = [await charge(), await charge(), await charge()];
  await pay(alone.id, '15990', 'E99999999202611161200invented000', 'pix', when);
  const { endToEndId } = await at.psp.pay({ emv: first.emv });
  await pay(other.id, '15980', endToEndId, 'pix', when);
  await look();
  const { id, reference } = await paidCharge();
  await at.service.sql(`alter table ledger_lines disable trigger all`);
  await at.service.sql(
    `update ledger_lines set amount = amount * 2 where entry_id in (
       select e.id from ledger_entries e join payments p on p.id = e.cause_id where p.reference = $1)`,
    [reference],
  );
  sameAs(
    [
      `E99999999202611161200invented000 (charge ${alone.id}): recorded here and not known to the PSP; BRL 159.90 here`,
      `${endToEndId} (charge ${other.id}): another amount; BRL 159.80 here, BRL 159.90 at the PSP`,
      `${endToEndId} (charge ${other.id}): another charge; ${other.id} here, ${first.id} at the PSP`,
      `${reference} (charge ${id}): another amount in the ledger; BRL 319.80 here, BRL 159.90 at the PSP`,
    ],
    await reportOf(day),
  );
});

test('a refund or return that one side lacks, or has differently, is named', async () => {
  const day = nextDay();
  const [unknown, changed] = [await refundedCharge(), await refundedCharge()];
  const returned = await paidCharge();
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: null });
  const pending = await refundedCharge();
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  const id = pending.refundId.replaceAll('-', '');
  at.psp.endRefund({ endToEndId: pending.reference, id, status: 'DEVOLVIDO' });
  at.psp.medReturn({ endToEndId: returned.reference, natureza: 'MED_OPERACIONAL', valor: '10.00' });
  const renamed = '01a1e6e6-0000-7000-8000-000000000001';
  await at.service.sql('update refunds set id = $2 where id = $1', [unknown.refundId, renamed]);
  await at.service.sql('update refunds set amount_cents = 5000 where id = $1', [changed.refundId]);
  const found = await reportOf(day);
  const [med] = found.filter(line => line.includes('BRL 10.00'));
  assert.match(
    med ?? '',
    new RegExp(`^${returned.reference} .*: return \\S+ not recorded here; BRL 10\\.00 at the PSP$`),
  );
  const of = ({ reference, id: chargeId }: { reference: string; id: string }) => `${reference} (charge ${chargeId})`;
  sameAs(
    [
      med!,
      `${of(unknown)}: return ${unknown.refundId.replaceAll('-', '')} not recorded here; BRL 59.90 at the PSP`,
      `${of(unknown)}: refund ${renamed} not known to the PSP; BRL 59.90 here`,
      `${of(changed)}: refund ${changed.refundId} of another amount; BRL 50.00 here, BRL 59.90 at the PSP`,
      `${of(changed)}: refund ${changed.refundId} of another amount in the ledger; BRL 59.90 here, BRL 59.90 at the PSP`,
      `${of(pending)}: refund ${pending.refundId} of another status; PENDING here, DONE at the PSP`,
    ],
    found,
  );
});

test('disputes that a person and the bank end alike, or otherwise, differ in nothing once the bank has reported', async () => {
  const day = nextDay();
  for (const status of ['DEVOLVIDO', 'NAO_REALIZADO'] as const) {
    const { id, reference } = await paidCharge();
    const returned = at.psp.medReturn({ endToEndId: reference, status: 'EM_PROCESSAMENTO' });
    await look();
    const { disputes } = (await at.service.get(`/disputes?chargeId=${id}`)).json;
    const end = { outcome: 'lost', reason: 'The bank has written.' };
    assert.equal((await at.service.post(`/disputes/${disputes[0].id}/close`, end)).status, 200);
    const found = `refund ${disputes[0].refundId} of another status; DONE here, PENDING at the PSP`;
    sameAs([`${reference} (charge ${id}): ${found}`], await reportOf(day));
    at.psp.endRefund({ endToEndId: reference, id: returned.id, status });
    await look();
    sameAs([], await reportOf(day));
  }
});

test('every night one node compares the day before, counts the differences, and retries when the PSP is silent', async () => {
  const of = async (name: string) => {
    const { text } = await at.service.get('/metrics');
    const found = new RegExp(`^${name}\\{rail="${RAIL}"\\} (\\S+)$`, 'm').exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const compared = () =>
    lines
      .map(text => JSON.parse(text) as Record<string, unknown>)
      .filter(({ msg }) => String(msg).includes('was compared with the bank'));
  const day = nextDay();
  await at.service.runJobs();
  await at.service.sql('update rails set compared_day = $1, next_compare_at = $2', [
    addDays(day, -1),
    momentOn(addDays(day, 1), 3),
  ]);
  const before = compared().length;
  const listedLate = await charge();
  at.service.clock.set(momentOn(addDays(day, 1), 2).toISOString());
  await at.service.runJobs();
  await at.psp.pay({ emv: listedLate.emv, horario: momentOn(day, 20) });
  // Before its charge was created, so it waits for a person.
  const missed = await at.psp.pay({ emv: (await charge()).emv, horario: momentOn(day, 20) });
  // The regular look does not see them, as if the PSP had listed them late.
  await at.service.sql(`update rails set next_look_at = 'infinity'`);
  assert.equal(compared().length, before, 'not before the hour');

  at.service.clock.set(momentOn(addDays(day, 1), 3).toISOString());
  const fault = at.psp.setFault({ kind: 'status', status: 500, on: { path: '/pix' } });
  await at.service.runJobs();
  assert.equal(compared().length, before);
  at.psp.clearFaults(fault);
  at.service.clock.advanceMs(31 * 60_000);
  await Promise.all([at.service.runJobs(), at.service.runJobs()]);
  const [line, ...others] = compared().slice(before);
  assert.deepEqual([line?.['level'], line?.['rail'], line?.['count'], others], ['warn', RAIL, 1, []]);
  assert.match(String(line?.['msg']), new RegExp(`^${day} `));
  assert.ok(!lines.join().includes(missed.endToEndId));
  assert.equal((await at.service.get(`/charges/${listedLate.id}`)).json.state, 'PAID');
  assert.equal(await of('trilho_reconcile_differences'), 1);
  assert.equal(await of('trilho_reconcile_last_run_timestamp_seconds'), at.service.clock.now().getTime() / 1000);
});

test('wrong arguments are named, and so is an unknown rail', async () => {
  const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(reconcile(), refusal(/--day is missing/));
  await assert.rejects(reconcile('--day', '2026-02-30'), refusal(/--day must be a day such as .* not "2026-02-30"/));
  await assert.rejects(reconcile('--day', '9999-12-31'), refusal(/--day 9999-12-31 is in the future/));
  await assert.rejects(reconcile('--day', FIRST_DAY, '--rail', 'itau'), refusal(/--rail "itau" .*; there is efi:main/));
  const without = { TRILHO_MODE: 'live', DATABASE_URL: at.service.databaseUrl };
  await assert.rejects(runCommand(reconcileCommand, without, ['--day', FIRST_DAY]), refusal(/There is no PSP/));
  await assert.rejects(
    runCommand(reconcileCommand, { DATABASE_URL: at.service.databaseUrl }, ['--day', FIRST_DAY]),
    refusal(/A sandbox has no PSP/),
  );
});
