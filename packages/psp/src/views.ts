// Objects as the API writes them.
import { writeDynamicCode } from './br-code.ts';
import { type Core, isPixSeen, type Seen, seenRefunds } from './core.ts';
import type { PixRecord } from './pix-record.ts';
import type { Charge, ChargeVersion, PayloadLocation, Webhook } from './state.ts';

export function chargeView(core: Core, charge: Charge, version: ChargeVersion, seen?: Seen): object {
  const { body, status, revisao, pix } = version;
  const location = version.locationId === undefined ? undefined : core.state.locations.get(version.locationId);
  const client = core.clients.get(charge.clientId)!;
  const { calendario, devedor, valor, chave, solicitacaoPagador, infoAdicionais } = body;
  const shownPix = pix.filter(one => isPixSeen(one, seen === 'previous' ? undefined : seen));
  return {
    calendario: { criacao: charge.createdAt.toISOString(), ...calendario },
    txid: charge.txid,
    revisao,
    ...(location && {
      loc: { ...locationView(core, location), txid: charge.txid },
      location: location.location,
    }),
    status,
    ...(devedor && { devedor }),
    ...(charge.kind === 'cobv' && { recebedor: client.receiver }),
    valor,
    chave,
    ...(solicitacaoPagador !== undefined && { solicitacaoPagador }),
    ...(infoAdicionais && { infoAdicionais }),
    ...(location && { [core.profile.codeField]: codeOf(core, location) }),
    ...(shownPix.length > 0 && { pix: shownPix.map(one => pixView(one, seen)) }),
  };
}

function codeOf(core: Core, { location, clientId }: PayloadLocation): string {
  const { nome, cidade } = core.clients.get(clientId)!.receiver;
  return writeDynamicCode({ location, name: nome, city: cidade });
}

/** Without its txid, which `POST /loc` and `DELETE /loc/{id}/txid` do not show. */
export function locationView(core: Core, location: PayloadLocation): object {
  return {
    id: location.id,
    location: location.location,
    tipoCob: location.kind,
    criacao: location.createdAt.toISOString(),
    ...(core.profile.codeInLocation && { [core.profile.codeField]: codeOf(core, location) }),
  };
}

export function pixView(pix: PixRecord, seen?: Seen): object {
  const devolucoes = seenRefunds(pix, seen);
  return {
    endToEndId: pix.endToEndId,
    ...(pix.txid !== undefined && { txid: pix.txid }),
    valor: pix.valor,
    componentesValor: pix.componentesValor,
    ...(pix.chave !== undefined && { chave: pix.chave }),
    horario: pix.horario.toISOString(),
    ...(pix.infoPagador !== undefined && { infoPagador: pix.infoPagador }),
    ...(devolucoes.length > 0 && { devolucoes }),
  };
}

export function webhookView(core: Core, { webhookUrl, chave, clientId, createdAt }: Webhook): object {
  const { cnpj } = core.clients.get(clientId)!.receiver;
  return { webhookUrl, chave, cnpj, criacao: createdAt.toISOString() };
}
