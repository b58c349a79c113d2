// Recurrences, requests in the payer's bank and collections in the form of the norm.
import { exactNumber } from '../../../lib/decimals.ts';
import type { AskPayer, CollectionRequest, RecurrencePeriod, RecurrenceRequest } from '../../automatic.ts';
import { cut, documentField, reaisText } from '../charge-body.ts';
import type { AutomaticSettings } from '../settings.ts';

const PERIOD: Readonly<Record<RecurrencePeriod, string>> = {
  WEEKLY: 'SEMANAL',
  MONTHLY: 'MENSAL',
  QUARTERLY: 'TRIMESTRAL',
  SEMIANNUAL: 'SEMESTRAL',
  YEARLY: 'ANUAL',
};

const MAX_NAME = 140;
const MAX_OBJECT = 35;
const MAX_INFO = 140;

export function recurrenceBody(request: RecurrenceRequest): object {
  const { contract, description, payer, firstDay, lastDay, period, allowsRetries, locationId, chargeReference } =
    request;
  const valor = amountPart(request);
  return {
    vinculo: {
      contrato: contract,
      devedor: { ...documentField(payer.document), nome: cut(payer.name, MAX_NAME) },
      ...(description && { objeto: cut(description, MAX_OBJECT) }),
    },
    calendario: {
      dataInicial: firstDay,
      ...(lastDay !== undefined && { dataFinal: lastDay }),
      periodicidade: PERIOD[period],
    },
    ...(valor && { valor }),
    politicaRetentativa: allowsRetries ? 'PERMITE_3R_7D' : 'NAO_PERMITE',
    ...(locationId !== undefined && { loc: exactNumber(locationId) }),
    ...(chargeReference !== undefined && { ativacao: { dadosJornada: { txid: chargeReference } } }),
  };
}

/** The norm has one of both, or none. */
function amountPart({ amountCents, minimumCents }: RecurrenceRequest): object | undefined {
  if (amountCents !== undefined) return { valorRec: reaisText(amountCents) };
  return minimumCents === undefined ? undefined : { valorMinimoRecebedor: reaisText(minimumCents) };
}

export function askPayerBody({ recurrenceId, expiresAt, document, ispb, branch, account }: AskPayer): object {
  return {
    idRec: recurrenceId,
    calendario: { dataExpiracaoSolicitacao: expiresAt.toISOString() },
    destinatario: {
      ...documentField(document),
      ispbParticipante: ispb,
      ...(branch !== undefined && { agencia: branch }),
      conta: account,
    },
  };
}

/** Its settlement follows the holidays of the payer's municipality, which only the PSPs know. */
export function collectionBody(request: CollectionRequest, settings: AutomaticSettings): object {
  const { recurrenceId, dueDay, amountCents, description } = request;
  const { account, accountType, branch } = settings;
  return {
    idRec: recurrenceId,
    ...(description && { infoAdicional: cut(description, MAX_INFO) }),
    calendario: { dataDeVencimento: dueDay },
    valor: { original: reaisText(amountCents) },
    ajusteDiaUtil: true,
    recebedor: { ...(branch !== undefined && { agencia: branch }), conta: account, tipoConta: accountType },
  };
}
