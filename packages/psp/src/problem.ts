// Refusals of the API: the norm's kinds with their status and text, written as the profile's PSP writes them.
import { AUTOMATIC_KINDS } from './automatic/problems.ts';
import type { Violation } from './checks.ts';
import type { Profile } from './profiles.ts';

type Kind = { readonly status: number; readonly title: string; readonly detail: string; readonly efi: string };

const invalid = (title: string, detail: string, efi = 'json_invalido'): Kind => ({ status: 400, title, detail, efi });
const unknown = (title: string, detail: string, efi: string): Kind => ({ status: 404, title, detail, efi });

const KINDS = {
  RequisicaoInvalida: invalid('Requisição inválida.', 'Requisição inválida.'),
  CobOperacaoInvalida: invalid('Cobrança inválida.', 'A cobrança imediata não respeita o schema ou a semântica.'),
  CobVOperacaoInvalida: invalid(
    'Cobrança inválida.',
    'A cobrança com vencimento não respeita o schema ou a semântica.',
  ),
  CobConsultaInvalida: invalid('Consulta inválida.', 'Os parâmetros da consulta não respeitam o schema.'),
  CobVConsultaInvalida: invalid('Consulta inválida.', 'Os parâmetros da consulta não respeitam o schema.'),
  PayloadLocationOperacaoInvalida: invalid('Location inválida.', 'A location não respeita o schema.'),
  PayloadLocationConsultaInvalida: invalid('Consulta inválida.', 'Os parâmetros da consulta não respeitam o schema.'),
  PixConsultaInvalida: invalid('Consulta inválida.', 'Os parâmetros da consulta não respeitam o schema.'),
  PixDevolucaoInvalida: invalid('Devolução inválida.', 'A devolução não respeita o schema ou a semântica.'),
  WebhookOperacaoInvalida: invalid(
    'Webhook inválido.',
    'O webhook não respeita o schema ou a semântica.',
    'webhook_invalido',
  ),
  WebhookConsultaInvalida: invalid('Consulta inválida.', 'Os parâmetros da consulta não respeitam o schema.'),
  CobPayloadOperacaoInvalida: invalid('Consulta inválida.', 'A cobrança existe, mas a requisição é inválida.'),
  TokenInvalido: {
    status: 401,
    title: 'Não autorizado',
    detail: 'O token está ausente, expirou ou não existe.',
    efi: 'invalid_token',
  },
  AcessoNegado: {
    status: 403,
    title: 'Acesso Negado',
    detail: 'Requisição de participante autenticado que viola alguma regra de autorização.',
    efi: 'insufficient_scope',
  },
  NaoEncontrado: unknown('Não Encontrado', 'Entidade não encontrada.', 'nao_encontrado'),
  CobNaoEncontrado: unknown(
    'Não Encontrado',
    'Cobrança não encontrada para o txid informado.',
    'cobranca_nao_encontrada',
  ),
  CobVNaoEncontrada: unknown(
    'Não Encontrado',
    'Cobrança não encontrada para o txid informado.',
    'cobranca_nao_encontrada',
  ),
  PayloadLocationNaoEncontrado: unknown(
    'Não Encontrado',
    'Location não encontrada para o id informado.',
    'location_nao_encontrada',
  ),
  PixNaoEncontrado: unknown('Não Encontrado', 'Pix não encontrado para o e2eid informado.', 'pix_nao_encontrado'),
  PixDevolucaoNaoEncontrada: unknown(
    'Não Encontrado',
    'Devolução não encontrada para o e2eid informado.',
    'devolucao_nao_encontrada',
  ),
  WebhookNaoEncontrado: unknown(
    'Não Encontrado',
    'O webhook da chave não está estabelecido.',
    'webhook_nao_encontrado',
  ),
  CobPayloadNaoEncontrado: unknown(
    'Não Encontrado',
    'A cobrança não foi encontrada para a location.',
    'cobranca_nao_encontrada',
  ),
  MetodoNaoPermitido: {
    status: 405,
    title: 'Método não permitido',
    detail: 'Este PSP não oferece a operação.',
    efi: 'metodo_nao_permitido',
  },
  TxidDuplicado: {
    status: 409,
    title: 'Conflito',
    detail: 'O txid já foi utilizado em outra cobrança.',
    efi: 'txid_duplicado',
  },
  PermanentementeRemovido: {
    status: 410,
    title: 'Removido',
    detail: 'A cobrança foi removida.',
    efi: 'cobranca_removida',
  },
  CorpoGrandeDemais: {
    status: 413,
    title: 'Corpo grande demais',
    detail: 'O corpo passa do limite.',
    efi: 'corpo_invalido',
  },
  MuitasRequisicoes: {
    status: 429,
    title: 'Muitas requisições',
    detail: 'O limite de requisições foi atingido.',
    efi: 'limite_de_requisicoes',
  },
  ErroInternoDoServidor: {
    status: 500,
    title: 'Erro interno',
    detail: 'Condição inesperada ao processar a requisição.',
    efi: 'erro_interno',
  },
  ServicoIndisponivel: {
    status: 503,
    title: 'Serviço indisponível',
    detail: 'O serviço não está disponível no momento.',
    efi: 'servico_indisponivel',
  },
  ...AUTOMATIC_KINDS,
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;

/** A refusal; the server answers with it. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly kind: KindName;
  readonly violations: readonly Violation[];
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: KindName,
    violations: readonly Violation[] = [],
    { status, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(kind);
    this.kind = kind;
    this.violations = violations;
    this.status = status ?? KINDS[kind].status;
    this.headers = headers;
  }
}

type WrittenRefusal = { readonly contentType: string; readonly body: object };

const TYPE_URL = 'https://pix.bcb.gov.br/api/v2/error/';

export function writeRefusal({ kind, violations, status }: ApiRefusal, shape: Profile['errors']): WrittenRefusal {
  const { title, detail, efi } = KINDS[kind];
  return WRITERS[shape]({ kind, violations, status, title, detail, efi });
}

type Refusal = Kind & { readonly kind: KindName; readonly violations: readonly Violation[] };

const JSON_TYPE = 'application/json; charset=utf-8';

const WRITERS: Readonly<Record<Profile['errors'], (refusal: Refusal) => WrittenRefusal>> = {
  problem: ({ kind, violations, status, title, detail }) => ({
    contentType: 'application/problem+json',
    body: {
      type: TYPE_URL + kind,
      title,
      status,
      detail,
      ...(violations.length > 0 && { violacoes: violations }),
    },
  }),
  efi: ({ violations, status, detail, efi }) => ({
    contentType: JSON_TYPE,
    body:
      status === 401 || status === 403
        ? { error: efi, error_description: detail }
        : {
            nome: efi,
            mensagem: violations[0]?.razao ?? detail,
            ...(violations.length > 0 && {
              erros: violations.map(({ razao, propriedade }) => ({
                chave: propriedade.split('.').at(-1),
                caminho: `.body.${propriedade}`,
                mensagem: razao,
              })),
            }),
          },
  }),
  bb: ({ violations, status, title, detail, kind }) => ({
    contentType: JSON_TYPE,
    body:
      status === 401 || status === 403
        ? { statusCode: status, error: title, message: detail }
        : {
            erros: (violations.length > 0 ? violations : [{ razao: detail }]).map(({ razao }, index) => ({
              codigo: `${kind}.${index + 1}`,
              versao: '1',
              mensagem: razao,
              ocorrencia: `OC${String(index + 1).padStart(6, '0')}`,
            })),
          },
  }),
};
