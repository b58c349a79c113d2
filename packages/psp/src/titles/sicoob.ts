// The boleto API of Sicoob as its document describes it.

import type { Reductions } from '../amount-due.ts';
import { amountText, isDay, isObject, type JsonObject } from '../checks.ts';
import type { Call, Core, Handler, Reply } from '../core.ts';
import { civilDay } from '../days.ts';
import type { Title } from '../state.ts';
import type { TitleContract } from './contract.ts';
import { barcodeOf, lineOf } from './line.ts';
import { makePixCode } from './pix-code.ts';
import type { TitleRoute } from './route.ts';
import { changeTitle, checkChange } from './sicoob-change.ts';
import { checkForm, digitOf, discountsIn, refusalOf, type SicoobBody } from './sicoob-checks.ts';
import { endPix } from './title.ts';
import { zipOne } from './zip.ts';

const BANK = '756';
const WITH_PIX = 1;
const PERCENT = 2;
const LIQUIDATIONS = 5;
const MAX_DAYS = 2;
const DAY_MS = 86_400_000;
/** How many requests for a list come before it is ready. */
const PREPARING = 1;

const CHANNELS = { line: [58, '04 - Via Compensação'], pix: [212, '07 - Via Pix'] } as const;

const ok = (resultado: unknown): Reply => ({ status: 200, body: { resultado } });
const none: Reply = { status: 204 };
const refuse = (status: 400 | 406, ...messages: readonly string[]): Reply => ({
  status,
  body: { mensagens: messages.map((mensagem, index) => ({ codigo: String(5000 + index), mensagem })) },
});

const contractOf = ({ client }: Call): TitleContract => client.contract;
const keyOf = ({ client }: Call, number: string) => `${client.clientId} ${number}`;
const hundredths = (value = 0) => BigInt(Math.round(value * 100));

const postBoleto: Handler = (core, call) => {
  const faults = checkForm(call.body);
  if (faults.length > 0) return refuse(406, ...faults.map(({ razao, propriedade }) => `${propriedade}: ${razao}`));
  const body = call.body as SicoobBody;
  const contract = contractOf(call);
  const wrong = refusalOf(body, contract, core.now());
  if (wrong !== undefined) return refuse(400, wrong);
  const number = body.nossoNumero ?? nextNumber(core, call, contract);
  if (core.state.titles.has(keyOf(call, String(number)))) return refuse(400, 'Nosso número já cadastrado.');
  const title = makeTitle(core, call, body, number);
  core.state.titles.set(keyOf(call, title.number), title);
  return ok(titleView(title, false));
};

function nextNumber(core: Core, call: Call, contract: TitleContract): number {
  for (let number = 9_000_000; ; number++) {
    const full = number * 10 + digitOf(number, contract);
    if (!core.state.titles.has(keyOf(call, String(full)))) return full;
  }
}

function makeTitle(core: Core, call: Call, body: SicoobBody, number: number): Title {
  const { branch, number: client } = contractOf(call);
  const { dataVencimento: dueOn, codigoCadastrarPIX, pagador } = body;
  const cents = hundredths(body.valor);
  const free = `1${branch}01${String(client).padStart(7, '0')}${String(number).padStart(8, '0')}001`;
  const barcode = barcodeOf({ bank: BANK, dueOn, cents, freeField: free });
  const terms = {
    dueOn,
    lastDay: body.dataLimitePagamento ?? dueOn,
    cents,
    fine: body.tipoMulta === PERCENT ? hundredths(body.valorMulta) : 0n,
    interest: body.tipoJurosMora === PERCENT ? hundredths(body.valorJurosMora) : 0n,
    reductions: reductionsIn(body),
  };
  const document = pagador.numeroCpfCnpj;
  const payer = { ...(document.length === 11 ? { cpf: document } : { cnpj: document }), nome: pagador.nome };
  return {
    ...terms,
    clientId: call.client.clientId,
    number: String(number),
    ownNumber: body.seuNumero,
    issuedOn: body.dataEmissao,
    barcode,
    line: lineOf(barcode),
    request: body,
    pix: codigoCadastrarPIX === WITH_PIX ? makePixCode(core, call.client, { ...terms, payer }) : undefined,
    createdAt: core.now(),
    processing: 0,
    failure: undefined,
    writtenOff: undefined,
    liquidations: [],
  };
}

const DATED_DISCOUNTS = [1, 2];

