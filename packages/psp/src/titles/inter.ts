// The boleto API of Inter as its SDK and documentation describe it: a request gets a code, and is registered later.

import { randomUUID } from 'node:crypto';
import type { Reductions } from '../amount-due.ts';
import { amountText, isDay, isObject, type Violation, violation } from '../checks.ts';
import type { Call, Core, Handler, Reply } from '../core.ts';
import { addDays, civilDay, daysBetween } from '../days.ts';
import type { Title } from '../state.ts';
import { checkCobranca, checkEdit, type InterBody } from './inter-checks.ts';
import { barcodeOf, lineOf } from './line.ts';
import { makePixCode } from './pix-code.ts';
import type { TitleRoute } from './route.ts';
import { endPix, opened, setDays } from './title.ts';

const BANK = '077';
const MAX_PAGE = 1_000;
const OPEN: readonly string[] = ['A_RECEBER', 'ATRASADO'];

const refuse = (status: number, title: string, violacoes: readonly Violation[] = []): Reply => ({
  status,
  body: { title, detail: 'Requisição inválida.', timestamp: '2026-01-01T00:00:00Z', violacoes },
});
const hundredths = (value = 0) => BigInt(Math.round(value * 100));

const postCobranca: Handler = (core, call) => {
  const faults = checkCobranca(call.body, core.now());
  if (faults.length > 0) return refuse(400, 'Erro de validação', faults);
  const title = makeTitle(core, call, call.body as InterBody);
  core.state.titles.set(`${title.clientId} ${title.code}`, title);
  return { status: 200, body: { codigoSolicitacao: title.code } };
};

function makeTitle(core: Core, call: Call, body: InterBody): Title {
  const { dataVencimento: dueOn, pagador, multa, mora } = body;
  const number = String(90_000_000_000 + core.state.titles.size + 1);
  const cents = hundredths(body.valorNominal);
  const barcode = barcodeOf({ bank: BANK, dueOn, cents, freeField: `00011120000001${number}` });
  const terms = {
    dueOn,
    lastDay: addDays(dueOn, body.numDiasAgenda),
    cents,
    fine: multa?.codigo === 'PERCENTUAL' ? hundredths(multa.taxa) : 0n,
    interest: mora?.codigo === 'TAXAMENSAL' ? hundredths(mora.taxa) : 0n,
    reductions: reductionsIn(body),
  };
  const document = pagador.cpfCnpj;
  const payer = { ...(document.length === 11 ? { cpf: document } : { cnpj: document }), nome: pagador.nome };
  const hasPix = body.formasRecebimento?.includes('PIX') ?? true;
  const { processing, failure } = core.titleRule;
  return {
    ...terms,
    clientId: call.client.clientId,
    number,
    code: randomUUID(),
    ownNumber: body.seuNumero,
    issuedOn: civilDay(core.now()),
    barcode,
    line: lineOf(barcode),
    request: body,
    pix: hasPix ? makePixCode(core, call.client, { ...terms, payer }) : undefined,
    createdAt: core.now(),
    processing,
    failure,
    writtenOff: undefined,
    liquidations: [],
  };
}

/** In the codes of the Pix API. */
function reductionsIn({ desconto, dataVencimento }: InterBody): Reductions {
  if (!desconto) return {};
  const { taxa, valor, quantidadeDias } = desconto;
  const data = addDays(dataVencimento, -quantidadeDias);
  const modalidade = taxa === undefined ? 1 : 2;
  return { desconto: { modalidade, descontoDataFixa: [{ data, valorPerc: amountText(hundredths(taxa ?? valor)) }] } };
}

function situationOf(core: Core, title: Title): string {
  const { processing, failure, liquidations, writtenOff, lastDay, dueOn } = title;
  if (processing > 0) return 'EM_PROCESSAMENTO';
  if (failure !== undefined) return 'FALHA_EMISSAO';
  if (liquidations.length > 0) return 'RECEBIDO';
  if (writtenOff) return 'CANCELADO';
  const today = civilDay(core.now());
  if (today > lastDay) return 'EXPIRADO';
  return today > dueOn ? 'ATRASADO' : 'A_RECEBER';
}

