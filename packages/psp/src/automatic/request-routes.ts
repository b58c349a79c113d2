// POST of /solicrec, GET and PATCH of /solicrec/{idSolicRec}.
import { violation } from '../checks.ts';
import { type Call, type Core, type Handler, seenVersion } from '../core.ts';
import { ApiRefusal } from '../problem.ts';
import { current } from '../state.ts';
import type { SolicRecAnswer } from './answers.ts';
import { checkCancel, checked, checkNewRequest } from './checks.ts';
import { idOf } from './ids.ts';
import type { SolicRec } from './model.ts';
import { isOpenRequest, moveRequest, planRequest } from './requests.ts';
import { solicRecView } from './views.ts';

type NewRequest = Pick<SolicRecAnswer, 'idRec' | 'calendario' | 'destinatario'>;

export const postRequest: Handler = (core, call) => {
  const createdAt = core.now();
  const found = checked(checkNewRequest, call.body, 'solicrec');
  if (found.length > 0) throw new ApiRefusal('SolicRecOperacaoInvalida', found);
  const { idRec, calendario, destinatario } = call.body as NewRequest;
  const refuse = (name: string, why: string, value: unknown) =>
    new ApiRefusal('SolicRecOperacaoInvalida', [violation(`solicrec.${name}`, why, value)]);
  const rec = core.state.automatic.recs.get(idRec);
  if (rec?.clientId !== call.client.clientId) throw new ApiRefusal('RecNaoEncontrada');
  const expiresAt = new Date(calendario.dataExpiracaoSolicitacao);
  if (expiresAt <= createdAt) {
    const why = 'é anterior à data de criação da solicitação da recorrência';
    const name = 'calendario.dataExpiracaoSolicitacao';
    throw refuse(name, `O campo solicrec.${name} ${why}.`, calendario.dataExpiracaoSolicitacao);
  }
  if (current(rec).status !== 'CRIADA') {
    throw refuse('idRec', 'A recorrência não está no status CRIADA.', current(rec).status);
  }
  if (rec.requests.some(isOpenRequest)) {
    throw refuse('idRec', 'Existe uma solicitação ativa referente ao mesmo solicrec.idRec.', idRec);
  }
  const request: SolicRec = {
    idSolicRec: idOf('SC', createdAt, core.random),
    rec,
    createdAt,
    expiresAt,
    destinatario,
    versions: [
      {
        atMs: createdAt.getTime(),
        status: 'CRIADA',
        atualizacao: [{ status: 'CRIADA', data: createdAt.toISOString() }],
      },
    ],
  };
  rec.requests.push(request);
  core.state.automatic.requests.set(request.idSolicRec, request);
  planRequest(core, request);
  return { status: core.profile.createdStatus, body: solicRecView(core, request, current(request)) };
};

export const getRequest: Handler = (core, call) => {
  const request = requireRequest(core, call);
  const version = seenVersion(request.versions, call.seen);
  if (!version) throw new ApiRefusal('SolicRecNaoEncontrada');
  return { status: 200, body: solicRecView(core, request, version) };
};

/** The norm answers it with 201, although nothing is created. */
export const patchRequest: Handler = (core, call) => {
  const request = requireRequest(core, call);
  const found = checked(checkCancel, call.body, 'solicrec');
  if (found.length === 0 && !isOpenRequest(request)) {
    const why = 'Não é possível cancelar uma solicitação com o status diferente de CRIADA, ENVIADA ou RECEBIDA.';
    found.push(violation('solicrec.status', why, current(request).status));
  }
  if (found.length > 0) throw new ApiRefusal('SolicRecOperacaoInvalida', found);
  moveRequest(request, core.now(), 'CANCELADA');
  return { status: core.profile.createdStatus, body: solicRecView(core, request, current(request)) };
};

function requireRequest(core: Core, { client, params: [id = ''] }: Call): SolicRec {
  const request = core.state.automatic.requests.get(id);
  if (request?.rec.clientId !== client.clientId) throw new ApiRefusal('SolicRecNaoEncontrada');
  return request;
}
