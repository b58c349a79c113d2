// The job `reminder.send`: judges a reminder again, records its event, and sends its mail. It is marked as SENDING before the mail server
// gets the mail: when the service ends in between, the reminder is UNKNOWN and is not sent again, because it may have arrived.
import type { Charge } from '../../charges/charge.ts';
import type { Links } from '../../charges/links/links.ts';
import { owedOn } from '../../charges/owed.ts';
import { findCharge } from '../../charges/store/charges.ts';
import { insertEvents } from '../../events/store.ts';
import type { JobOutcome } from '../../jobs/job.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { isOutage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { findLastCollectionOfCharge, isCollected } from '../mandates/store-collections.ts';
import { judge } from './judge.ts';
import type { Mail, Mailing, MailOutcome } from './mail.ts';
import { addressHash, isOptedOut } from './opt-out.ts';
import { findRecipient, type Recipient } from './recipient.ts';
import {
  hasEnded,
  isTooLate,
  NOT_COMPOSED,
  type Reminder,
  type ReminderEvent,
  type ReminderStatus,
} from './reminder.ts';
import { findReminder, type ReminderRef, updateReminder } from './store.ts';
import { findSettings, isRuleOn } from './store-rules.ts';
import { wasTried } from './tried.ts';
import { reminderEvent } from './view.ts';

export type SendDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly links: Links;
  readonly log: Log;
  /** Absent: the service has no mail server. */
  readonly mailing?: Mailing | undefined;
  /** Called with the status of every reminder that has ended. */
  readonly observeReminder?: ((status: ReminderStatus) => void) | undefined;
};

/** Longer than a mail server may take; the node that was sending has died. */
const SENDING_LIMIT_MS = 5 * 60_000;
/** Between the tries of a mail that the server did not take. */
const RETRY_MINUTES = [1, 5, 15, 60, 120, 240];

export async function sendReminder(deps: SendDeps, ref: ReminderRef): Promise<JobOutcome> {
  // Composed before the reminder is judged: nothing slow comes between the judgement and the mail server.
  const composed = await composeMail(deps, ref);
  const begun = await deps.db.transaction(tx => begin(deps, tx, ref, composed));
  if (begun && typeof composed === 'object' && deps.mailing) {
    const outcome = await deps.mailing.send(begun.id, composed);
    await deps.db.transaction(tx => end(deps, tx, begun, outcome));
  }
  return 'done';
}

/** A mail, or that it cannot be made of this charge: another try would end the same way. */
type Composed = Mail | typeof NOT_COMPOSED | undefined;

/** The mail of a reminder that may be sent; undefined when none is needed or possible. */
async function composeMail({ db, clock, log, mailing }: SendDeps, ref: ReminderRef): Promise<Composed> {
  const reminder = await findReminder(db, ref.reminderId, ref.accountId);
  if (!mailing || reminder?.status !== 'WAITING' || !reminder.channels.includes('email')) return undefined;
  const charge = await findCharge(db, reminder.chargeId, reminder.accountId);
  const { address: to, locale } = charge ? await findRecipient(db, charge) : {};
  if (!charge || to === undefined) return undefined;
  const { texts } = await findSettings(db, reminder.accountId);
  const about = {
    ...{ reminder, charge, to, texts, locale: reminder.locale ?? locale ?? 'pt-BR', now: clock.now() },
    wasTried: wasTried(await findLastCollectionOfCharge(db, charge.id)),
  };
  try {
    return await mailing.compose(about);
  } catch (error) {
    if (isOutage(error)) throw error;
    log.error('the mail of a reminder could not be made', { reminderId: reminder.id, chargeId: charge.id, error });
    return NOT_COMPOSED;
  }
}

/** Writes what is decided; returns the reminder when its mail is to be sent now. */
async function begin(deps: SendDeps, tx: Sql, ref: ReminderRef, composed: Composed): Promise<Reminder | undefined> {
  const now = deps.clock.now();
  const reminder = await findReminder(tx, ref.reminderId, ref.accountId, { isLocked: true });
  if (reminder?.status === 'SENDING') return void (await giveUpSending(deps, tx, reminder, now));
  if (reminder?.status !== 'WAITING') return undefined;
  const { accountId } = reminder;
  const charge = await findCharge(tx, reminder.chargeId, accountId);
  const recipient: Recipient = charge ? await findRecipient(tx, charge) : {};
  const { address } = recipient;
  const facts = {
    charge,
    settings: await findSettings(tx, accountId),
    isRuleOn: await isRuleOn(tx, accountId, reminder),
    isCollected: await isCollected(tx, reminder.chargeId),
    isOptedOut: address !== undefined && (await isOptedOut(tx, accountId, addressHash(accountId, address))),
    hasAddress: address !== undefined,
    isMailOn: deps.mailing !== undefined,
  };
  const verdict = judge(reminder, facts, now);
  if (verdict.kind === 'wait') return void (await write(deps, tx, { ...reminder, nextAt: verdict.until }, now));
  if (verdict.kind === 'skip') {
    return void (await write(deps, tx, { ...reminder, status: 'SKIPPED', cause: verdict.cause }, now));
  }
  const isMailed = reminder.channels.includes('email') && !verdict.noMail;
  const isComposed = composed !== NOT_COMPOSED;
  // The address changed after the mail was composed.
  if (isMailed && isComposed && composed?.to !== address) {
    return void (await write(deps, tx, { ...reminder, nextAt: now }, now));
  }
  const asked = { ...reminder, ...amountOf(charge!, now) };
  const announced = await announce(deps, tx, asked, charge!, now);
  if (isMailed && !isComposed) {
    return void (await write(deps, tx, { ...announced, status: 'FAILED', cause: NOT_COMPOSED }, now));
  }
  if (isMailed) {
    const sent = { sendingSince: now, attempts: reminder.attempts + 1, addressHash: addressHash(accountId, address!) };
    const sending = { ...announced, ...sent, status: 'SENDING' } as const;
    const nextAt = new Date(now.getTime() + 2 * SENDING_LIMIT_MS);
    return write(deps, tx, { ...sending, nextAt }, now);
  }
  const { noMail } = verdict;
  const ended = noMail ? { status: 'SKIPPED', cause: noMail } : { status: 'ANNOUNCED' };
  await write(deps, tx, { ...announced, ...(ended as Pick<Reminder, 'status'>) }, now);
  return undefined;
}

