// Objects of Pix Automático as the API writes them.
import { writeDynamicCode } from '../br-code.ts';
import { type Core, isPixSeen, type Seen, seenVersion } from '../core.ts';
import { civilDay } from '../days.ts';
import { ISPB } from '../pix-record.ts';
import { type Charge, current } from '../state.ts';
import { pixView } from '../views.ts';
import type { AutomaticPix, CobRAnswer, LocRecAnswer, RecAnswer, SolicRecAnswer } from './answers.ts';
import type { CobR, CobRVersion, Rec, RecLocation, RecVersion, SolicRec, SolicRecVersion } from './model.ts';

export function recView(core: Core, rec: Rec, version: RecVersion): RecAnswer {
  const { terms, status, locationId, journey, txid, payer, atualizacao, encerramento } = version;
  const { cnpj, nome } = core.clients.get(rec.clientId)!.receiver;
  const location = locationId === undefined ? undefined : core.state.automatic.locations.get(locationId);
  return {
    idRec: rec.idRec,
    ...terms,
    recebedor: { cnpj, nome, ...(rec.convenio !== undefined && { convenio: rec.convenio }) },
    status,
    ...(location && { loc: { ...recLocationView(location), idRec: rec.idRec } }),
    ...(payer && { pagador: payer }),
    ativacao: { tipoJornada: journey, ...(txid !== undefined && { dadosJornada: { txid } }) },
    atualizacao,
    ...(encerramento && { encerramento }),
  };
}

/** With the requests in the payer's bank, as GET shows it. */
export function completeRecView(core: Core, rec: Rec, version: RecVersion, seen?: Seen): RecAnswer {
  const requests = rec.requests.flatMap(request => {
    const requestVersion = seenVersion(request.versions, seen);
    return requestVersion ? solicRecView(core, request, requestVersion) : [];
  });
  return { ...recView(core, rec, version), ...(requests.length > 0 && { solicitacao: requests }) };
}

/** The recurrence as the payer's bank reads it, behind its location and in a request. */
export function recPayload(core: Core, rec: Rec): object {
  const { terms, atualizacao } = current(rec);
  const { cnpj, nome } = core.clients.get(rec.clientId)!.receiver;
  return { idRec: rec.idRec, ...terms, recebedor: { cnpj, nome, ispbParticipante: ISPB }, atualizacao };
}

export function solicRecView(core: Core, request: SolicRec, version: SolicRecVersion): SolicRecAnswer {
  const { idSolicRec, rec, expiresAt, destinatario } = request;
  return {
    idSolicRec,
    idRec: rec.idRec,
    calendario: { dataExpiracaoSolicitacao: expiresAt.toISOString() },
    status: version.status,
    destinatario,
    atualizacao: version.atualizacao,
    recPayload: recPayload(core, rec),
  };
}

export function cobRView(core: Core, charge: CobR, version: CobRVersion, seen?: Seen): CobRAnswer {
  const { rec, body, txid, createdAt } = charge;
  const { cnpj, nome } = core.clients.get(rec.clientId)!.receiver;
  const { status, atualizacao, attempts, encerramento } = version;
  const pix = cobRPixView(version, seen);
  return {
    idRec: rec.idRec,
    txid,
    ...(body.infoAdicional !== undefined && { infoAdicional: body.infoAdicional }),
    calendario: { criacao: civilDay(createdAt), ...body.calendario },
    valor: body.valor,
    status,
    politicaRetentativa: current(rec).terms.politicaRetentativa,
    ajusteDiaUtil: body.ajusteDiaUtil,
    ...(body.devedor && { devedor: body.devedor }),
    recebedor: { ...body.recebedor, cnpj, nome },
    atualizacao,
    ...(encerramento && { encerramento }),
    ...(attempts.length > 0 && { tentativas: attempts }),
    ...(pix.length > 0 && { pix }),
  };
}

export function cobRPixView({ pix }: CobRVersion, seen?: Seen): AutomaticPix[] {
  const shown = pix.filter(one => isPixSeen(one, seen === 'previous' ? undefined : seen));
  return shown.map(one => {
    const { componentesValor: _, ...view } = pixView(one, seen) as AutomaticPix & { componentesValor: object };
    return view;
  });
}

/** Without its recurrence, which `POST /locrec` and `DELETE /locrec/{id}/idRec` do not show. */
export function recLocationView({ id, location, createdAt }: RecLocation): LocRecAnswer {
  return { id, location, criacao: createdAt.toISOString() };
}

/** The code of a recurrence, alone or together with a charge; undefined when a location is missing. */
export function recCode(core: Core, rec: Rec, version: RecVersion, charge?: Charge): RecAnswer['dadosQR'] {
  const { locations, automatic } = core.state;
  const recurrence = automatic.locations.get(version.locationId ?? 0)?.location;
  const location = charge && locations.get(current(charge).locationId ?? 0)?.location;
  if (recurrence === undefined || (charge && location === undefined)) return undefined;
  const { nome, cidade } = core.clients.get(rec.clientId)!.receiver;
  const jornada = charge === undefined ? 'JORNADA_2' : charge.kind === 'cob' ? 'JORNADA_3' : 'JORNADA_4';
  return { jornada, pixCopiaECola: writeDynamicCode({ location, recurrence, name: nome, city: cidade }) };
}
