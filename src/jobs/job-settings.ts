// The settings of jobs.
import { keptFor } from '../lib/settings/kept-for.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

export const JOB_SETTINGS = [
  {
    name: 'TRILHO_KEEP_JOBS',
    kind: keptFor,
    default: 'P7D',
    meaning: 'How long jobs are kept after they have ended.',
  },
] as const satisfies readonly Setting[];

export type JobSettings = Readonly<ReturnType<typeof jobSettingsOf>>;

export function jobSettingsOf(values: ValuesOf<typeof JOB_SETTINGS>) {
  return { keepJobs: values.TRILHO_KEEP_JOBS };
}
