// The norm's refusals of Pix Automático. The names in Efí's own errors are invented by analogy with those for charges.

const invalid = (title: string, detail: string, efi = 'json_invalido') => ({ status: 400, title, detail, efi });
const unknown = (detail: string, efi: string) => ({ status: 404, title: 'Não Encontrado', detail, efi });
const badQuery = invalid('Consulta inválida.', 'Os parâmetros da consulta não respeitam o schema.');

export const AUTOMATIC_KINDS = {
  RecOperacaoInvalida: invalid('Operação inválida.', 'A recorrência não respeita o schema ou a semântica.'),
  RecConsultaInvalida: badQuery,
  RecNaoEncontrada: unknown('Recorrência não encontrada para o idRec informado.', 'recorrencia_nao_encontrada'),
  SolicRecOperacaoInvalida: invalid(
    'Operação inválida.',
    'A solicitação de confirmação de recorrência não respeita o schema ou a semântica.',
  ),
  SolicRecNaoEncontrada: unknown(
    'Solicitação de recorrência não encontrada para o idSolicRec informado.',
    'solicitacao_nao_encontrada',
  ),
  CobROperacaoInvalida: invalid('Operação inválida.', 'A cobrança recorrente não respeita o schema ou a semântica.'),
  CobRConsultaInvalida: badQuery,
  CobRNaoEncontrado: unknown('Cobrança não encontrada para o txid informado.', 'cobranca_nao_encontrada'),
  PayloadLocationRecConsultaInvalida: badQuery,
  PayloadLocationRecNaoEncontrado: unknown('Location não encontrada para o id informado.', 'location_nao_encontrada'),
  WebhookRecOperacaoInvalida: invalid(
    'Webhook inválido.',
    'O webhook não respeita o schema ou a semântica.',
    'webhook_invalido',
  ),
  WebhookCobROperacaoInvalida: invalid(
    'Webhook inválido.',
    'O webhook não respeita o schema ou a semântica.',
    'webhook_invalido',
  ),
  RecPayloadNaoEncontrado: unknown('A recorrência não foi encontrada para a location.', 'recorrencia_nao_encontrada'),
  RecPayloadOperacaoInvalida: invalid(
    'Consulta inválida.',
    'A recorrência encontra-se expirada, rejeitada ou cancelada.',
  ),
};