function cobrancaView(core: Core, present: Title): object {
  const { edit } = present;
  // The boleto as stale readers see it.
  const title = edit?.status === 'SUCESSO' && edit.hidden > 0 ? { ...present, ...edit.before } : present;
  const situacao = situationOf(core, title);
  const paid = title.liquidations.at(-1);
  const isOpen = title.processing === 0 && title.failure === undefined;
  return {
    cobranca: {
      codigoSolicitacao: title.code,
      seuNumero: title.ownNumber,
      dataEmissao: title.issuedOn,
      dataVencimento: title.dueOn,
      valorNominal: Number(amountText(title.cents)),
      tipoCobranca: 'SIMPLES',
      situacao,
      dataSituacao: civilDay(paid?.at ?? title.writtenOff?.at ?? title.createdAt),
      ...(paid && {
        valorTotalRecebido: amountText(title.liquidations.reduce((sum, { cents }) => sum + cents, 0n)),
        origemRecebimento: paid.channel === 'pix' ? 'PIX' : 'BOLETO',
      }),
      ...(title.writtenOff && { motivoCancelamento: title.writtenOff.reason }),
      ...(title.failure !== undefined && { motivoCancelamento: title.failure }),
      arquivada: false,
    },
    boleto: isOpen ? { nossoNumero: title.number, codigoBarras: title.barcode, linhaDigitavel: title.line } : {},
    pix: isOpen && title.pix ? { txid: title.pix.charge.txid, pixCopiaECola: title.pix.emv } : {},
  };
}

/** What its webhook receives, one item for each change. */
export function cobrancaNotice(core: Core, title: Title): object {
  const paid = title.liquidations.at(-1);
  return {
    codigoSolicitacao: title.code,
    seuNumero: title.ownNumber,
    situacao: situationOf(core, title),
    dataHoraSituacao: core.now().toISOString(),
    ...(paid && {
      valorTotalRecebido: amountText(paid.cents),
      origemRecebimento: paid.channel === 'pix' ? 'PIX' : 'BOLETO',
    }),
    nossoNumero: title.number,
    codigoBarras: title.barcode,
    linhaDigitavel: title.line,
    ...(title.pix && { txid: title.pix.charge.txid, pixCopiaECola: title.pix.emv }),
  };
}

const notFound = () => refuse(404, 'Cobrança não encontrada');

const getCobranca: Handler = (core, call) => {
  const title = core.state.titles.get(`${call.client.clientId} ${call.params[0]}`);
  if (!title || call.seen === 'previous') return notFound();
  const body = cobrancaView(core, title);
  if (title.edit?.status === 'SUCESSO' && title.edit.hidden > 0) title.edit.hidden--;
  workOnEdit(core, title);
  // It answers this many lookups with «processing» first.
  if (title.processing > 0 && --title.processing === 0) opened(core, title);
  return { status: 200, body };
};

const DATES: Readonly<Record<string, (title: Title) => readonly string[]>> = {
  VENCIMENTO: title => [title.dueOn],
  EMISSAO: title => [title.issuedOn],
  PAGAMENTO: title => title.liquidations.map(({ listedOn }) => listedOn),
};

/** A stale list does not have the newest boleto yet; by its code it is found at once. */
function isListed({ createdAt }: Title, { seen }: Call): boolean {
  return seen === undefined || (seen !== 'previous' && createdAt.getTime() <= seen.atMs);
}

const listCobrancas: Handler = (core, call) => {
  const { query } = call;
  const [from, to] = [query.get('dataInicial') ?? '', query.get('dataFinal') ?? ''];
  const by = query.get('filtrarDataPor') ?? 'VENCIMENTO';
  const datesOf = DATES[by];
  const size = Number(query.get('paginacao.itensPorPagina') ?? '100');
  const page = Number(query.get('paginacao.paginaAtual') ?? '0');
  const isRight = isDay(from) && isDay(to) && from <= to && datesOf && size >= 1 && size <= MAX_PAGE && page >= 0;
  if (!isRight) return refuse(400, 'Erro de validação', [violation('dataInicial', 'Parâmetros inválidos.')]);
  const [situation, own] = [query.get('situacao'), query.get('seuNumero')];
  const found = [...core.state.titles.values()].filter(
    title =>
      title.clientId === call.client.clientId &&
      isListed(title, call) &&
      datesOf(title).some(date => date >= from && date <= to) &&
      (situation === null || situationOf(core, title) === situation) &&
      (own === null || title.ownNumber.includes(own)),
  );
  const pages = Math.ceil(found.length / size);
  const shown = found.slice(page * size, (page + 1) * size);
  return {
    status: 200,
    body: {
      totalPaginas: pages,
      totalElementos: found.length,
      ultimaPagina: page + 1 >= pages,
      primeiraPagina: page === 0,
      tamanhoPagina: size,
      numeroDeElementos: shown.length,
      cobrancas: shown.map(title => cobrancaView(core, title)),
    },
  };
};

