// What reminders give the service.
import { REMINDER_SCHEMAS } from '../../api/reminders.ts';
import { type ReminderRouteDeps, reminderRoutes } from '../../http/routes/reminders.ts';
import { handleJob } from '../../jobs/job.ts';
import type { Module } from '../../module.ts';
import { reminderPreviewPages } from '../../web/dashboard/reminder-preview.ts';
import { reminderRulePages } from '../../web/dashboard/reminder-rules.ts';
import { reminderPages } from '../../web/dashboard/reminders.ts';
import { type ComposeDeps, composeMail } from '../../web/reminders/mail.ts';
import { type OptOutDeps, optOutPages } from '../../web/reminders/opt-out.ts';
import type { Mailing } from './mail.ts';
import type { MailServer, MailSettings } from './mail-settings.ts';
import { type SendDeps, sendReminder } from './send.ts';
import { SEND_REMINDER } from './send-job.ts';
import { type ReminderSweepDeps, reminderSweep } from './sweep.ts';

type Deps = Omit<SendDeps, 'mailing'> &
  ReminderSweepDeps &
  ComposeDeps &
  Omit<OptOutDeps, 'assets'> &
  Omit<ReminderRouteDeps, 'isMailOn'>;

export function remindersModule(deps: Deps, { mail }: MailSettings): Module {
  const isMailOn = mail !== undefined;
  const sending = { ...deps, mailing: mail && mailingBy(deps, mail) };
  return {
    jobs: [handleJob(SEND_REMINDER, payload => sendReminder(sending, payload))],
    sweeps: [reminderSweep(deps)],
    schemas: REMINDER_SCHEMAS,
    routes: app => reminderRoutes(app, { ...deps, isMailOn }),
    dashboard: (scope, pages) => {
      const shown = { ...pages, isMailOn };
      reminderPages(scope, shown);
      reminderRulePages(scope, shown);
      reminderPreviewPages(scope, shown);
    },
    pages: (app, site) => optOutPages(app, { ...deps, ...site }),
  };
}

/** The client of mail servers is loaded with the first mail, so that the service starts faster. */
function mailingBy(deps: ComposeDeps, server: MailServer): Mailing {
  return {
    compose: facts => composeMail(deps, facts),
    send: async (id, mail) => (await import('./smtp.ts')).smtpSender(server)(id, mail),
  };
}