/** Records `reminder.due`, once, where the rule asks for it. */
async function announce({ links }: SendDeps, tx: Sql, reminder: Reminder, charge: Charge, at: Date): Promise<Reminder> {
  if (!reminder.channels.includes('event') || reminder.eventCount > 0) return reminder;
  const counted = { ...reminder, eventCount: reminder.eventCount + 1, updatedAt: at };
  await insertEvents(tx, [reminderEvent(counted, 'reminder.due', at, links.checkoutUrl(charge))]);
  return counted;
}

/** What is asked for today by the first method that can be paid. */
function amountOf(charge: Charge, now: Date): Pick<Reminder, 'amountCents'> {
  const method = charge.methods.find(({ status }) => status !== 'FAILED')?.method;
  return method ? { amountCents: owedOn(charge, method, civilDay(now)).totalCents } : {};
}

async function giveUpSending(deps: SendDeps, tx: Sql, reminder: Reminder, now: Date): Promise<void> {
  const sinceMs = now.getTime() - (reminder.sendingSince ?? now).getTime();
  if (sinceMs < SENDING_LIMIT_MS) return;
  await write(deps, tx, { ...reminder, status: 'UNKNOWN', cause: 'service_stopped' }, now);
}

/** Writes what the mail server said, also when it comes after the reminder was given up. */
async function end(
  deps: SendDeps,
  tx: Sql,
  { id, accountId, attempts }: Reminder,
  outcome: MailOutcome,
): Promise<void> {
  const now = deps.clock.now();
  const reminder = await findReminder(tx, id, accountId, { isLocked: true });
  if (!reminder || reminder.attempts !== attempts) return;
  if (reminder.status !== 'SENDING' && reminder.status !== 'UNKNOWN') return;
  await write(deps, tx, { ...reminder, ...endOf(reminder, outcome, now) }, now);
}

type End = Pick<Reminder, 'status'> & Partial<Pick<Reminder, 'cause' | 'nextAt'>>;

function endOf(reminder: Reminder, outcome: MailOutcome, now: Date): End {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'SENT' };
    case 'refused':
      return { status: 'FAILED', cause: outcome.code };
    case 'unknown':
      return { status: 'UNKNOWN', cause: outcome.code };
    case 'postponed': {
      const minutes = RETRY_MINUTES[reminder.attempts - 1] ?? RETRY_MINUTES.at(-1)!;
      const nextAt = new Date(now.getTime() + minutes * 60_000);
      const mayRetry = reminder.status === 'SENDING' && !isTooLate(reminder, nextAt);
      return mayRetry ? { status: 'WAITING', cause: outcome.code, nextAt } : { status: 'FAILED', cause: outcome.code };
    }
  }
}

const EVENT_OF: Readonly<Partial<Record<ReminderStatus, ReminderEvent>>> = {
  SENT: 'reminder.sent',
  FAILED: 'reminder.failed',
  UNKNOWN: 'reminder.unknown',
};

/** Writes a reminder with the event of its status, and returns it. One that has ended is not looked at again. */
async function write({ log, observeReminder }: SendDeps, tx: Sql, to: Reminder, at: Date): Promise<Reminder> {
  const event = EVENT_OF[to.status];
  const isOpen = !hasEnded(to.status);
  const { nextAt, sendingSince, cause, ...rest } = to;
  const written: Reminder = {
    ...rest,
    ...(isOpen && nextAt && { nextAt }),
    ...(to.status === 'SENDING' && sendingSince && { sendingSince }),
    ...(to.status !== 'SENT' && cause !== undefined && { cause }),
    eventCount: to.eventCount + (event ? 1 : 0),
    updatedAt: at,
  };
  await updateReminder(tx, written);
  if (event) await insertEvents(tx, [reminderEvent(written, event, at)]);
  if (!isOpen) observeReminder?.(to.status);
  logStatus(log, written);
  return written;
}

/** For the operator: mails that did not go out. A reminder that is skipped is nothing unusual. */
function logStatus(log: Log, { id: reminderId, chargeId, status, cause: reason, attempts: attempt }: Reminder): void {
  const fields = { reminderId, chargeId, attempt, ...(reason !== undefined && { reason }) };
  if (status === 'FAILED') log.warn('a reminder could not be sent; it is given up', fields);
  else if (status === 'UNKNOWN') log.warn('a reminder may have been sent or not; it is not sent again', fields);
  else if (status === 'WAITING' && reason !== undefined) {
    log.info('the mail server did not take a reminder; it is sent again', fields);
  }
}
