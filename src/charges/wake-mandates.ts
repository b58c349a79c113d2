// The job that asks a PSP about recurrences and collections that it has notified of. Charges enqueue it, who receive all notifications;
// mandates handle it.
import { defineJob } from '../jobs/job.ts';

export const FOLLOW_MANDATES = defineJob<{
  readonly rail: string;
  readonly recurrenceIds: readonly string[];
  readonly references: readonly string[];
}>('mandate.notified');
