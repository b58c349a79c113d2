// PUT, PATCH and GET of /cob/{txid} and /cobv/{txid}, POST /cob, and the lists.
import { checkDueRules, checkNewCharge, checkPatch } from '../charge-checks.ts';
import { type JsonObject, type Violation, violation } from '../checks.ts';
import { type Call, type Core, type Handler, seenVersion } from '../core.ts';
import { claimLocation, type LocationWish, releaseLocation } from '../locations.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { ApiRefusal, type KindName } from '../problem.ts';
import {
  type Charge,
  type ChargeBody,
  type ChargeKind,
  type ChargeVersion,
  change,
  chargeKey,
  current,
} from '../state.ts';
import { chargeView } from '../views.ts';

const INVALID: Readonly<Record<ChargeKind, KindName>> = { cob: 'CobOperacaoInvalida', cobv: 'CobVOperacaoInvalida' };
const UNKNOWN: Readonly<Record<ChargeKind, KindName>> = { cob: 'CobNaoEncontrado', cobv: 'CobVNaoEncontrada' };
const BAD_QUERY: Readonly<Record<ChargeKind, KindName>> = { cob: 'CobConsultaInvalida', cobv: 'CobVConsultaInvalida' };

const TXID = /^[a-zA-Z0-9]{26,35}$/;
const DEFAULT_EXPIRY_SECONDS = 86_400;
const DEFAULT_VALID_DAYS = 30;

export function putCharge(kind: ChargeKind): Handler {
  return (core, call) => {
    const [txid = ''] = call.params;
    if (!TXID.test(txid))
      throw new ApiRefusal(INVALID[kind], [violation('txid', 'O txid não respeita o schema.', txid)]);
    const key = chargeKey(call.client.clientId, txid);
    if (core.state.automatic.charges.has(key))
      throw new ApiRefusal(INVALID[kind], [violation('txid', 'O txid é de uma cobr.', txid)]);
    const existing = core.state.charges.get(key);
    if (existing && core.profile.repeatedPut === 'conflict') throw new ApiRefusal('TxidDuplicado');
    const body = readNewCharge(core, call, kind);
    return existing ? revise(core, call, existing, kind, body) : create(core, call, kind, txid, body);
  };
}

export const postCob: Handler = (core, call) =>
  create(core, call, 'cob', core.random.letters(32), readNewCharge(core, call, 'cob'));

