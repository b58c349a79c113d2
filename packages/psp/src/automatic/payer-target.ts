// Finds what a payer looks at: a recurrence, by any of its ids or codes, or a charge of one.
import { readCode } from '../br-code.ts';
import type { Core } from '../core.ts';
import { PspRefusal } from '../payer.ts';
import { type Charge, chargeKey, current } from '../state.ts';
import type { CobR, Rec, SolicRec } from './model.ts';
import { isOpenRequest } from './requests.ts';

/** What the payer looks at: the recurrence by an id, the request in their bank, or a code. */
export type RecTarget = { readonly idRec?: string; readonly idSolicRec?: string; readonly emv?: string };

/** With the journey in which they approve it. */
type Found = {
  readonly rec: Rec;
  readonly journey: 'JORNADA_1' | 'JORNADA_2' | 'JORNADA_3' | 'JORNADA_4';
  readonly request?: SolicRec;
  readonly charge?: Charge;
};

export function requireCharge(
  core: Core,
  { txid, clientId }: { readonly txid: string; readonly clientId?: string },
): CobR {
  const owner = clientId ?? core.clients.keys().next().value!;
  const charge = core.state.automatic.charges.get(chargeKey(owner, txid));
  if (!charge) throw new PspRefusal('not_found', 'There is no such charge of a recurrence.');
  return charge;
}

export function requireRec(core: Core, idRec: string): Rec {
  const rec = core.state.automatic.recs.get(idRec);
  if (!rec) throw new PspRefusal('not_found', 'There is no such recurrence.');
  return rec;
}

export function requireNew(rec: Rec): void {
  const { status } = current(rec);
  if (status !== 'CRIADA') throw new PspRefusal('not_open', `The recurrence is ${status}.`);
}

export function findRec(core: Core, { idRec, idSolicRec, emv }: RecTarget): Found {
  if ([idRec, idSolicRec, emv].filter(given => given !== undefined).length !== 1)
    throw new PspRefusal('bad_input', 'Give one of idRec, idSolicRec and emv.');
  if (emv !== undefined) return ofCode(core, emv);
  if (idSolicRec !== undefined) {
    const request = core.state.automatic.requests.get(idSolicRec);
    if (!request) throw new PspRefusal('not_found', 'There is no such request.');
    if (!isOpenRequest(request)) throw new PspRefusal('not_open', `The request is ${current(request).status}.`);
    return { rec: request.rec, journey: 'JORNADA_1', request };
  }
  const rec = requireRec(core, idRec!);
  const request = rec.requests.find(isOpenRequest);
  if (request) return { rec, journey: 'JORNADA_1', request };
  if (current(rec).locationId !== undefined) return { rec, journey: 'JORNADA_2' };
  throw new PspRefusal('not_found', 'The payer has neither a request nor a code of it.');
}

function ofCode(core: Core, emv: string): Found {
  const code = readCode(emv);
  if (!code) throw new PspRefusal('bad_code', 'This is no pix code, or its checksum is wrong.');
  const { locationsByToken, automatic } = core.state;
  const rec = automatic.locationsByToken.get(tokenOf(code.recurrence))?.rec;
  if (!rec) throw new PspRefusal('not_found', 'No recurrence is behind this code.');
  if (code.location === undefined) return { rec, journey: 'JORNADA_2' };
  const charge = locationsByToken.get(tokenOf(code.location))?.charge;
  if (!charge) throw new PspRefusal('not_found', 'No charge is behind this code.');
  return { rec, journey: charge.kind === 'cob' ? 'JORNADA_3' : 'JORNADA_4', charge };
}

function tokenOf(location = ''): string {
  return location.split('/').at(-1) ?? '';
}
