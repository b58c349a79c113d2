// Locations reserved before the charge that will use them, so that its code is known before the PSP has answered.
import assert from 'node:assert/strict';
import { AppError } from '../../lib/errors.ts';
import type { Client } from '../bank-client/client.ts';
import { textAt } from '../bank-client/read-answer.ts';
import { unanswered } from '../bank-client/unanswered.ts';
import type { Location, LocationSource } from '../rail.ts';
import { kindOf } from './charge-body.ts';
import { CHARGE_KINDS, type ChargeKind, LOCATION_SCOPES } from './profile.ts';

/** Reserves a location for one charge of this kind. Throws `rail_unavailable` when the PSP gives no location. */
export async function takeLocation({ call }: Pick<Client, 'call'>, kind: ChargeKind): Promise<Location> {
  const answer = await call({ method: 'POST', resource: 'loc', body: { tipoCob: kind }, scopes: LOCATION_SCOPES });
  if (answer.kind !== 'ok') throw unanswered(answer);
  const [id, url] = [textAt(answer.body, 'id'), textAt(answer.body, 'location')];
  if (id === undefined || !/^\d{1,19}$/.test(id) || url === undefined) {
    throw new AppError('rail_unavailable', 'The PSP answered without a location.');
  }
  return { id, url: url.replace(/^https?:\/\//i, '') };
}

/** The locations of a rail, of which `keep` of each kind are kept free. */
export function locationsAt(
  client: Pick<Client, 'call'>,
  keep: number,
  codeOf: (url: string) => string | undefined,
): LocationSource {
  return {
    keep,
    kinds: CHARGE_KINDS,
    kindOf,
    take: async wanted => {
      const kind = CHARGE_KINDS.find(candidate => candidate === wanted);
      assert(kind, 'a kind of charge that the norm has');
      const location = await takeLocation(client, kind);
      if (codeOf(location.url) !== undefined) return location;
      throw new AppError('rail_unavailable', 'The PSP gave a location that no code can hold.');
    },
  };
}