/** Its codes of discounts are those of the Pix API. */
function reductionsIn(body: SicoobBody): Reductions {
  const { valorAbatimento = 0, tipoDesconto: modalidade } = body;
  const dated = discountsIn(body)
    .filter(one => one !== undefined)
    .map(({ data, valor }) => ({ data, valorPerc: amountText(hundredths(valor)) }));
  const isDated = DATED_DISCOUNTS.includes(modalidade);
  const desconto = isDated
    ? { modalidade, descontoDataFixa: dated }
    : { modalidade, valorPerc: dated[0]?.valorPerc ?? '' };
  return {
    ...(valorAbatimento > 0 && { abatimento: { modalidade: 1, valorPerc: amountText(hundredths(valorAbatimento)) } }),
    ...(modalidade > 0 && { desconto }),
  };
}

function titleView(title: Title, showsSituation: boolean): object {
  const situation = title.liquidations.length > 0 ? 'Liquidado' : title.writtenOff ? 'Baixado' : 'Em Aberto';
  return {
    valorMulta: 0,
    valorJurosMora: 0,
    valorAbatimento: 0,
    ...title.request,
    nossoNumero: Number(title.number),
    codigoBarras: title.barcode,
    linhaDigitavel: title.line,
    quantidadeDiasFloat: 1,
    ...(showsSituation && { situacaoBoleto: situation, listaHistorico: [] }),
    ...(title.pix && { qrCode: title.pix.emv }),
  };
}

const getBoleto: Handler = (core, call) => {
  const { query } = call;
  const wrong = wrongAgreement(call, query.get('numeroCliente'), query.get('codigoModalidade'));
  if (wrong) return wrong;
  const [number, line, barcode] = [query.get('nossoNumero'), query.get('linhaDigitavel'), query.get('codigoBarras')];
  if (number === null && line === null && barcode === null) return refuse(406, 'Informe o nosso número.');
  const title = [...core.state.titles.values()].find(
    one =>
      one.clientId === call.client.clientId &&
      (number === null ? one.line === line || one.barcode === barcode : one.number === number) &&
      isSeen(one, call),
  );
  return title ? ok(titleView(title, true)) : none;
};

/** A stale reader does not know the newest yet. */
function isSeen({ createdAt }: Title, { seen }: Call): boolean {
  if (seen === undefined) return true;
  return seen !== 'previous' && createdAt.getTime() <= seen.atMs;
}

function wrongAgreement(call: Call, client: unknown, modality: unknown): Reply | undefined {
  if (String(client) !== String(contractOf(call).number)) {
    return refuse(400, 'Número do cliente não pertence ao beneficiário.');
  }
  return String(modality) === '1' ? undefined : refuse(400, 'Modalidade não contratada.');
}

const writeOff: Handler = (core, call) => {
  const body = isObject(call.body) ? call.body : {};
  if (typeof body['numeroCliente'] !== 'number') return refuse(406, 'boleto.numeroCliente é obrigatório.');
  const wrong = wrongAgreement(call, body['numeroCliente'], body['codigoModalidade']);
  if (wrong) return wrong;
  const title = core.state.titles.get(keyOf(call, call.params[0] ?? ''));
  if (!title) return refuse(400, 'Boleto não encontrado.');
  if (title.liquidations.length > 0) return refuse(400, 'Boleto liquidado não pode ser baixado.');
  if (title.writtenOff) return refuse(400, 'Boleto já baixado.');
  title.writtenOff = { at: core.now(), reason: 'A pedido do cedente' };
  endPix(core, title);
  return none;
};

const patchBoleto: Handler = (core, call) => {
  const faults = checkChange(call.body);
  if (faults.length > 0) return refuse(406, ...faults.map(({ razao, propriedade }) => `${propriedade}: ${razao}`));
  const body = call.body as JsonObject;
  const wrong = wrongAgreement(call, body['numeroCliente'], body['codigoModalidade']);
  if (wrong) return wrong;
  const title = core.state.titles.get(keyOf(call, call.params[0] ?? ''));
  if (!title) return refuse(400, 'Boleto não encontrado.');
  const refusal = changeTitle(core, title, body);
  return refusal === undefined ? none : refuse(400, refusal);
};

const postMovements: Handler = (core, call) => {
  const { numeroCliente, tipoMovimento, dataInicial, dataFinal } = isObject(call.body) ? call.body : {};
  if (typeof dataInicial !== 'string' || typeof dataFinal !== 'string' || !isDay(dataInicial) || !isDay(dataFinal)) {
    return refuse(406, 'dataInicial e dataFinal são obrigatórias.');
  }
  if (numeroCliente !== contractOf(call).number) return refuse(400, 'Número do cliente não pertence ao beneficiário.');
  if (tipoMovimento !== LIQUIDATIONS) return refuse(400, 'O simulador só conhece o movimento 5.');
  const days = (Date.parse(dataFinal) - Date.parse(dataInicial)) / DAY_MS + 1;
  if (days < 1 || days > MAX_DAYS) return refuse(400, 'O período máximo é de 2 dias.');
  if (dataFinal > civilDay(core.now())) return refuse(400, 'A data final é posterior à data atual.');
  const code = core.state.lists.size + 100;
  core.state.lists.set(String(code), { from: dataInicial, to: dataFinal, clientId: call.client.clientId, asked: 0 });
  return ok({ mensagem: 'Solicitação recebida com sucesso.', codigoSolicitacao: code });
};

