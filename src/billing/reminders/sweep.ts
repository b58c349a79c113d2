// Plans reminders, and enqueues the jobs that send them. A rule about due days looks at one due day at a time, a rule about events at the
// events since the last one; both write reminders, each once, before anything is sent.
import { findCharges } from '../../charges/store/charges.ts';
import { assignPositions, findHead } from '../../events/store-feed.ts';
import type { Queue } from '../../jobs/queue.ts';
import { type Sweep, sweepInBatches } from '../../jobs/sweep.ts';
import { addDays, civilDay, momentOn } from '../../lib/civil-days.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Beat } from '../../lib/loop.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { outsideQuietHours } from './local-time.ts';
import { type Reminder, reasonFor } from './reminder.ts';
import { lookedAt, momentFor, type Occasion, type Rule } from './rule.ts';
import { SEND_REMINDER } from './send-job.ts';
import type { ReminderSettings } from './settings.ts';
import { findChargesToRemind, findNextDueDays, insertReminders, nextReminderAt, takeDueReminders } from './store.ts';
import { findRuleWithUnread, hasUnreadEvents, readUnread } from './store-feed.ts';
import { type DueRule, findDueRule, findSettings, hasDueRule, moveRule } from './store-rules.ts';

export type ReminderSweepDeps = { readonly db: Database; readonly queue: Queue };

/** A job that is lost with its node is enqueued again after this long. */
const AGAIN_AFTER_MS = 10 * 60_000;

/** The events that a rule follows. A cycle that no mandate collects has an event of its subscription alone. */
const TYPES: Readonly<Partial<Record<Occasion, readonly string[]>>> = {
  paid: ['charge.paid'],
  failed: ['charge.failed', 'mandate.collection_failed', 'subscription.collection_failed'],
};

export function reminderSweep(deps: ReminderSweepDeps): Sweep {
  return {
    name: 'timers of reminders',
    upTo: async (moment, beat) => {
      const planned = await planDueDays(deps, moment, beat);
      const followed = await followEvents(deps, moment, beat);
      return planned + followed + (await enqueueDue(deps, moment, beat));
    },
    nextStopAt,
  };
}

// Most sweeps find nothing; in each part a read then saves the transaction.

async function planDueDays({ db }: ReminderSweepDeps, until: Date, beat?: Beat): Promise<number> {
  if (!(await hasDueRule(db, until))) return 0;
  const take = async (tx: Sql, limit: number) => {
    let taken = 0;
    while (taken < limit) {
      const rule = await findDueRule(tx, until);
      if (!rule) break;
      taken += 1 + (await planDay(tx, rule, until, limit - taken));
    }
    return taken;
  };
  return sweepInBatches(db, take, beat);
}

/** Writes the reminders of the next due day of a rule, up to a limit; the rule notes how far it has come, and goes on from there. */
async function planDay(tx: Sql, rule: DueRule, at: Date, limit: number): Promise<number> {
  const settings = await findSettings(tx, rule.accountId);
  const dueDay = addDays(rule.doneUntil, 1);
  const moment = momentFor(rule, settings.sendAt, dueDay);
  const reason = reasonFor(rule, { dueDay });
  const { doneUntil, doneDueAt, doneChargeId } = rule;
  const charges = await findChargesToRemind(tx, {
    accountId: rule.accountId,
    from: momentOn(dueDay),
    before: momentOn(addDays(dueDay, 1)),
    ...(doneDueAt && doneChargeId && { after: { dueAt: doneDueAt, id: doneChargeId } }),
    createdUntil: moment,
    limit,
  });
  await insertReminders(
    tx,
    charges.map(({ id: chargeId }) => planned(rule, settings, { chargeId, dueDay, reason, moment, at })),
  );
  // After a full batch more may be due that day.
  const last = charges.length === limit ? charges.at(-1) : undefined;
  const progress = last
    ? { doneUntil, doneDueAt: last.dueAt, doneChargeId: last.id, nextAt: moment }
    : lookedAt(rule, settings.sendAt, dueDay);
  await moveRule(tx, rule, progress);
  return charges.length;
}

async function followEvents({ db }: ReminderSweepDeps, until: Date, beat?: Beat): Promise<number> {
  if (!(await hasUnreadEvents(db))) return 0;
  await assignPositions(db);
  const take = async (tx: Sql, limit: number) => {
    let taken = 0;
    while (taken < limit) {
      const { position: upTo } = await findHead(tx);
      const rule = await findRuleWithUnread(tx);
      if (!rule) break;
      const events = await readUnread(tx, rule, TYPES[rule.occasion] ?? [], { upTo, limit: limit - taken });
      const isMore = events.length === limit - taken;
      const settings = await findSettings(tx, rule.accountId);
      const charges = new Map(
        (
          await findCharges(
            tx,
            events.map(event => event.chargeId),
          )
        ).map(one => [one.id, one]),
      );
      const reminders = events.flatMap(({ chargeId, objectId, occurredAt: moment }) => {
        const charge = charges.get(chargeId);
        if (!charge) return [];
        const dueDay = civilDay(charge.dueAt);
        const reason = reasonFor(rule, { dueDay, failedId: objectId === chargeId ? undefined : objectId });
        return [planned(rule, settings, { chargeId, dueDay, reason, moment, at: until })];
      });
      await insertReminders(tx, reminders);
      await moveRule(tx, rule, { feedPosition: isMore ? events.at(-1)!.position : upTo });
      taken += 1 + events.length;
    }
    return taken;
  };
  return sweepInBatches(db, take, beat);
}

type About = Pick<Reminder, 'chargeId' | 'dueDay' | 'reason'> & { readonly moment: Date; readonly at: Date };

function planned(rule: Rule, settings: ReminderSettings, { moment, at, ...about }: About): Reminder {
  const { accountId, occasion, days, channels, locale } = rule;
  const dueAt = outsideQuietHours(moment, settings.quietHours);
  return {
    ...about,
    id: uuidV7(at),
    ...{ accountId, occasion, days, channels, ...(locale && { locale }) },
    ...{ status: 'WAITING', attempts: 0, dueAt, nextAt: dueAt, eventCount: 0, createdAt: at, updatedAt: at },
  };
}

async function enqueueDue({ db, queue }: ReminderSweepDeps, until: Date, beat?: Beat): Promise<number> {
  if (!(await nextReminderAt(db, until))) return 0;
  const next = new Date(until.getTime() + AGAIN_AFTER_MS);
  const take = async (tx: Sql, limit: number) => {
    const due = await takeDueReminders(tx, until, next, limit);
    await queue.enqueue(tx, SEND_REMINDER, due);
    return due.length;
  };
  return sweepInBatches(db, take, beat);
}

const AT_ONCE = new Date(0);

/** A moved sandbox clock stops wherever a reminder is planned or sent. */
async function nextStopAt(sql: Sql, until: Date): Promise<Date | undefined> {
  if (await hasUnreadEvents(sql)) return AT_ONCE;
  const moments: Date[] = [];
  for (const { account_id, due_day, ...when } of await findNextDueDays(sql, until)) {
    const { sendAt } = await findSettings(sql, account_id);
    moments.push(momentFor(when, sendAt, due_day));
  }
  const next = await nextReminderAt(sql, until);
  const stops = [...moments.filter(moment => moment <= until), ...(next ? [next] : [])];
  return stops.length === 0 ? undefined : new Date(Math.min(...stops.map(Number)));
}
