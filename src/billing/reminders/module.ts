// What reminders give the service.
import { REMINDER_SCHEMAS } from '../../api/reminders.ts';
import { type ReminderRouteDeps, reminderRoutes } from '../../http/routes/reminders.ts';
import { handleJob } from '../../jobs/job.ts';
import type { Module } from '../../module.ts';
import { type SendDeps, sendReminder } from './send.ts';
import { SEND_REMINDER } from './send-job.ts';
import { type ReminderSweepDeps, reminderSweep } from './sweep.ts';

type Deps = SendDeps & ReminderSweepDeps & Omit<ReminderRouteDeps, 'isMailOn'>;

export function remindersModule(deps: Deps): Module {
  const isMailOn = deps.mailing !== undefined;
  return {
    jobs: [handleJob(SEND_REMINDER, payload => sendReminder(deps, payload))],
    sweeps: [reminderSweep(deps)],
    schemas: REMINDER_SCHEMAS,
    routes: app => reminderRoutes(app, { ...deps, isMailOn }),
  };
}
