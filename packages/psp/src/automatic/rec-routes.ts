// POST and GET of /rec, GET and PATCH of /rec/{idRec}.
import { type Violation, violation } from '../checks.ts';
import { type Call, type Core, type Handler, seenVersion } from '../core.ts';
import { civilDay } from '../days.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { ApiRefusal } from '../problem.ts';
import { type Charge, change, chargeKey, current } from '../state.ts';
import type { RecTerms } from './answers.ts';
import { checked, checkNewRec, checkRecDays, checkRecPatch } from './checks.ts';
import { withAgreement } from './filters.ts';
import { idOf } from './ids.ts';
import { claimRecLocation, releaseRecLocation } from './locations.ts';
import type { Rec, RecVersion } from './model.ts';
import { cancelRec, planExpiry } from './recurrences.ts';
import { completeRecView, recCode, recView } from './views.ts';

type NewRec = RecTerms & {
  readonly recebedor?: { readonly convenio?: string };
  readonly loc?: number;
  readonly ativacao?: { readonly dadosJornada?: { readonly txid: string } };
};

export const postRec: Handler = (core, call) => {
  const createdAt = core.now();
  const found = checked(checkNewRec, call.body, 'rec');
  if (found.length === 0) found.push(...checkRecDays((call.body as NewRec).calendario, civilDay(createdAt)));
  if (found.length > 0) throw new ApiRefusal('RecOperacaoInvalida', found);
  const { recebedor, loc, ativacao, ...terms } = call.body as NewRec;
  const letter = terms.politicaRetentativa === 'PERMITE_3R_7D' ? 'R' : 'N';
  const rec: Rec = {
    idRec: idOf(`R${letter}`, createdAt, core.random),
    clientId: call.client.clientId,
    createdAt,
    convenio: recebedor?.convenio,
    versions: [],
    requests: [],
    charges: [],
    account: { maximum: undefined, balance: undefined },
  };
  const location = loc === undefined ? undefined : claimRecLocation(core, rec, loc);
  rec.versions.push({
    atMs: createdAt.getTime(),
    status: 'CRIADA',
    terms,
    locationId: location?.id,
    journey: 'AGUARDANDO_DEFINICAO',
    txid: ativacao?.dadosJornada?.txid,
    payer: undefined,
    atualizacao: [{ status: 'CRIADA', data: createdAt.toISOString() }],
    encerramento: undefined,
  });
  core.state.automatic.recs.set(rec.idRec, rec);
  planExpiry(core, rec);
  const headers = { location: `${core.baseUrl()}/rec/${rec.idRec}` };
  return { status: core.profile.createdStatus, body: recView(core, rec, current(rec)), headers };
};

type Patch = {
  readonly status?: 'CANCELADA';
  readonly vinculo?: { readonly devedor?: { readonly nome: string } };
  readonly loc?: number;
  readonly calendario?: { readonly dataInicial?: string };
  readonly ativacao?: NewRec['ativacao'];
};

