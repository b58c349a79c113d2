// PUT, PATCH and GET of /cobr/{txid}, POST and GET of /cobr, and POST of /cobr/{txid}/retentativa/{data}.
import { violation } from '../checks.ts';
import { type Call, type Core, type Handler, seenVersion } from '../core.ts';
import { civilDay } from '../days.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { ApiRefusal } from '../problem.ts';
import { chargeKey, current } from '../state.ts';
import { askAttempt } from './attempts.ts';
import { settlementDay } from './calendar.ts';
import { planCharge } from './charge-plan.ts';
import { cancelCharge } from './charges.ts';
import { checkCancel, checked, checkNewCobR, TXID } from './checks.ts';
import { whyNoCancel, whyNoCobR, whyNoRetry } from './cobr-rules.ts';
import { withAgreement } from './filters.ts';
import type { CobR, CobRBody } from './model.ts';
import { cobRView } from './views.ts';

export const putCobR: Handler = (core, call) => {
  const [txid = ''] = call.params;
  if (!TXID.test(txid)) {
    throw new ApiRefusal('CobROperacaoInvalida', [violation('txid', 'O txid não respeita o schema.', txid)]);
  }
  return create(core, call, txid);
};

export const postCobR: Handler = (core, call) => create(core, call, core.random.letters(32));

/** `ajusteDiaUtil` is true unless the request says otherwise. */
type NewCobR = Omit<CobRBody, 'ajusteDiaUtil'> & { readonly idRec: string; readonly ajusteDiaUtil?: boolean };

function create(core: Core, call: Call, txid: string) {
  const createdAt = core.now();
  const { client } = call;
  const found = checked(checkNewCobR, call.body, 'cobr');
  const { idRec, ...body }: CobRBody & { readonly idRec: string } = { ajusteDiaUtil: true, ...(call.body as NewCobR) };
  const rec = core.state.automatic.recs.get(idRec);
  if (found.length === 0) found.push(...whyNoCobR(core, client, { txid, rec, body, createdAt }));
  if (found.length > 0 || !rec) throw new ApiRefusal('CobROperacaoInvalida', found);
  const { dataDeVencimento } = body.calendario;
  const { codMun } = current(rec).payer ?? {};
  const charge: CobR = {
    txid,
    rec,
    createdAt,
    body,
    settlesOn: body.ajusteDiaUtil ? settlementDay(core.automatic.rules, dataDeVencimento, codMun) : dataDeVencimento,
    versions: [
      {
        atMs: createdAt.getTime(),
        status: 'CRIADA',
        atualizacao: [{ status: 'CRIADA', data: createdAt.toISOString() }],
        attempts: [],
        encerramento: undefined,
        pix: [],
      },
    ],
  };
  rec.charges.push(charge);
  core.state.automatic.charges.set(chargeKey(client.clientId, txid), charge);
  planCharge(core, charge);
  const headers = { location: `${core.baseUrl()}/cobr/${txid}` };
  return { status: core.profile.createdStatus, body: cobRView(core, charge, current(charge)), headers };
}

export const patchCobR: Handler = (core, call) => {
  const charge = requireCobR(core, call);
  const at = core.now();
  const found = checked(checkCancel, call.body, 'cobr');
  if (found.length === 0) found.push(...whyNoCancel(core, charge, at));
  if (found.length > 0) throw new ApiRefusal('CobROperacaoInvalida', found);
  const descricao = 'Cancelamento solicitado pelo usuário recebedor';
  cancelCharge(core, charge, at, { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR', descricao });
  return { status: 200, body: cobRView(core, charge, current(charge)) };
};

export const getCobR: Handler = (core, call) => {
  const charge = requireCobR(core, call);
  const version = seenVersion(charge.versions, call.seen);
  if (!version) throw new ApiRefusal('CobRNaoEncontrado');
  return { status: 200, body: cobRView(core, charge, version, call.seen) };
};

/** It has no body. */
export const postRetry: Handler = (core, call) => {
  const charge = requireCobR(core, call);
  const [, day = ''] = call.params;
  const at = core.now();
  const why = whyNoRetry(charge, day, civilDay(at));
  if (why !== undefined) throw new ApiRefusal('CobROperacaoInvalida', [violation('data', why, day)]);
  askAttempt(core, charge, at, 'NTAG', day);
  return { status: core.profile.createdStatus, body: cobRView(core, charge, current(charge)) };
};

const FILTERS = { idRec: 'text', cpf: 'cpf', cnpj: 'cnpj', status: 'text', convenio: 'text' } as const;

export const listCobRs: Handler = (core, call) => {
  const query = readListQuery(core, call.query, { refusal: 'CobRConsultaInvalida', filters: FILTERS });
  const { convenio, ...filters } = query.parameters;
  const { idRec, cpf, cnpj, status } = filters;
  const views: (() => object)[] = [];
  for (const charge of core.state.automatic.charges.values()) {
    const { rec, createdAt } = charge;
    const atMs = createdAt.getTime();
    const version = seenVersion(charge.versions, call.seen);
    if (rec.clientId !== call.client.clientId || atMs < query.fromMs || atMs > query.toMs || !version) continue;
    const { devedor } = current(rec).terms.vinculo;
    if ((cpf !== undefined && devedor.cpf !== cpf) || (cnpj !== undefined && devedor.cnpj !== cnpj)) continue;
    if (idRec !== undefined && rec.idRec !== idRec) continue;
    if (status !== undefined && version.status !== status) continue;
    if (convenio !== undefined && rec.convenio !== convenio) continue;
    views.push(() => cobRView(core, charge, version, call.seen));
  }
  const { shown, parametros } = pageOf(views, { ...query, parameters: withAgreement(filters, convenio) });
  return { status: 200, body: { parametros, cobsr: shown.map(view => view()) } };
};

function requireCobR(core: Core, { client, params: [txid = ''] }: Call): CobR {
  const charge = core.state.automatic.charges.get(chargeKey(client.clientId, txid));
  if (!charge) throw new ApiRefusal('CobRNaoEncontrado');
  return charge;
}
