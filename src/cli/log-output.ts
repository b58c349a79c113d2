// Where log lines go: standard error, so that standard output keeps the words for a person.
import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { LogOutput } from '../lib/log.ts';

const STANDARD_ERROR = 2;

/** A reader that has gone away ends the lines, not the service. */
export function logOutput(): LogOutput {
  if (!process.stderr.isTTY) return pino.destination({ dest: STANDARD_ERROR, sync: true });
  return PinoPretty({ destination: STANDARD_ERROR, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss' });
}
