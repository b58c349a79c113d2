// Which addresses events may be sent to.
import type { Fault } from '../lib/errors.ts';
import { outgoingFault, type Resolve } from '../lib/outgoing-request.ts';

export type WebhookUrlDeps = {
  /** Whether the address may be on this machine, and plain http. */
  readonly allowsLocal: boolean;
  /** How names are looked up; by DNS when absent. */
  readonly resolve?: Resolve | undefined;
};

/** What is wrong with the address, when one is given. */
export async function checkWebhookUrl(deps: WebhookUrlDeps, url: string | undefined): Promise<Fault[]> {
  const message = url === undefined ? undefined : await outgoingFault(deps, url);
  return message === undefined ? [] : [{ path: 'url', code: 'not_allowed', message }];
}
