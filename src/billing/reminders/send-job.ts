// The kind of the job that sends a reminder. In its own file, because its declaration must not load its handler.
import { defineJob } from '../../jobs/job.ts';
import type { ReminderRef } from './store.ts';

export const SEND_REMINDER = defineJob<ReminderRef>('reminder.send');
