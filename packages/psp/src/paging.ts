// Lists by time: inicio, fim, filters and pages, as the norm has them.

import { type Violation, violation } from './checks.ts';
import type { Core } from './core.ts';
import { parseMoment } from './moments.ts';
import { ApiRefusal, type KindName } from './problem.ts';
import type { Profile } from './profiles.ts';

const DEFAULT_ITEMS = 100;
const MAX_ITEMS = 1000;
const MAX_PAGE = 2_147_483_647;

type ListQuery = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly page: number;
  readonly items: number;
  /** The parameters, to be repeated in the answer. */
  readonly parameters: Readonly<Record<string, unknown>>;
};

type Filter = 'text' | 'boolean' | 'cpf' | 'cnpj';

type ListShape = {
  readonly refusal: KindName;
  readonly filters: Readonly<Record<string, Filter>>;
  /** GET /webhook has times that may be absent. */
  readonly timesOptional?: boolean;
};

const PAGE = 'paginacao.paginaAtual';
const ITEMS = 'paginacao.itensPorPagina';

const GRAMMAR: Readonly<Record<Profile['queryDates'], RegExp>> = {
  rfc3339: /^/,
  utc: /Z$/,
  'no-milliseconds': /T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/,
};

const FORMS: Readonly<Record<Filter, RegExp>> = {
  text: /^.{1,100}$/,
  boolean: /^(?:true|false)$/,
  cpf: /^\d{11}$/,
  cnpj: /^[0-9A-Z]{14}$/,
};

/** Refuses as the norm does: wrong forms, fim before inicio or in the future, cpf with cnpj, missing parameters. */
export function readListQuery(core: Core, query: URLSearchParams, shape: ListShape): ListQuery {
  const found: Violation[] = [];
  const wrong = (name: string, why: string) => found.push(violation(name, why, query.get(name) ?? undefined));
  const known = new Set(['inicio', 'fim', PAGE, ITEMS, ...Object.keys(shape.filters), ...core.profile.query]);
  for (const name of new Set(query.keys())) {
    if (!known.has(name)) wrong(name, `O parâmetro ${name} não existe.`);
    if (query.getAll(name).length > 1) wrong(name, `O parâmetro ${name} vem mais de uma vez.`);
  }
  const moment = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null) {
      if (!shape.timesOptional) wrong(name, `O parâmetro ${name} é obrigatório.`);
      return undefined;
    }
    const read = GRAMMAR[core.profile.queryDates].test(text) ? parseMoment(text) : undefined;
    if (!read) wrong(name, `O parâmetro ${name} não respeita o schema.`);
    return read?.getTime();
  };
  const whole = (name: string, otherwise: number, min: number, max: number): number => {
    const text = query.get(name);
    if (text === null) return otherwise;
    const number = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) wrong(name, `O parâmetro ${name} não respeita o schema.`);
    return number;
  };
  const nowMs = core.now().getTime();
  const fromMs = moment('inicio') ?? 0;
  const toMs = moment('fim') ?? nowMs;
  if (toMs < fromMs) wrong('fim', 'O parâmetro fim é anterior ao parâmetro inicio.');
  if (toMs > nowMs + CLOCK_TOLERANCE_MS) wrong('fim', 'O parâmetro fim está no futuro.');
  if (query.has('cpf') && query.has('cnpj')) wrong('cpf', 'Os parâmetros cpf e cnpj não podem vir juntos.');
  const parameters: Record<string, unknown> = {};
  for (const [name, filter] of Object.entries(shape.filters)) {
    const text = query.get(name);
    if (text === null) continue;
    if (!FORMS[filter].test(text)) wrong(name, `O parâmetro ${name} não respeita o schema.`);
    parameters[name] = filter === 'boolean' ? text === 'true' : text;
  }
  const page = whole(PAGE, 0, 0, MAX_PAGE);
  const items = whole(ITEMS, DEFAULT_ITEMS, 1, MAX_ITEMS);
  if (found.length > 0) throw new ApiRefusal(shape.refusal, found);
  const times = { inicio: new Date(fromMs).toISOString(), fim: new Date(toMs).toISOString() };
  return { fromMs, toMs, page, items, parameters: { ...times, ...parameters } };
}

/** Clocks of two machines differ a little. */
const CLOCK_TOLERANCE_MS = 1000;

type Page<T> = { readonly shown: readonly T[]; readonly parametros: object };

export function pageOf<T>(all: readonly T[], { page, items, parameters }: ListQuery): Page<T> {
  return {
    shown: all.slice(page * items, (page + 1) * items),
    parametros: {
      ...parameters,
      paginacao: {
        paginaAtual: page,
        itensPorPagina: items,
        quantidadeDePaginas: Math.max(1, Math.ceil(all.length / items)),
        quantidadeTotalDeItens: all.length,
      },
    },
  };
}
