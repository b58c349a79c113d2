// What Sicoob's document (Cobrança Bancária 3.0.8.0) requires of a new boleto: 406 for invalid fields, 400 for a boleto that
// the bank does not accept.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { anything, type Check, day, integer, list, shape, text, type Violation, violation } from '../checks.ts';
import { civilDay } from '../days.ts';
import type { TitleContract } from './contract.ts';

export type SicoobBody = {
  readonly numeroCliente: number;
  readonly codigoModalidade: number;
  readonly numeroContaCorrente: number;
  readonly codigoEspecieDocumento: string;
  readonly dataEmissao: string;
  readonly nossoNumero?: number;
  readonly seuNumero: string;
  readonly identificacaoBoletoEmpresa?: string;
  readonly valor: number;
  readonly dataVencimento: string;
  readonly dataLimitePagamento?: string;
  readonly valorAbatimento?: number;
  readonly tipoDesconto: number;
  readonly dataPrimeiroDesconto?: string;
  readonly valorPrimeiroDesconto?: number;
  readonly dataSegundoDesconto?: string;
  readonly valorSegundoDesconto?: number;
  readonly dataTerceiroDesconto?: string;
  readonly valorTerceiroDesconto?: number;
  readonly tipoMulta: number;
  readonly dataMulta?: string;
  readonly valorMulta?: number;
  readonly tipoJurosMora: number;
  readonly dataJurosMora?: string;
  readonly valorJurosMora?: number;
  readonly pagador: { readonly numeroCpfCnpj: string; readonly nome: string };
  readonly codigoCadastrarPIX?: number;
};

const SPECIES = 'CH DM DMI DS DSI DR LC NCC NCE NCI NCR NP NPR TM TS NS RC FAT ND AP ME PC NF DD BDP OU'.split(' ');

const INT32 = integer(0, 2 ** 31 - 1);
const upTo = (max: number) => text({ min: 1, max });

/** A number with at most two decimals. */
export const money: Check = (value, path, found) => {
  if (typeof value === 'number' && value >= 0 && Math.abs(value * 100 - Math.round(value * 100)) < 1e-6) return;
  found.push(violation(path, `O campo ${path} não é um valor válido.`, value));
};
const flag: Check = (value, path, found) => {
  if (typeof value !== 'boolean') found.push(violation(path, `O campo ${path} não é lógico.`, value));
};
const species: Check = (value, path, found) => {
  if (typeof value !== 'string' || !SPECIES.includes(value)) found.push(violation(path, 'Espécie inválida.', value));
};

const payer = shape(
  {
    numeroCpfCnpj: text({ min: 11, max: 14, pattern: /^[0-9A-Z]+$/ }),
    nome: upTo(50),
    endereco: upTo(40),
    bairro: upTo(30),
    cidade: upTo(40),
    cep: text({ pattern: /^\d{8}$/ }),
    uf: text({ pattern: /^[A-Z]{2}$/ }),
    email: upTo(60),
  },
  { required: ['numeroCpfCnpj', 'nome', 'endereco', 'bairro', 'cidade', 'cep', 'uf'] },
);

const boleto = shape(
  {
    numeroCliente: INT32,
    codigoModalidade: INT32,
    numeroContaCorrente: INT32,
    codigoEspecieDocumento: species,
    dataEmissao: day,
    nossoNumero: INT32,
    seuNumero: upTo(18),
    identificacaoBoletoEmpresa: upTo(25),
    identificacaoEmissaoBoleto: integer(1, 2),
    identificacaoDistribuicaoBoleto: integer(1, 2),
    valor: money,
    dataVencimento: day,
    dataLimitePagamento: day,
    valorAbatimento: money,
    tipoDesconto: integer(0, 6),
    dataPrimeiroDesconto: day,
    valorPrimeiroDesconto: money,
    dataSegundoDesconto: day,
    valorSegundoDesconto: money,
    dataTerceiroDesconto: day,
    valorTerceiroDesconto: money,
    tipoMulta: integer(0, 2),
    dataMulta: day,
    valorMulta: money,
    tipoJurosMora: integer(1, 3),
    dataJurosMora: day,
    valorJurosMora: money,
    numeroParcela: integer(1, 99),
    aceite: flag,
    codigoNegativacao: integer(2, 3),
    numeroDiasNegativacao: integer(1, 99),
    codigoProtesto: integer(1, 3),
    numeroDiasProtesto: integer(1, 99),
    pagador: payer,
    beneficiarioFinal: anything,
    mensagensInstrucao: list(text({ max: 40 }), { max: 5 }),
    gerarPdf: flag,
    codigoCadastrarPIX: integer(0, 2),
    numeroContratoCobranca: INT32,
  },
  {
    required: [
      'codigoEspecieDocumento',
      'codigoModalidade',
      'dataEmissao',
      'dataVencimento',
      'identificacaoDistribuicaoBoleto',
      'identificacaoEmissaoBoleto',
      'numeroCliente',
      'numeroContaCorrente',
      'numeroParcela',
      'pagador',
      'seuNumero',
      'tipoDesconto',
      'tipoJurosMora',
      'tipoMulta',
      'valor',
    ],
  },
);

