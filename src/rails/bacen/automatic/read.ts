// Reads recurrences, requests and collections as a PSP shows them. A state or a code that the norm does not know is kept as it is.

import type {
  Attempt,
  AttemptKind,
  AttemptStatus,
  Collection,
  CollectionStatus,
  Ending,
  PayerRequest,
  PayerRequestStatus,
  Reason,
  Recurrence,
  RecurrencePeriod,
  RecurrenceStatus,
} from '../../automatic.ts';
import { centsAt, idAt, listAt, readableAt, textAt } from '../../bank-client/read-answer.ts';
import { faultOfRecurrenceCode } from '../../br-code.ts';

type Meanings<Status extends string> = Readonly<Record<string, Status>>;

const RECURRENCE: Meanings<RecurrenceStatus> = {
  CRIADA: 'CREATED',
  APROVADA: 'APPROVED',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
};

const PAYER_REQUEST: Meanings<PayerRequestStatus> = {
  CRIADA: 'CREATED',
  ENVIADA: 'SENT',
  RECEBIDA: 'RECEIVED',
  REJEITADA: 'REJECTED',
  ACEITA: 'ACCEPTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
};

const COLLECTION: Meanings<CollectionStatus> = {
  CRIADA: 'CREATED',
  ATIVA: 'ACTIVE',
  CONCLUIDA: 'COMPLETED',
  EXPIRADA: 'EXPIRED',
  REJEITADA: 'REJECTED',
  CANCELADA: 'CANCELED',
};

const ATTEMPT: Meanings<AttemptStatus> = {
  SOLICITADA: 'REQUESTED',
  AGENDADA: 'SCHEDULED',
  PAGA: 'PAID',
  CANCELADA: 'CANCELED',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
};

const ATTEMPT_KIND: Meanings<AttemptKind> = { AGND: 'FIRST', NTAG: 'RETRY', RIFL: 'RESENT' };

const BY: Meanings<NonNullable<Ending['by']>> = {
  USUARIO_PAGADOR: 'PAYER',
  PSP_PAGADOR: 'PAYER_BANK',
  USUARIO_RECEBEDOR: 'RECEIVER',
  PSP_RECEBEDOR: 'RECEIVER_BANK',
};

const PERIOD: Meanings<RecurrencePeriod> = {
  SEMANAL: 'WEEKLY',
  MENSAL: 'MONTHLY',
  TRIMESTRAL: 'QUARTERLY',
  SEMESTRAL: 'SEMIANNUAL',
  ANUAL: 'YEARLY',
};

const JOURNEY: Readonly<Record<string, 1 | 2 | 3 | 4>> = { JORNADA_1: 1, JORNADA_2: 2, JORNADA_3: 3, JORNADA_4: 4 };

const MAX_ITEMS = 100;

/** Undefined when it has no id or no state. */
export function readRecurrence(body: unknown): Recurrence | undefined {
  const id = idAt(body, 'idRec');
  const state = stateAt(body, RECURRENCE);
  if (id === undefined || !state) return undefined;
  const contract = readableAt(body, 'vinculo.contrato');
  const firstDay = dayAt(body, 'calendario.dataInicial');
  const period = PERIOD[textAt(body, 'calendario.periodicidade')?.toUpperCase() ?? ''];
  const amountCents = centsAt(body, 'valor.valorRec');
  // One example of the norm has the journey in the other place.
  const kind = textAt(body, 'ativacao.tipoJornada') ?? textAt(body, 'ativacao.dadosJornada.tipoJornada') ?? '';
  const journey = JOURNEY[kind];
  const emv = textAt(body, 'dadosQR.pixCopiaECola');
  const location = readLocation(body, 'loc.');
  const ending = endingAt(body);
  return {
    id,
    ...state,
    ...(contract !== undefined && { contract }),
    ...(firstDay !== undefined && { firstDay }),
    ...(period && { period }),
    ...(amountCents !== undefined && { amountCents }),
    ...(journey && { journey }),
    ...(emv !== undefined && faultOfRecurrenceCode(emv) === undefined && { emv }),
    ...(location && { location }),
    ...(ending && { ending }),
    requests: items(body, 'solicitacao').flatMap(item => readPayerRequest(item) ?? []),
  };
}

