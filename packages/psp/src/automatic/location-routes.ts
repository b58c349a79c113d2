// POST and GET of /locrec, GET of /locrec/{id} and DELETE of /locrec/{id}/idRec.
import type { Call, Core, Handler } from '../core.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { ApiRefusal } from '../problem.ts';
import { change } from '../state.ts';
import type { LocRecAnswer } from './answers.ts';
import { withAgreement } from './filters.ts';
import { makeRecLocation, releaseRecLocation } from './locations.ts';
import type { RecLocation, RecVersion } from './model.ts';
import { recLocationView } from './views.ts';

/** It has no body. */
export const postRecLocation: Handler = (core, call) => {
  const location = makeRecLocation(core, call.client.clientId);
  const headers = { location: `${core.baseUrl()}/locrec/${location.id}` };
  return { status: core.profile.createdStatus, body: recLocationView(location), headers };
};

export const getRecLocation: Handler = (core, call) => ({
  status: 200,
  body: completeView(requireLocation(core, call)),
});

export const deleteLocationRec: Handler = (core, call) => {
  const location = requireLocation(core, call);
  if (location.rec) change<RecVersion>(location.rec, core.now(), { locationId: undefined });
  releaseRecLocation(core, location.id);
  return { status: 200, body: recLocationView(location) };
};

export const listRecLocations: Handler = (core, call) => {
  const query = readListQuery(core, call.query, {
    refusal: 'PayloadLocationRecConsultaInvalida',
    filters: { idRecPresente: 'boolean', convenio: 'text' },
  });
  const { convenio, ...filters } = query.parameters;
  const found = [...core.state.automatic.locations.values()].filter(({ clientId, createdAt, rec }) => {
    const atMs = createdAt.getTime();
    if (clientId !== call.client.clientId || atMs < query.fromMs || atMs > query.toMs) return false;
    if (convenio !== undefined && rec?.convenio !== convenio) return false;
    const { idRecPresente } = filters;
    return idRecPresente === undefined || (rec !== undefined) === idRecPresente;
  });
  const { shown, parametros } = pageOf(found, { ...query, parameters: withAgreement(filters, convenio) });
  return { status: 200, body: { parametros, loc: shown.map(completeView) } };
};

function completeView(location: RecLocation): LocRecAnswer {
  const { rec } = location;
  return { ...recLocationView(location), ...(rec && { idRec: rec.idRec }) };
}

function requireLocation(core: Core, { client, params: [id = ''] }: Call): RecLocation {
  const location = /^\d{1,15}$/.test(id) ? core.state.automatic.locations.get(Number(id)) : undefined;
  if (location?.clientId !== client.clientId) throw new ApiRefusal('PayloadLocationRecNaoEncontrado');
  return location;
}
