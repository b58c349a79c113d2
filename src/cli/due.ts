// trilho due: changes the due date of a charge.
import assert from 'node:assert/strict';
import { STRICT_CHARGE_RULES } from '../charges/create/check.ts';
import { changeDueDate } from '../charges/due-date/change-due-date.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { civilDay, lastSecondOf } from '../lib/civil-days.ts';
import { parseUtc } from '../lib/date-times.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { SANDBOX_CHARGE_RULES } from '../sandbox/rules.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { composedRails } from './composed-rails.ts';
import { withCharges } from './database.ts';

export async function dueCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { chargeId, dueAt } = readChange(args);
  const isLive = config.mode === 'live';
  const charge = await withCharges({ config, log, action: 'trilho due' }, async deps => {
    const rails = composedRails(config, { clock: deps.clock, log });
    const chargeRules = isLive ? STRICT_CHARGE_RULES : SANDBOX_CHARGE_RULES;
    setAuditObject(chargeId);
    return changeDueDate({ ...deps, rails, chargeRules }, chargeId, dueAt).catch(explained);
  });
  const { dueChange } = charge;
  if (dueChange?.status === 'FAILED') throw new StartError(dueChange.reason ?? 'The bank keeps the due date.');
  console.log(
    dueChange?.status === 'PENDING'
      ? `The bank is asked for the due day ${civilDay(dueChange.dueAt)}.`
      : `The charge is due on ${civilDay(charge.dueAt)} and ${charge.state}.`,
  );
  return 0;
}

function explained(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const [fault] = error.faults;
  throw new StartError(fault ? `${fault.path} ${fault.message}.` : error.message);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function readChange(args: readonly string[]): { chargeId: string; dueAt: Date } {
  const { positionals, faults } = readArguments(args, { positionals: ['charge id', 'day'] });
  const [chargeId = '', day = ''] = positionals;
  const isDay = DAY.test(day) && parseUtc(`${day}T00:00Z`) !== undefined;
  if (positionals.length > 0 && !isUuid(chargeId)) faults.push(`<charge id> must be a UUID, not ${quoted(chargeId)}`);
  if (positionals.length > 1 && !isDay) faults.push(`<day> must be a day such as 2026-12-20, not ${quoted(day)}`);
  refuseFaults('due', faults);
  assert(isDay, 'another day is a fault');
  return { chargeId, dueAt: lastSecondOf(day) };
}