export function patchCharge(kind: ChargeKind): Handler {
  return (core, call) => {
    const charge = requireCharge(core, call, kind);
    const found = checkPatch(kind, call.body);
    if (found.length > 0) throw new ApiRefusal(INVALID[kind], found);
    requireActive(charge);
    const { status, ...changes } = call.body as JsonObject & { status?: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
    const before = current(charge);
    if (status !== undefined) {
      const version = change(charge, core.now(), { status, revisao: before.revisao + 1 });
      return { status: 200, body: chargeView(core, charge, version) };
    }
    const body = merged(before.body, changes);
    checkMeaning(call, kind, body, charge.createdAt);
    const version = applyRevision(core, charge, body, changes['loc'] as LocationWish | undefined);
    return { status: 200, body: chargeView(core, charge, version) };
  };
}

export function getCharge(kind: ChargeKind): Handler {
  return (core, call) => {
    const charge = requireCharge(core, call, kind);
    const version = seenVersion(charge.versions, call.seen);
    if (!version) throw new ApiRefusal(UNKNOWN[kind]);
    const asked = call.query.get('revisao');
    if (asked === null) return { status: 200, body: chargeView(core, charge, version, call.seen) };
    const revision = charge.versions.findLast(({ revisao }) => String(revisao) === asked);
    if (!revision) throw new ApiRefusal(BAD_QUERY[kind], [violation('revisao', 'A revisão não existe.', asked)]);
    return { status: 200, body: chargeView(core, charge, revision) };
  };
}

const FILTERS = { cpf: 'cpf', cnpj: 'cnpj', locationPresente: 'boolean', status: 'text' } as const;

export function listCharges(kind: ChargeKind): Handler {
  return (core, call) => {
    const query = readListQuery(core, call.query, { refusal: BAD_QUERY[kind], filters: FILTERS });
    const { cpf, cnpj, locationPresente, status } = query.parameters;
    const fits = ({ body, locationId, status: now }: ChargeVersion) =>
      (cpf === undefined || body.devedor?.cpf === cpf) &&
      (cnpj === undefined || body.devedor?.cnpj === cnpj) &&
      (status === undefined || now === status) &&
      (locationPresente === undefined || (locationId !== undefined) === locationPresente);
    const views: (() => object)[] = [];
    for (const charge of core.state.charges.values()) {
      const createdMs = charge.createdAt.getTime();
      if (charge.clientId !== call.client.clientId || charge.kind !== kind) continue;
      if (createdMs < query.fromMs || createdMs > query.toMs) continue;
      const version = seenVersion(charge.versions, call.seen);
      if (version && fits(version)) views.push(() => chargeView(core, charge, version, call.seen));
    }
    const { shown, parametros } = pageOf(views, query);
    return { status: 200, body: { parametros, cobs: shown.map(view => view()) } };
  };
}

function readNewCharge(core: Core, call: Call, kind: ChargeKind): ChargeBody {
  const found = checkNewCharge(kind, call.body);
  if (found.length > 0) throw new ApiRefusal(INVALID[kind], found);
  const body = withDefaults(kind, call.body as JsonObject);
  checkMeaning(call, kind, body, core.now());
  return body;
}

function withDefaults(kind: ChargeKind, { loc: _, ...body }: JsonObject): ChargeBody {
  const calendario =
    kind === 'cob' ? { expiracao: DEFAULT_EXPIRY_SECONDS } : { validadeAposVencimento: DEFAULT_VALID_DAYS };
  return { ...body, calendario: { ...calendario, ...(body['calendario'] as object) } } as unknown as ChargeBody;
}

/** Calendar and amounts keep fields that the change does not name; everything else is replaced. */
function merged(before: ChargeBody, { loc: _, ...changes }: JsonObject): ChargeBody {
  return {
    ...before,
    ...changes,
    calendario: { ...before.calendario, ...(changes['calendario'] as object | undefined) },
    valor: { ...before.valor, ...(changes['valor'] as object | undefined) },
  } as ChargeBody;
}

function checkMeaning({ client }: Call, kind: ChargeKind, body: ChargeBody, createdAt: Date): void {
  const found: Violation[] = [];
  if (!client.keys.includes(body.chave)) {
    found.push(violation(`${kind}.chave`, 'A chave não pertence a este usuário recebedor.', body.chave));
  }
  if (kind === 'cobv') found.push(...checkDueRules(body as never, createdAt));
  if (found.length > 0) throw new ApiRefusal(INVALID[kind], found);
}

function create(core: Core, call: Call, kind: ChargeKind, txid: string, body: ChargeBody) {
  const createdAt = core.now();
  const charge: Charge = { kind, txid, clientId: call.client.clientId, createdAt, versions: [] };
  const location = claimLocation(core, charge, locationWish(call), INVALID[kind]);
  const atMs = createdAt.getTime();
  charge.versions.push({ atMs, revisao: 0, status: 'ATIVA', body, locationId: location.id, pix: [] });
  core.state.charges.set(chargeKey(charge.clientId, txid), charge);
  const headers = { location: `${core.baseUrl()}/${kind}/${txid}` };
  return { status: core.profile.createdStatus, body: chargeView(core, charge, current(charge)), headers };
}

function revise(core: Core, call: Call, charge: Charge, kind: ChargeKind, body: ChargeBody) {
  if (charge.kind !== kind) {
    throw new ApiRefusal(INVALID[kind], [violation('txid', `O txid é de uma ${charge.kind}.`, charge.txid)]);
  }
  requireActive(charge);
  const version = applyRevision(core, charge, body, locationWish(call));
  return { status: core.profile.createdStatus, body: chargeView(core, charge, version) };
}

function applyRevision(core: Core, charge: Charge, body: ChargeBody, wish: LocationWish | undefined): ChargeVersion {
  const before = current(charge);
  let { locationId } = before;
  if (wish && wish.id !== locationId) {
    const location = claimLocation(core, charge, wish, INVALID[charge.kind]);
    if (locationId !== undefined) releaseLocation(core, locationId);
    locationId = location.id;
  }
  return change(charge, core.now(), { body, locationId, revisao: before.revisao + 1 });
}

function locationWish({ body }: Call): LocationWish | undefined {
  return (body as { loc?: LocationWish }).loc;
}

function requireCharge(core: Core, { client, params: [txid = ''] }: Call, kind: ChargeKind): Charge {
  const charge = core.state.charges.get(chargeKey(client.clientId, txid));
  if (charge?.kind !== kind) throw new ApiRefusal(UNKNOWN[kind]);
  return charge;
}

function requireActive(charge: Charge): void {
  const { status } = current(charge);
  if (status === 'ATIVA') return;
  throw new ApiRefusal(INVALID[charge.kind], [
    violation(`${charge.kind}.status`, 'A cobrança não está ATIVA, e a requisição busca alterá-la.', status),
  ]);
}
