// Which addresses events may be sent to.
import type { Fault } from '../lib/errors.ts';
import { type OutgoingDeps, outgoingFault } from '../lib/outgoing-request.ts';

/** What is wrong with the address, if it is given. */
export async function checkWebhookUrl(deps: OutgoingDeps, url: string | undefined): Promise<Fault[]> {
  const message = url === undefined ? undefined : await outgoingFault(deps, url);
  return message === undefined ? [] : [{ path: 'url', code: 'not_allowed', message }];
}
