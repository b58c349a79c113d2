// Locations that are taken before the charge they are for, so that its code is known before the PSP has answered.
import { AppError } from '../../lib/errors.ts';
import type { Client } from './client.ts';
import type { ChargeKind } from './profile.ts';
import { textAt } from './read-answer.ts';
import { LOCATION_SCOPES } from './token.ts';
import { unanswered } from './unanswered.ts';

export type Location = {
  /** Digits; it may be larger than a JavaScript number holds. */
  readonly id: string;
  /** Without a scheme. */
  readonly url: string;
};

/** Takes a location for one charge of this kind. Throws `rail_unavailable` when the PSP gives none. */
export async function takeLocation({ call }: Pick<Client, 'call'>, kind: ChargeKind): Promise<Location> {
  const answer = await call({ method: 'POST', resource: 'loc', body: { tipoCob: kind }, scopes: LOCATION_SCOPES });
  if (answer.kind !== 'ok') throw unanswered(answer);
  const [id, url] = [textAt(answer.body, 'id'), textAt(answer.body, 'location')];
  if (id === undefined || !/^\d{1,19}$/.test(id) || url === undefined) {
    throw new AppError('rail_unavailable', 'The PSP answered without a location.');
  }
  return { id, url: url.replace(/^https?:\/\//i, '') };
}
