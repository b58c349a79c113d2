// Where log lines go: standard error, so that standard output keeps the words for a person.
import { type DestinationStream, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

const STANDARD_ERROR = 2;

export function logOutput(): DestinationStream {
  if (!process.stderr.isTTY) return pino.destination({ dest: STANDARD_ERROR, sync: true });
  return PinoPretty({ destination: STANDARD_ERROR, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss' });
}