export function readPayerRequest(body: unknown): PayerRequest | undefined {
  const id = idAt(body, 'idSolicRec');
  const state = stateAt(body, PAYER_REQUEST);
  return id === undefined || !state ? undefined : { id, ...state };
}

/** The id of the recurrence that has the location. */
export function recurrenceIdAt(location: unknown): string | undefined {
  return idAt(location, 'idRec');
}

/** Without the scheme, as a code has it. */
export function readLocation(body: unknown, prefix: '' | 'loc.' = '') {
  const [id, url] = [textAt(body, `${prefix}id`), textAt(body, `${prefix}location`)];
  if (id === undefined || !/^\d{1,19}$/.test(id) || url === undefined) return undefined;
  return { id, url: url.replace(/^https?:\/\//i, '') };
}

/** Undefined when it has no txid or no state. */
export function readCollection(body: unknown): Collection | undefined {
  const reference = idAt(body, 'txid');
  const state = stateAt(body, COLLECTION);
  if (reference === undefined || !state) return undefined;
  const recurrenceId = idAt(body, 'idRec');
  const amountCents = centsAt(body, 'valor.original');
  const dueDay = dayAt(body, 'calendario.dataDeVencimento');
  const ending = endingAt(body);
  const paid = items(body, 'pix').flatMap(pix => idAt(pix, 'endToEndId') ?? []);
  return {
    reference,
    ...state,
    ...(recurrenceId !== undefined && { recurrenceId }),
    ...(amountCents !== undefined && { amountCents }),
    ...(dueDay !== undefined && { dueDay }),
    ...(ending && { ending }),
    attempts: items(body, 'tentativas').map(readAttempt),
    paymentReferences: paid,
  };
}

function readAttempt(item: unknown): Attempt {
  const kind = ATTEMPT_KIND[textAt(item, 'tipo')?.toUpperCase() ?? ''];
  const day = dayAt(item, 'dataLiquidacao');
  const paymentReference = idAt(item, 'endToEndId');
  const refusal = reasonAt(item, 'rejeicao');
  return {
    ...(stateAt(item, ATTEMPT) ?? { pspStatus: '' }),
    ...(kind && { kind }),
    ...(day !== undefined && { day }),
    ...(paymentReference !== undefined && { paymentReference }),
    ...(refusal && { refusal }),
  };
}

/** Longer than any that the norm has. */
const MAX_STATE_LENGTH = 40;

function stateAt<Status extends string>(body: unknown, meanings: Meanings<Status>) {
  const text = readableAt(body, 'status')?.toUpperCase().slice(0, MAX_STATE_LENGTH);
  if (text === undefined) return undefined;
  const status = Object.hasOwn(meanings, text) ? meanings[text] : undefined;
  return { ...(status && { status }), pspStatus: text };
}

function endingAt(body: unknown): Ending | undefined {
  const canceled = reasonAt(body, 'encerramento.cancelamento');
  const by = BY[textAt(body, 'encerramento.cancelamento.solicitante')?.toUpperCase() ?? ''];
  return canceled || by ? { ...canceled, ...(by && { by }) } : reasonAt(body, 'encerramento.rejeicao');
}

function reasonAt(body: unknown, path: string): Reason | undefined {
  const [code, description] = [readableAt(body, `${path}.codigo`), readableAt(body, `${path}.descricao`)];
  if (code === undefined && description === undefined) return undefined;
  return { ...(code !== undefined && { code }), ...(description !== undefined && { description }) };
}

function dayAt(body: unknown, path: string): string | undefined {
  const text = textAt(body, path);
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined;
}

function items(body: unknown, path: string): readonly unknown[] {
  return listAt(body, path).slice(0, MAX_ITEMS);
}
