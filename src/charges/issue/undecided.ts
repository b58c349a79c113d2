// Logs that a rail has not decided: no answer is worth an info line, a slow decision is not.
import type { Log, LogFields } from '../../lib/log.ts';

export function logUndecided(log: Log, { kind }: { readonly kind: string }, fields: LogFields): void {
  if (kind === 'unknown') log.info('the rail gave no answer; the request is looked up by its reference later', fields);
  else if (kind === 'unavailable') log.info('the rail cannot be used now; nothing was sent, it is retried', fields);
  else log.debug('the rail accepted the request and decides later; it is asked again', fields);
}
