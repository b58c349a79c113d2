// The payload behind a location: a JWS of the charge, as a payer's bank reads it, and the keys that verify it.
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { amountDue, type DueCalendar, type DueValue, lastPayableDay } from './amount-due.ts';
import { recPayload } from './automatic/views.ts';
import type { Made } from './certificates/make.ts';
import { derOf } from './certificates/make.ts';
import { isDay, violation } from './checks.ts';
import type { Core, Reply } from './core.ts';
import { civilDay } from './days.ts';
import { ApiRefusal } from './problem.ts';
import { type Charge, type ChargeVersion, current } from './state.ts';

export const JWKS_PATH = '/qr/jwks';

export type PayloadKind = 'cob' | 'cobv' | 'rec';

export type Payloads = {
  /** Answers GET of a location. */
  serve(accessToken: string, kind: PayloadKind, query: URLSearchParams): Reply;
  readonly jwks: object;
};

export function createPayloads(core: Core, signing: Made): Payloads {
  const key = createPrivateKey(signing.keyPem);
  const der = Buffer.from(derOf(signing.certificatePem));
  const kid = createHash('sha256').update(der).digest('hex').slice(0, 16);
  const x5t = createHash('sha1').update(der).digest('base64url');
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' });
  const jwks = {
    keys: [{ kty, crv, x, y, kid, alg: 'ES256', key_ops: ['verify'], x5t, x5c: [der.toString('base64')] }],
  };

  function jws(payload: object): string {
    const header = { alg: 'ES256', typ: 'JWS', kid, x5t, jku: `https://${core.host()}${JWKS_PATH}` };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part(header)}.${part(payload)}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }

  const signed = (payload: object): Reply => ({
    status: 200,
    body: jws(payload),
    headers: { 'content-type': 'application/jose' },
  });

  return {
    jwks,
    serve: (accessToken, kind, query) => {
      if (kind === 'rec') return signed(recurrence(core, accessToken));
      const location = core.state.locationsByToken.get(accessToken);
      const charge = location?.charge;
      if (location?.kind !== kind || !charge) throw new ApiRefusal('CobPayloadNaoEncontrado');
      const version = current(charge);
      if (version.status.startsWith('REMOVIDA')) {
        throw new ApiRefusal('CobPayloadNaoEncontrado', [], { status: 410 });
      }
      const payload = kind === 'cob' ? immediate(core, charge, version) : due(core, charge, version, query);
      return signed(payload);
    },
  };
}

/** The norm leaves open what the location of an ended recurrence shows; here it refuses. */
function recurrence(core: Core, accessToken: string): object {
  const rec = core.state.automatic.locationsByToken.get(accessToken)?.rec;
  if (!rec) throw new ApiRefusal('RecPayloadNaoEncontrado');
  const { status } = current(rec);
  if (status === 'CRIADA' || status === 'APROVADA') return recPayload(core, rec);
  const why = 'O campo recUrlAccessToken referencia uma recorrência expirada, rejeitada ou cancelada.';
  throw new ApiRefusal('RecPayloadOperacaoInvalida', [violation('recUrlAccessToken', why, status)]);
}

function common(core: Core, charge: Charge, { body, revisao, status }: ChargeVersion) {
  const { devedor, chave, solicitacaoPagador, infoAdicionais, calendario } = body;
  const { cpf, cnpj, nome } = devedor ?? {};
  return {
    calendario: {
      criacao: charge.createdAt.toISOString(),
      apresentacao: core.now().toISOString(),
      ...calendario,
    },
    ...(devedor && { devedor: { ...(cpf && { cpf }), ...(cnpj && { cnpj }), nome } }),
    txid: charge.txid,
    revisao,
    status,
    chave,
    ...(solicitacaoPagador !== undefined && { solicitacaoPagador }),
    ...(infoAdicionais && { infoAdicionais }),
  };
}

function immediate(core: Core, charge: Charge, version: ChargeVersion): object {
  const { original, modalidadeAlteracao = 0 } = version.body.valor;
  return { ...common(core, charge, version), valor: { original, modalidadeAlteracao } };
}

const MUNICIPALITY = /^[1-5]\d{6}$/;

/** With amounts for the day on which the payer will pay, by default today. */
function due(core: Core, charge: Charge, version: ChargeVersion, query: URLSearchParams): object {
  const today = civilDay(core.now());
  const refuse = (name: string, why: string) =>
    new ApiRefusal('CobPayloadOperacaoInvalida', [violation(name, why, query.get(name) ?? undefined)]);
  const municipality = query.get('codMun');
  if (municipality !== null && !MUNICIPALITY.test(municipality))
    throw refuse('codMun', 'codMun não respeita o schema.');
  const on = query.get('DPP') ?? today;
  const calendar = version.body.calendario as DueCalendar;
  if (!isDay(on)) throw refuse('DPP', 'DPP não respeita o schema.');
  if (on < today) throw refuse('DPP', 'DPP é anterior ao momento presente.');
  if (on > lastPayableDay(calendar)) throw refuse('DPP', 'DPP é superior à validade da cobrança.');
  return {
    ...common(core, charge, version),
    recebedor: core.clients.get(charge.clientId)!.receiver,
    valor: amountDue(version.body.valor as DueValue, calendar, on),
  };
}
