// The settings of the log.
import { LOG_LEVELS } from './log.ts';
import { oneOf } from './settings/kinds.ts';
import type { Setting, ValuesOf } from './settings/setting.ts';

export const LOG_SETTINGS = [
  {
    name: 'LOG_LEVEL',
    kind: oneOf(LOG_LEVELS),
    default: 'info',
    meaning: 'The lowest level of lines in the log.',
  },
] as const satisfies readonly Setting[];

export type LogSettings = Readonly<ReturnType<typeof logSettingsOf>>;

export function logSettingsOf(values: ValuesOf<typeof LOG_SETTINGS>) {
  return { logLevel: values.LOG_LEVEL };
}
