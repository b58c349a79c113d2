// Locations: the addresses that codes carry, each shown by one charge at a time.
import { randomBytes } from 'node:crypto';
import { violation } from './checks.ts';
import type { Core } from './core.ts';
import { ApiRefusal, type KindName } from './problem.ts';
import type { Charge, ChargeKind, PayloadLocation } from './state.ts';

export type LocationWish = { readonly id: number };

/** The path below the host. A code has room for 77 characters, so it is short. */
export const PAYLOAD_PATH = '/qr/v2';

export function makeLocation(core: Core, clientId: string, kind: ChargeKind): PayloadLocation {
  const { locations, locationsByToken } = core.state;
  const accessToken = randomBytes(16).toString('hex');
  const folder = kind === 'cobv' ? '/cobv' : '';
  const made: PayloadLocation = {
    id: locations.size + 1,
    clientId,
    kind,
    accessToken,
    location: `${core.host()}${PAYLOAD_PATH}${folder}/${accessToken}`,
    createdAt: core.now(),
    charge: undefined,
  };
  locations.set(made.id, made);
  locationsByToken.set(accessToken, made);
  return made;
}

/** The requested location, if the norm allows it, or else a new one. */
export function claimLocation(
  core: Core,
  charge: Charge,
  wish: LocationWish | undefined,
  refusal: KindName,
): PayloadLocation {
  const location = wish ? core.state.locations.get(wish.id) : makeLocation(core, charge.clientId, charge.kind);
  const refuse = (why: string) =>
    new ApiRefusal(refusal, [
      violation(`${charge.kind}.loc.id`, `O location referenciado por loc.id ${why}.`, wish?.id),
    ]);
  if (location?.clientId !== charge.clientId) throw refuse('inexiste');
  if (location.kind !== charge.kind) throw refuse(`apresenta tipo "${location.kind}"`);
  if (location.charge && location.charge !== charge) throw refuse('já está sendo utilizado por outra cobrança');
  location.charge = charge;
  return location;
}

export function releaseLocation(core: Core, id: number): void {
  const location = core.state.locations.get(id);
  if (location) location.charge = undefined;
}