const getMovements: Handler = (core, call) => {
  const found = core.state.lists.get(call.query.get('codigoSolicitacao') ?? '');
  if (found?.clientId !== call.client.clientId) return refuse(400, 'Solicitação não encontrada.');
  if (found.asked++ < PREPARING) return none;
  const count = rowsOf(core, found).length;
  return ok({
    quantidadeTotalRegistros: count,
    quantidadeRegistrosArquivo: 500_000,
    quantidadeArquivo: count > 0 ? 1 : 0,
    idArquivos: count > 0 ? [FILE] : [],
  });
};

const FILE = 30_025_254;

/** The archive is encoded as in the bank's own example: its bytes read as text, and that written as UTF-8. */
const downloadMovements: Handler = (core, call) => {
  const found = core.state.lists.get(call.query.get('codigoSolicitacao') ?? '');
  if (found?.clientId !== call.client.clientId) return refuse(400, 'Solicitação não encontrada.');
  if (call.query.get('idArquivo') !== String(FILE)) return refuse(400, 'Arquivo não encontrado.');
  const zip = zipOne('LIQUI.json', Buffer.from(JSON.stringify(rowsOf(core, found))));
  const arquivo = Buffer.from(zip.toString('latin1'), 'utf8').toString('base64');
  return ok({ nomeArquivo: `LIQUI_${found.from}.zip`, arquivo });
};

type List = { readonly from: string; readonly to: string; readonly clientId: string };

function rowsOf(core: Core, { from, to, clientId }: List): object[] {
  const at = (day: string) => `${day}T00:00:00-03:00`;
  return [...core.state.titles.values()]
    .filter(title => title.clientId === clientId)
    .flatMap(({ liquidations, ...title }) =>
      liquidations
        .filter(({ listedOn }) => listedOn >= from && listedOn <= to)
        .map(({ at: paidAt, cents, channel, listedOn }) => ({
          siglaMovimento: 'LIQUI',
          numTitulo: Number(title.number),
          descSeuNumero: title.ownNumber,
          dataVencimentoTitulo: at(title.dueOn),
          valorTitulo: Number(amountText(title.cents)),
          codigoBarras: title.barcode,
          dataMovimentoLiquidacao: at(listedOn),
          dataLiquidacao: at(civilDay(paidAt)),
          dataPrevisaoCredito: at(listedOn),
          idTipoOpFinanceira: CHANNELS[channel][0],
          tipoOpFinanceira: CHANNELS[channel][1],
          valorLiquido: Number(amountText(cents)),
          valorTarifaMovimento: 1.5,
        })),
    );
}

const getRanges: Handler = (_core, call) => {
  const wrong = wrongAgreement(call, call.query.get('numeroCliente'), call.query.get('codigoModalidade'));
  if (wrong) return wrong;
  const { number } = contractOf(call);
  const range = {
    numeroCliente: number,
    nomeCliente: call.client.receiver.nome,
    numeroInicial: 1,
    numeroFinal: 8_999_999,
  };
  return ok([{ ...range, quantidade: 8_999_999, validaDigitoVerificadorNossoNumero: true }]);
};

export const SICOOB_ROUTES: readonly TitleRoute[] = [
  { method: 'POST', path: /^\/boletos$/, scope: 'boletos_inclusao', handle: postBoleto },
  { method: 'GET', path: /^\/boletos$/, scope: 'boletos_consulta', handle: getBoleto },
  { method: 'GET', path: /^\/boletos\/faixas-nosso-numero$/, scope: 'boletos_consulta', handle: getRanges },
  { method: 'POST', path: /^\/boletos\/movimentacoes$/, scope: 'boletos_consulta', handle: postMovements },
  { method: 'GET', path: /^\/boletos\/movimentacoes$/, scope: 'boletos_consulta', handle: getMovements },
  { method: 'GET', path: /^\/boletos\/movimentacoes\/download$/, scope: 'boletos_consulta', handle: downloadMovements },
  { method: 'PATCH', path: /^\/boletos\/(\d+)$/, scope: 'boletos_alteracao', handle: patchBoleto },
  { method: 'POST', path: /^\/boletos\/(\d+)\/baixar$/, scope: 'boletos_alteracao', handle: writeOff },
];
