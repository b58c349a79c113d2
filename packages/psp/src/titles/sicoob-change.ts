// A change of a registered boleto as Sicoob's document describes it: one object of the boleto in each request.
import { isDeepStrictEqual } from 'node:util';
import { anything, day, integer, type JsonObject, shape, type Violation } from '../checks.ts';
import type { Core } from '../core.ts';
import { civilDay } from '../days.ts';
import type { Title } from '../state.ts';
import { money, type SicoobBody } from './sicoob-checks.ts';
import { setDays } from './title.ts';

const INT32 = integer(0, 2 ** 31 - 1);

/** The objects that the bank can change. The simulator carries out the four that concern days. */
const OBJECTS = {
  seuNumero: anything,
  desconto: anything,
  abatimento: anything,
  rateioCredito: anything,
  pix: anything,
  especieDocumento: anything,
  valorNominal: anything,
  multa: shape({ tipoMulta: integer(0, 2), dataMulta: day, valorMulta: money }, { required: ['tipoMulta'] }),
  jurosMora: shape(
    { tipoJurosMora: integer(1, 3), dataJurosMora: day, valorJurosMora: money },
    { required: ['tipoJurosMora'] },
  ),
  prorrogacaoVencimento: shape({ dataVencimento: day }, { required: ['dataVencimento'] }),
  prorrogacaoLimitePagamento: shape({ dataLimitePagamento: day }, { required: ['dataLimitePagamento'] }),
} as const;
const DONE = ['multa', 'jurosMora', 'prorrogacaoVencimento', 'prorrogacaoLimitePagamento'] as const;

const alteracao = shape(
  { numeroCliente: INT32, codigoModalidade: INT32, numeroContratoCobranca: INT32, ...OBJECTS },
  { required: ['numeroCliente', 'codigoModalidade'] },
);

/** Faults of the fields (406). */
export function checkChange(body: unknown): Violation[] {
  const found: Violation[] = [];
  alteracao(body, 'boleto', found);
  return found;
}

const PERCENT = 2;
const hundredths = (value = 0) => BigInt(Math.round(value * 100));

/** Carries it out, or returns why the bank does not (400). */
export function changeTitle(core: Core, title: Title, body: JsonObject): string | undefined {
  const named = Object.keys(OBJECTS).filter(name => body[name] !== undefined);
  if (named.length !== 1) return 'Deve ser alterado somente um objeto do boleto por requisição.';
  const name = DONE.find(known => known === named[0]);
  if (name === undefined) return 'O simulador não altera este objeto.';
  const before = title.request as SicoobBody;
  const after = { ...before, ...(body[name] as Partial<SicoobBody>) };
  const refusal = refusalOfState(core, title) ?? refusalOfDays(before, after, civilDay(core.now()));
  if (refusal !== undefined) return refusal;
  title.request = after;
  title.fine = after.tipoMulta === PERCENT ? hundredths(after.valorMulta) : 0n;
  title.interest = after.tipoJurosMora === PERCENT ? hundredths(after.valorJurosMora) : 0n;
  setDays(core, title, { dueOn: after.dataVencimento, lastDay: after.dataLimitePagamento ?? after.dataVencimento });
  return undefined;
}

function refusalOfState(core: Core, { liquidations, writtenOff, lastDay }: Title): string | undefined {
  if (liquidations.length > 0) return 'Boleto liquidado não pode ser alterado.';
  if (writtenOff) return 'Boleto baixado não pode ser alterado.';
  return civilDay(core.now()) > lastDay ? 'Boleto com data limite de pagamento vencida.' : undefined;
}

function refusalOfDays(before: SicoobBody, after: SicoobBody, today: string): string | undefined {
  const limit = after.dataLimitePagamento ?? after.dataVencimento;
  const isWrong = (from: string | undefined) => from !== undefined && (from <= after.dataVencimento || from > limit);
  if (isDeepStrictEqual(before, after)) return 'Ao menos um campo deve ser alterado.';
  if (after.dataVencimento !== before.dataVencimento && after.dataVencimento < today) {
    return 'A data de vencimento é anterior à data atual.';
  }
  if (limit < after.dataVencimento) return 'A data limite de pagamento é anterior à data de vencimento.';
  if (isWrong(after.dataMulta)) return 'Multa inconsistente.';
  return isWrong(after.dataJurosMora) ? 'Juros de mora inconsistentes.' : undefined;
}
