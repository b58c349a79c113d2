// What the log says while a rail has not decided: silence is worth a line, a decision that takes its time is not.
import type { Log, LogFields } from '../../lib/log.ts';

export function logUndecided(log: Log, { kind }: { readonly kind: string }, fields: LogFields): void {
  if (kind === 'unknown')
    log.info('the rail gave no answer; what was sent is looked up by its reference later', fields);
  else if (kind === 'unavailable') log.info('the rail cannot be used now; nothing was sent, it is tried again', fields);
  else log.debug('the rail has taken the request and decides later; it is asked again', fields);
}
