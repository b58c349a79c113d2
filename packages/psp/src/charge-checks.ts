// The norm's requirements for a charge: the schema first, then the rules of its violations.

import { leastDue } from './amount-due.ts';
import {
  amount,
  anything,
  type Check,
  centsOf,
  day,
  integer,
  type JsonObject,
  list,
  oneOf,
  positiveAmount,
  shape,
  text,
  type Violation,
  violation,
} from './checks.ts';
import { type CivilDay, civilDay } from './days.ts';
import type { ChargeKind } from './state.ts';

const MAX_INT32 = 2_147_483_647;
/** A limit of this simulator: the norm has no limit, and each day is a step here. */
const MAX_VALID_DAYS = 3650;

/** A taxpayer has one of the two numbers. */
export const onePersonId: Check = (value, path, found) => {
  const { cpf, cnpj } = value as JsonObject;
  if ((cpf === undefined) === (cnpj === undefined)) {
    found.push(violation(path, `O objeto ${path} deve ter cpf ou cnpj, e só um deles.`));
  }
};

const PERSON = {
  cpf: text({ pattern: /^\d{11}$/ }),
  cnpj: text({ pattern: /^[0-9A-Z]{14}$/ }),
  nome: text({ min: 1, max: 200 }),
};

const ADDRESS = {
  email: text({ max: 200 }),
  logradouro: text({ max: 200 }),
  cidade: text({ max: 200 }),
  uf: text({ max: 2 }),
  cep: text({ max: 8 }),
};

const devedor: Readonly<Record<ChargeKind, Check>> = {
  cob: shape(PERSON, { required: ['nome'], also: onePersonId }),
  cobv: shape({ ...PERSON, ...ADDRESS }, { required: ['nome'], also: onePersonId }),
};

const rate = (modalities: number) =>
  shape({ modalidade: integer(1, modalities), valorPerc: amount }, { required: ['modalidade', 'valorPerc'] });

const FIXED_DATE_MODALITIES = 2;

const discountHasItsParts: Check = (value, path, found) => {
  const { modalidade, valorPerc, descontoDataFixa } = value as JsonObject;
  const hasDates = (modalidade as number) <= FIXED_DATE_MODALITIES;
  const needed = hasDates ? descontoDataFixa : valorPerc;
  const unwanted = hasDates ? valorPerc : descontoDataFixa;
  const names = hasDates ? ['descontoDataFixa', 'valorPerc'] : ['valorPerc', 'descontoDataFixa'];
  if (needed === undefined)
    found.push(violation(`${path}.${names[0]}`, `A modalidade ${modalidade} pede ${names[0]}.`));
  if (unwanted !== undefined) {
    found.push(violation(`${path}.${names[1]}`, `A modalidade ${modalidade} não admite ${names[1]}.`));
  }
};

const desconto = shape(
  {
    modalidade: integer(1, 6),
    valorPerc: amount,
    descontoDataFixa: list(shape({ data: day, valorPerc: amount }, { required: ['data', 'valorPerc'] }), {
      min: 1,
      max: 3,
    }),
  },
  { required: ['modalidade'], also: discountHasItsParts },
);

/** Withdrawals (saque, troco) are in the norm; this PSP does not offer them. */
const notOffered: Check = (_value, path, found) => {
  found.push(violation(path, `O campo ${path} não é oferecido por este PSP.`));
};

const valor: Readonly<Record<ChargeKind, Readonly<Record<string, Check>>>> = {
  cob: { original: positiveAmount, modalidadeAlteracao: integer(0, 1), retirada: notOffered },
  cobv: { original: positiveAmount, multa: rate(2), juros: rate(8), abatimento: rate(2), desconto },
};

const calendario: Readonly<Record<ChargeKind, Readonly<Record<string, Check>>>> = {
  cob: { expiracao: integer(1, MAX_INT32) },
  cobv: { dataDeVencimento: day, validadeAposVencimento: integer(0, MAX_VALID_DAYS) },
};

const BASE = {
  loc: shape({ id: integer(1, Number.MAX_SAFE_INTEGER), tipoCob: oneOf('cob', 'cobv') }, { required: ['id'] }),
  chave: text({ min: 1, max: 77 }),
  solicitacaoPagador: text({ max: 140 }),
  infoAdicionais: list(shape({ nome: text({ max: 50 }), valor: text({ max: 200 }) }, { required: ['nome', 'valor'] }), {
    max: 50,
  }),
};

