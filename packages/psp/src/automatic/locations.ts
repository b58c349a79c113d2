// Locations of recurrences: the addresses that their codes carry, each shown by one recurrence at a time.
import { randomBytes } from 'node:crypto';
import { violation } from '../checks.ts';
import type { Core } from '../core.ts';
import { PAYLOAD_PATH } from '../locations.ts';
import { ApiRefusal } from '../problem.ts';
import type { Rec, RecLocation } from './model.ts';

/** Ids of the two kinds of locations never meet, so that mixing them up is noticed. */
const FIRST_ID = 500_001;

export function makeRecLocation(core: Core, clientId: string): RecLocation {
  const { locations, locationsByToken } = core.state.automatic;
  const accessToken = randomBytes(16).toString('hex');
  const made: RecLocation = {
    id: FIRST_ID + locations.size,
    clientId,
    accessToken,
    location: `${core.host()}${PAYLOAD_PATH}/rec/${accessToken}`,
    createdAt: core.now(),
    rec: undefined,
  };
  locations.set(made.id, made);
  locationsByToken.set(accessToken, made);
  return made;
}

export function claimRecLocation(core: Core, rec: Rec, id: number): RecLocation {
  const location = core.state.automatic.locations.get(id);
  const refuse = (why: string) =>
    new ApiRefusal('RecOperacaoInvalida', [violation('rec.loc', `O location referenciado por rec.loc ${why}.`, id)]);
  if (location?.clientId !== rec.clientId) throw refuse('inexiste');
  if (location.rec && location.rec !== rec) throw refuse('já está sendo utilizado por outra recorrência');
  location.rec = rec;
  return location;
}

export function releaseRecLocation(core: Core, id: number): void {
  const location = core.state.automatic.locations.get(id);
  if (location) location.rec = undefined;
}