const cancelCobranca: Handler = (core, call) => {
  const title = core.state.titles.get(`${call.client.clientId} ${call.params[0]}`);
  if (!title) return notFound();
  const reason = isObject(call.body) ? call.body['motivoCancelamento'] : undefined;
  if (typeof reason !== 'string' || reason.length < 1 || reason.length > 50) {
    return refuse(400, 'Erro de validação', [violation('motivoCancelamento', 'É obrigatório, até 50 caracteres.')]);
  }
  if (!OPEN.includes(situationOf(core, title))) return refuse(400, 'A cobrança não está em aberto');
  title.writtenOff = { at: core.now(), reason };
  endPix(core, title);
  core.titleChanged(title);
  return { status: 202 };
};

const patchCobranca: Handler = (core, call) => {
  const title = core.state.titles.get(`${call.client.clientId} ${call.params[0]}`);
  if (!title) return notFound();
  const faults = checkEdit(call.body, core.now());
  if (faults.length > 0) return refuse(400, 'Erro de validação', faults);
  if (!OPEN.includes(situationOf(core, title))) return refuse(400, 'A cobrança não está em aberto');
  if (title.edit?.status === 'PROCESSANDO') return refuse(400, 'Há uma edição em processamento');
  const { dataVencimento } = call.body as InterBody;
  if (dataVencimento === title.dueOn) return refuse(400, 'Nenhum dado foi alterado');
  const { editing = 1, failsEdits = false, hidesEdits = 0 } = core.titleRule;
  const { dueOn, lastDay, barcode, line } = title;
  title.edit = {
    code: randomUUID(),
    dueOn: dataVencimento,
    status: 'PROCESSANDO',
    left: editing,
    fails: failsEdits,
    hidden: hidesEdits,
    before: { dueOn, lastDay, barcode, line },
  };
  const mensagem = 'Edição em processamento';
  return { status: 202, body: { status: 'PROCESSANDO', mensagem, codigoEdicao: title.edit.code } };
};

/** The last day moves with the due day: what the bank has is the number of days between them. */
function workOnEdit(core: Core, title: Title): void {
  const { edit } = title;
  if (edit?.status !== 'PROCESSANDO' || --edit.left > 0) return;
  edit.status = edit.fails || !OPEN.includes(situationOf(core, title)) ? 'FALHA' : 'SUCESSO';
  if (edit.status === 'FALHA') return;
  setDays(core, title, { dueOn: edit.dueOn, lastDay: addDays(edit.dueOn, daysBetween(title.dueOn, title.lastDay)) });
  title.request = { ...title.request, dataVencimento: edit.dueOn };
  core.titleChanged(title);
}

const getEdit: Handler = (core, call) => {
  const title = [...core.state.titles.values()].find(
    ({ clientId, edit }) => clientId === call.client.clientId && edit?.code === call.params[0],
  );
  if (!title?.edit) return refuse(404, 'Edição não encontrada');
  const { status } = title.edit;
  workOnEdit(core, title);
  return { status: 200, body: { status } };
};

const putTitleWebhook: Handler = (core, call) => {
  const url = isObject(call.body) ? call.body['webhookUrl'] : undefined;
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:') {
    return refuse(400, 'Erro de validação', [violation('webhookUrl', 'Deve ser uma URL https.')]);
  }
  core.state.titleWebhooks.set(call.client.clientId, { webhookUrl: url, createdAt: core.now() });
  return { status: 204 };
};

const getTitleWebhook: Handler = (core, call) => {
  const webhook = core.state.titleWebhooks.get(call.client.clientId);
  if (!webhook) return refuse(404, 'Webhook não encontrado');
  return { status: 200, body: { webhookUrl: webhook.webhookUrl, criacao: webhook.createdAt.toISOString() } };
};

const [READ, WRITE] = ['boleto-cobranca.read', 'boleto-cobranca.write'] as const;

export const INTER_ROUTES: readonly TitleRoute[] = [
  { method: 'POST', path: /^\/cobrancas$/, scope: WRITE, handle: postCobranca },
  { method: 'GET', path: /^\/cobrancas$/, scope: READ, handle: listCobrancas },
  { method: 'PUT', path: /^\/cobrancas\/webhook$/, scope: WRITE, handle: putTitleWebhook },
  { method: 'GET', path: /^\/cobrancas\/webhook$/, scope: READ, handle: getTitleWebhook },
  { method: 'GET', path: /^\/cobrancas\/([\w-]+)$/, scope: READ, handle: getCobranca },
  { method: 'PATCH', path: /^\/cobrancas\/([\w-]+)$/, scope: WRITE, handle: patchCobranca },
  { method: 'GET', path: /^\/cobrancas\/edicao\/([\w-]+)$/, scope: READ, handle: getEdit },
  { method: 'POST', path: /^\/cobrancas\/([\w-]+)\/cancelar$/, scope: WRITE, handle: cancelCobranca },
];