const fields = (kind: ChargeKind, mode: 'new' | 'patch') => ({
  ...BASE,
  devedor: devedor[kind],
  calendario: shape(calendario[kind], {
    required: mode === 'new' && kind === 'cobv' ? ['dataDeVencimento'] : [],
  }),
  valor: shape(valor[kind], { required: mode === 'new' ? ['original'] : [] }),
});

const NEW: Readonly<Record<ChargeKind, Check>> = {
  cob: shape(fields('cob', 'new'), { required: ['calendario', 'valor', 'chave'] }),
  cobv: shape(fields('cobv', 'new'), { required: ['calendario', 'devedor', 'valor', 'chave'] }),
};

const STATUS = { status: oneOf('REMOVIDA_PELO_USUARIO_RECEBEDOR') };

const PATCH: Readonly<Record<ChargeKind, Check>> = {
  cob: shape({ ...fields('cob', 'patch'), ...STATUS }),
  cobv: shape({ ...fields('cobv', 'patch'), ...STATUS }),
};

export function checkNewCharge(kind: ChargeKind, body: unknown): Violation[] {
  const found: Violation[] = [];
  NEW[kind](body, kind, found);
  return found;
}

export function checkPatch(kind: ChargeKind, body: unknown): Violation[] {
  const found: Violation[] = [];
  PATCH[kind](body, kind, found);
  if (found.length === 0 && 'status' in (body as object) && Object.keys(body as object).length > 1) {
    found.push(violation(`${kind}.status`, 'A remoção não pode vir com outras alterações.'));
  }
  return found;
}

type DueParts = {
  readonly calendario: { readonly dataDeVencimento?: CivilDay };
  readonly valor: {
    readonly original: string;
    readonly abatimento?: { readonly modalidade: number; readonly valorPerc: string };
    readonly desconto?: {
      readonly modalidade: number;
      readonly valorPerc?: string;
      readonly descontoDataFixa?: readonly { readonly data: CivilDay; readonly valorPerc: string }[];
    };
  };
};

const HUNDRED_PERCENT = 10_000n;
const PERCENT_DISCOUNTS = [2, 5, 6];

/** The rules of a cobv that need the whole charge, after a PATCH too. */
export function checkDueRules({ calendario, valor }: DueParts, createdAt: Date): Violation[] {
  const found: Violation[] = [];
  const due = calendario.dataDeVencimento ?? '';
  if (due < civilDay(createdAt)) {
    found.push(
      violation('cobv.calendario.dataDeVencimento', 'A data de vencimento é anterior à data de criação.', due),
    );
  }
  const { abatimento, desconto } = valor;
  const isTooLarge = (number: string, isPercent: boolean) =>
    centsOf(number) >= (isPercent ? HUNDRED_PERCENT : centsOf(valor.original));
  if (abatimento && isTooLarge(abatimento.valorPerc, abatimento.modalidade === 2)) {
    found.push(violation('cobv.valor.abatimento', 'O abatimento é maior ou igual ao valor original.'));
  }
  if (found.length === 0 && leastDue(valor, { dataDeVencimento: due }, civilDay(createdAt)) <= 0n) {
    found.push(violation('cobv.valor.desconto', 'Pago hoje, o desconto seria maior ou igual ao valor da cobrança.'));
  }
  const isPercent = desconto !== undefined && PERCENT_DISCOUNTS.includes(desconto.modalidade);
  const discounts = [desconto, ...(desconto?.descontoDataFixa ?? [])].flatMap(one => one?.valorPerc ?? []);
  if (discounts.some(number => isTooLarge(number, isPercent))) {
    found.push(violation('cobv.valor.desconto', 'O desconto é maior ou igual ao valor original.'));
  }
  const dated = desconto?.descontoDataFixa ?? [];
  if (new Set(dated.map(one => JSON.stringify([one.data, one.valorPerc]))).size < dated.length) {
    found.push(violation('cobv.valor.desconto.descontoDataFixa', 'O mesmo desconto está repetido.'));
  }
  if (dated.some(({ data }) => data > due)) {
    found.push(violation('cobv.valor.desconto', 'O desconto tem data posterior à data de vencimento.'));
  }
  return found;
}

export const checkLocationBody: Check = shape({ tipoCob: oneOf('cob', 'cobv') }, { required: ['tipoCob'] });
export const checkRefundBody: Check = shape(
  { valor: positiveAmount, natureza: oneOf('ORIGINAL', 'RETIRADA'), descricao: text({ max: 140 }) },
  { required: ['valor'] },
);
export const checkWebhookBody: Check = shape({ webhookUrl: anything }, { required: ['webhookUrl'] });
