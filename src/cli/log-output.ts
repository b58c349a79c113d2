// Log lines go to standard error; standard output has the result of a command. Coloured on a terminal, JSON otherwise. A line is
// written before the call that logs it returns, so the last one before an exit is not lost.
import { type DestinationStream, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

const STANDARD_ERROR = 2;
/** While nothing can be written (a full disk), this many bytes of lines wait; further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

export function logOutput(): DestinationStream {
  const output = pino.destination({ dest: STANDARD_ERROR, sync: true, maxLength: MAX_WAITING_BYTES });
  // A closed reader or a full disk ends the log, not the service.
  output.on('error', () => {});
  if (process.stderr.isTTY) {
    return PinoPretty({ destination: output, colorize: true, translateTime: 'SYS:HH:MM:ss' });
  }
  // Without `flushSync`: pino calls it after a fatal line, and on a full disk it would retry for ever instead of letting the
  // process exit.
  return { write: line => void output.write(line) };
}
