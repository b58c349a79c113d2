// GET /pix/{e2eid}, GET /pix, and the refunds below a payment.
import { checkRefundBody } from '../charge-checks.ts';
import { centsOf, type Violation, violation } from '../checks.ts';
import { type Call, type Core, type Handler, isPixSeen, seenRefunds } from '../core.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { type PixRecord, refundsOf } from '../pix-record.ts';
import { ApiRefusal } from '../problem.ts';
import { leftToRefund, openRefund } from '../refunds.ts';
import { pixView } from '../views.ts';

const REFUND_ID = /^[a-zA-Z0-9]{1,35}$/;
const REFUND_WINDOW_MS = 90 * 86_400_000;

export const getPix: Handler = (core, call) => ({ status: 200, body: pixView(requirePix(core, call), call.seen) });

const FILTERS = {
  txid: 'text',
  txIdPresente: 'boolean',
  devolucaoPresente: 'boolean',
  cpf: 'cpf',
  cnpj: 'cnpj',
} as const;

export const listPix: Handler = (core, call) => {
  const query = readListQuery(core, call.query, { refusal: 'PixConsultaInvalida', filters: FILTERS });
  const { txid, txIdPresente, devolucaoPresente, cpf, cnpj } = query.parameters;
  const found: PixRecord[] = [];
  // A reader who is one change behind does not see the newest payment.
  const hidden = call.seen === 'previous' ? [...core.state.pix.values()].at(-1) : undefined;
  for (const pix of core.state.pix.values()) {
    const atMs = pix.horario.getTime();
    if (pix.clientId !== call.client.clientId || atMs < query.fromMs || atMs > query.toMs) continue;
    if (pix === hidden || (call.seen !== 'previous' && !isPixSeen(pix, call.seen))) continue;
    if (txid !== undefined && pix.txid !== txid) continue;
    if (txIdPresente !== undefined && (pix.txid !== undefined) !== txIdPresente) continue;
    if (devolucaoPresente !== undefined && refundsOf(pix).length > 0 !== devolucaoPresente) continue;
    if ((cpf !== undefined && pix.pagador.cpf !== cpf) || (cnpj !== undefined && pix.pagador.cnpj !== cnpj)) continue;
    found.push(pix);
  }
  found.sort((a, b) => a.horario.getTime() - b.horario.getTime());
  const { shown, parametros } = pageOf(found, query);
  return { status: 200, body: { parametros, pix: shown.map(pix => pixView(pix, call.seen)) } };
};

export const putRefund: Handler = (core, call) => {
  const pix = requirePix(core, call);
  const [, id = ''] = call.params;
  const found: Violation[] = [];
  if (!REFUND_ID.test(id)) found.push(violation('id', 'O id da devolução não respeita o schema.', id));
  checkRefundBody(call.body, 'devolucao', found);
  if (found.length > 0) throw new ApiRefusal('PixDevolucaoInvalida', found);
  const {
    valor,
    natureza = 'ORIGINAL',
    descricao,
  } = call.body as {
    valor: string;
    natureza?: 'ORIGINAL' | 'RETIRADA';
    descricao?: string;
  };
  const refuse = (property: string, why: string) => new ApiRefusal('PixDevolucaoInvalida', [violation(property, why)]);
  if (refundsOf(pix).some(refund => refund.id === id)) throw refuse('id', 'O id já foi utilizado por outra devolução.');
  if (natureza === 'RETIRADA') throw refuse('devolucao.natureza', 'O pix não é de saque nem de troco.');
  if (centsOf(valor) > leftToRefund(pix)) {
    throw refuse('devolucao.valor', 'A soma das devoluções excederia o valor do pix.');
  }
  if (core.now().getTime() - pix.horario.getTime() > REFUND_WINDOW_MS) {
    throw refuse('horario', 'A devolução viola a janela de 90 dias.');
  }
  const refund = openRefund(core, pix, { id, valor, natureza, ...(descricao !== undefined && { descricao }) });
  return { status: core.profile.refundStatus, body: refund };
};

export const getRefund: Handler = (core, call) => {
  const pix = requirePix(core, call, 'PixDevolucaoNaoEncontrada');
  const refund = seenRefunds(pix, call.seen).find(({ id }) => id === call.params[1]);
  if (!refund) throw new ApiRefusal('PixDevolucaoNaoEncontrada');
  return { status: 200, body: refund };
};

function requirePix(
  core: Core,
  { client, params: [e2eid = ''], seen }: Call,
  otherwise: 'PixNaoEncontrado' | 'PixDevolucaoNaoEncontrada' = 'PixNaoEncontrado',
): PixRecord {
  const pix = core.state.pix.get(e2eid);
  if (pix?.clientId !== client.clientId || !isPixSeen(pix, seen)) throw new ApiRefusal(otherwise);
  return pix;
}
