// Where log lines go: standard error, so that standard output keeps the words for a person.
import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { LogOutput } from '../lib/log.ts';

const STANDARD_ERROR = 2;

/** A reader that has gone away ends the lines, not the service. */
export function logOutput(): LogOutput {
  if (!process.stderr.isTTY) return eachTurn(pino.destination({ dest: STANDARD_ERROR, sync: true }));
  return PinoPretty({ destination: STANDARD_ERROR, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss' });
}

/** Lines of one turn of the event loop are written at its end, in one go: requests that are answered together cost one write. */
function eachTurn(output: LogOutput): LogOutput {
  let held = '';
  const flush = () => {
    if (held === '') return;
    const lines = held;
    held = '';
    try {
      output.write(lines);
    } catch {
      // A full disk ends the lines too, not the service.
    }
  };
  // What was said last is what matters most when the process leaves.
  process.on('exit', flush);
  return {
    write: line => {
      if (held === '') setImmediate(flush);
      held += line;
    },
  };
}
