// POST /loc, GET /loc, GET /loc/{id} and DELETE /loc/{id}/txid.
import { checkLocationBody } from '../charge-checks.ts';
import type { Violation } from '../checks.ts';
import type { Call, Core, Handler } from '../core.ts';
import { makeLocation, releaseLocation } from '../locations.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { ApiRefusal } from '../problem.ts';
import { type ChargeKind, change, type PayloadLocation } from '../state.ts';
import { locationView } from '../views.ts';

export const postLocation: Handler = (core, call) => {
  const found: Violation[] = [];
  checkLocationBody(call.body, 'loc', found);
  if (found.length > 0) throw new ApiRefusal('PayloadLocationOperacaoInvalida', found);
  const { tipoCob } = call.body as { tipoCob: ChargeKind };
  const location = makeLocation(core, call.client.clientId, tipoCob);
  return {
    status: 201,
    body: locationView(core, location),
    headers: { location: `${core.baseUrl()}/loc/${location.id}` },
  };
};

export const getLocation: Handler = (core, call) => ({
  status: 200,
  body: completeView(core, requireLocation(core, call)),
});

export const deleteLocationTxid: Handler = (core, call) => {
  const location = requireLocation(core, call);
  if (location.charge) change(location.charge, core.now(), { locationId: undefined });
  releaseLocation(core, location.id);
  return { status: 200, body: locationView(core, location) };
};

export const listLocations: Handler = (core, call) => {
  const query = readListQuery(core, call.query, {
    refusal: 'PayloadLocationConsultaInvalida',
    filters: { txIdPresente: 'boolean', tipoCob: 'text' },
  });
  const { txIdPresente, tipoCob } = query.parameters;
  const found = [...core.state.locations.values()].filter(({ clientId, createdAt, charge, kind }) => {
    const atMs = createdAt.getTime();
    if (clientId !== call.client.clientId || atMs < query.fromMs || atMs > query.toMs) return false;
    if (tipoCob !== undefined && kind !== tipoCob) return false;
    return txIdPresente === undefined || (charge !== undefined) === txIdPresente;
  });
  const { shown, parametros } = pageOf(found, query);
  return { status: 200, body: { parametros, loc: shown.map(location => completeView(core, location)) } };
};

function completeView(core: Core, location: PayloadLocation): object {
  const { charge } = location;
  return { ...locationView(core, location), ...(charge && { txid: charge.txid }) };
}

function requireLocation(core: Core, { client, params: [id = ''] }: Call): PayloadLocation {
  const location = /^\d{1,15}$/.test(id) ? core.state.locations.get(Number(id)) : undefined;
  if (location?.clientId !== client.clientId) throw new ApiRefusal('PayloadLocationNaoEncontrado');
  return location;
}
