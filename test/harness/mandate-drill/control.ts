// Makes a charge, a collection and a payment twice, each past the rules that prevent it: the proof must find them.
import assert from 'node:assert/strict';
import type { Psp } from '@trilho/psp';
import { addDays, civilDay } from '../../../src/lib/civil-days.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import type { Database } from '../../../src/storage/database.ts';
import { silentLog } from '../log.ts';
import { AUTOMATIC } from '../mandates-at-psp.ts';
import { railSettings } from '../psp.ts';

/** The last cycle has been collected, and the one after it is in the window. */
const DUE_IN_DAYS = 3;

export async function makeTwice(db: Database, psp: Psp, clock: Clock): Promise<void> {
  await db.query(
    `update charges set subscription_id = c.subscription_id, cycle_number = c.number
       from (select subscription_id, number from subscription_cycles where charge_id is not null limit 1) c
      where id = (select id from charges where subscription_id is null limit 1)`,
  );
  await db.query(
    `insert into payments (id, account_id, charge_id, method, amount_cents, paid_at, source, reference, timing, is_repeat, recorded_at, rail)
     select gen_random_uuid(), account_id, charge_id, method, amount_cents, paid_at, source, reference || 'x', timing, true, recorded_at, rail
       from payments limit 1`,
  );
  const [mandate] = await db.query<{ recurrence_id: string; cents: string }>(
    `select m.recurrence_id, c.amount_cents::text as cents
       from mandates m join mandate_collections c on c.mandate_id = m.id and c.account_id = m.account_id
      where m.status = 'APPROVED' and m.period = 'WEEKLY' limit 1`,
  );
  assert.ok(mandate, 'no mandate is left for the control');
  const rail = bacenRail(railSettings(psp, { automatic: AUTOMATIC }), { clock, log: silentLog });
  const txid = 'twice'.padEnd(32, '0');
  const dueDay = addDays(civilDay(clock.now()), DUE_IN_DAYS);
  const request = { recurrenceId: mandate.recurrence_id, dueDay, amountCents: BigInt(mandate.cents) };
  const answer = await rail.automatic!.collect(request, txid);
  rail.stop();
  assert.equal(answer.kind, 'found');
  psp.automatic.collect({ txid });
}

/** What of the three the proof has found. */
export function foundTwice(doubled: readonly string[]): string[] {
  return ['charge', 'collection', 'payment'].filter(what => doubled.some(line => line.startsWith(what)));
}