export const patchRec: Handler = (core, call) => {
  const rec = requireRec(core, call);
  const at = core.now();
  const patch = call.body as Patch;
  const found = checked(checkRecPatch, call.body, 'rec');
  if (found.length === 0) found.push(...whatForbids(rec, patch));
  if (found.length > 0) throw new ApiRefusal('RecOperacaoInvalida', found);
  if (patch.status === 'CANCELADA') {
    const descricao = 'Cancelamento solicitado pelo usuário recebedor';
    cancelRec(core, rec, at, { cancelamento: { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR', descricao } });
  } else revise(core, rec, at, patch);
  return { status: 200, body: recView(core, rec, current(rec)) };
};

function whatForbids(rec: Rec, { loc, calendario }: Patch): Violation[] {
  const { status, terms } = current(rec);
  if (status !== 'CRIADA' && status !== 'APROVADA') {
    return [violation('rec.status', 'A recorrência encontra-se expirada, cancelada ou rejeitada.', status)];
  }
  const dataInicial = calendario?.dataInicial;
  const onlyWhenNew = { loc, 'calendario.dataInicial': dataInicial };
  const late = Object.entries(onlyWhenNew).filter(([, value]) => value !== undefined && status !== 'CRIADA');
  const found = late.map(([name, value]) =>
    violation(
      `rec.${name}`,
      `O campo rec.${name} somente pode ser alterado quando a recorrência apresentar-se com o status CRIADA.`,
      value,
    ),
  );
  if (dataInicial === undefined) return found;
  return [...found, ...checkRecDays({ ...terms.calendario, dataInicial }, civilDay(rec.createdAt))];
}

function revise(core: Core, rec: Rec, at: Date, { vinculo, loc, calendario, ativacao }: Patch): void {
  const { terms, locationId, txid } = current(rec);
  const location = loc === undefined || loc === locationId ? undefined : claimRecLocation(core, rec, loc);
  if (location && locationId !== undefined) releaseRecLocation(core, locationId);
  change<RecVersion>(rec, at, {
    terms: {
      ...terms,
      vinculo: { ...terms.vinculo, devedor: { ...terms.vinculo.devedor, ...vinculo?.devedor } },
      calendario: { ...terms.calendario, ...calendario },
    },
    locationId: location?.id ?? locationId,
    txid: ativacao?.dadosJornada?.txid ?? txid,
  });
}

export const getRec: Handler = (core, call) => {
  const rec = requireRec(core, call);
  const version = seenVersion(rec.versions, call.seen);
  if (!version) throw new ApiRefusal('RecNaoEncontrada');
  const txid = call.query.get('txid');
  const charge = txid === null ? undefined : requireCharge(core, rec, version, txid);
  const dadosQR = recCode(core, rec, version, charge);
  return { status: 200, body: { ...completeRecView(core, rec, version, call.seen), ...(dadosQR && { dadosQR }) } };
};

/** The charge that a code is to carry beside the recurrence. */
function requireCharge(core: Core, rec: Rec, { journey, txid: expected }: RecVersion, txid: string): Charge {
  const charge = core.state.charges.get(chargeKey(rec.clientId, txid));
  const refuse = (why: string) => new ApiRefusal('RecConsultaInvalida', [violation('txid', why, txid)]);
  const fits = { cob: ['JORNADA_3'], cobv: ['JORNADA_4'] } as const;
  const isFree = journey === 'AGUARDANDO_DEFINICAO';
  if (!charge || !(isFree || (fits[charge.kind] as readonly string[]).includes(journey))) {
    throw refuse('O parâmetro txid não corresponde a uma cobrança compatível com o campo ativacao.tipoJornada.');
  }
  if (charge.kind === 'cob' && txid !== expected) {
    throw refuse('O parâmetro txid difere do informado no campo ativacao.dadosJornada.txid.');
  }
  return charge;
}

const FILTERS = {
  cpf: 'cpf',
  cnpj: 'cnpj',
  locationPresente: 'boolean',
  status: 'text',
  convenio: 'text',
} as const;

export const listRecs: Handler = (core, call) => {
  const query = readListQuery(core, call.query, { refusal: 'RecConsultaInvalida', filters: FILTERS });
  const { convenio, ...filters } = query.parameters;
  const { cpf, cnpj, locationPresente, status } = filters;
  const views: (() => object)[] = [];
  for (const rec of core.state.automatic.recs.values()) {
    const atMs = rec.createdAt.getTime();
    const version = seenVersion(rec.versions, call.seen);
    if (rec.clientId !== call.client.clientId || atMs < query.fromMs || atMs > query.toMs || !version) continue;
    const { devedor } = version.terms.vinculo;
    if ((cpf !== undefined && devedor.cpf !== cpf) || (cnpj !== undefined && devedor.cnpj !== cnpj)) continue;
    if (status !== undefined && version.status !== status) continue;
    if (convenio !== undefined && rec.convenio !== convenio) continue;
    if (locationPresente !== undefined && (version.locationId !== undefined) !== locationPresente) continue;
    views.push(() => completeRecView(core, rec, version, call.seen));
  }
  const { shown, parametros } = pageOf(views, { ...query, parameters: withAgreement(filters, convenio) });
  return { status: 200, body: { parametros, recs: shown.map(view => view()) } };
};

function requireRec(core: Core, { client, params: [idRec = ''] }: Call): Rec {
  const rec = core.state.automatic.recs.get(idRec);
  if (rec?.clientId !== client.clientId) throw new ApiRefusal('RecNaoEncontrada');
  return rec;
}
