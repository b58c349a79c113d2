// What the log says while a rail has not decided: silence is worth a line, a decision that takes its time is not.
import type { Log, LogFields } from '../lib/log.ts';
import type { Finding } from '../rails/rail.ts';

export function logUndecided(log: Log, { kind }: Finding, fields: LogFields): void {
  if (kind === 'unknown')
    log.info('the rail gave no answer; what was sent is looked up by its reference later', fields);
  else log.debug('the rail has taken the request and decides later; it is asked again', fields);
}