/** Faults of the fields (406). */
export function checkForm(body: unknown): Violation[] {
  const found: Violation[] = [];
  boleto(body, 'boleto', found);
  return found;
}

/** Why the bank does not accept it (400); undefined when it does. */
export function refusalOf(body: SicoobBody, contract: TitleContract, now: Date): string | undefined {
  const limit = body.dataLimitePagamento ?? body.dataVencimento;
  const { numeroCpfCnpj: document } = body.pagador;
  const rules: readonly (readonly [boolean, string])[] = [
    [body.numeroCliente !== contract.number, 'Número do cliente não pertence ao beneficiário.'],
    [body.codigoModalidade !== 1, 'Modalidade não contratada.'],
    [body.numeroContaCorrente !== contract.account, 'Conta corrente não pertence ao beneficiário.'],
    [body.valor <= 0, 'O valor deve ser maior que zero.'],
    [body.dataVencimento < civilDay(now), 'A data de vencimento é anterior à data atual.'],
    [body.dataEmissao > body.dataVencimento, 'A data de emissão é posterior à data de vencimento.'],
    [body.dataEmissao > civilDay(now), 'A data de emissão é posterior à data atual.'],
    [limit < body.dataVencimento, 'A data limite de pagamento é anterior à data de vencimento.'],
    [!isValidCpf(document) && !isValidCnpj(document, { version: 2 }), 'CPF/CNPJ do pagador inválido.'],
    [(body.valorAbatimento ?? 0) >= body.valor, 'O abatimento deve ser menor que o valor do boleto.'],
    [areDiscountsWrong(body), 'Desconto inconsistente.'],
    [isFeeWrong(body.tipoMulta !== 0, body.dataMulta, body.valorMulta, body, limit), 'Multa inconsistente.'],
    [
      isFeeWrong(body.tipoJurosMora !== 3, body.dataJurosMora, body.valorJurosMora, body, limit),
      'Juros de mora inconsistentes.',
    ],
    [body.nossoNumero !== undefined && !hasRightDigit(body.nossoNumero, contract), 'Dígito do nosso número inválido.'],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1];
}

/** Each place with its day and its number; undefined where one of the two is missing. */
export function discountsIn(body: SicoobBody): ({ readonly data: string; readonly valor: number } | undefined)[] {
  const places = [
    [body.dataPrimeiroDesconto, body.valorPrimeiroDesconto],
    [body.dataSegundoDesconto, body.valorSegundoDesconto],
    [body.dataTerceiroDesconto, body.valorTerceiroDesconto],
  ] as const;
  return places
    .filter(([data, valor]) => data !== undefined || (valor ?? 0) !== 0)
    .map(([data, valor]) => (data === undefined || !valor ? undefined : { data, valor }));
}

const PERCENT_DISCOUNTS = [2, 5, 6];
const LAST_DATED = 2;

/** The first where there is a kind, none where there is not; earlier days take off more, and none after the due day. */
function areDiscountsWrong(body: SicoobBody): boolean {
  const discounts = discountsIn(body);
  if (body.tipoDesconto === 0) return discounts.length > 0;
  const most = PERCENT_DISCOUNTS.includes(body.tipoDesconto) ? 100 : body.valor;
  if (discounts.length === 0 || (body.tipoDesconto > LAST_DATED && discounts.length > 1)) return true;
  return discounts.some((one, index) => {
    const before = discounts[index - 1];
    if (!one || one.data > body.dataVencimento || one.valor >= most) return true;
    return before !== undefined && (one.data <= before.data || one.valor >= before.valor);
  });
}

/** «Deve ser maior que a data de vencimento do boleto e menor ou igual que data limite de pagamento.» */
function isFeeWrong(
  isAsked: boolean,
  from: string | undefined,
  value: number | undefined,
  { dataVencimento }: SicoobBody,
  limit: string,
): boolean {
  if (!isAsked) return from !== undefined || (value ?? 0) !== 0;
  return from === undefined || !value || from <= dataVencimento || from > limit;
}

/** Weights 3, 1, 9, 7 over cooperative, client (ten digits) and number; the remainders 0 and 1 give the digit 0. */
export function digitOf(number: number, { branch, number: client }: TitleContract): number {
  const digits = branch + String(client).padStart(10, '0') + String(number).padStart(7, '0');
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * [3, 1, 9, 7][index % 4]!, 0);
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function hasRightDigit(number: number, contract: TitleContract): boolean {
  return number > 9 && number % 10 === digitOf(Math.floor(number / 10), contract);
}
