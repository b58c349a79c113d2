// Issues, looks up and cancels boletos at Inter. The bank accepts a request, gives it a code and registers it later; a request whose code
// was lost with the answer is found by our own number.
import { addDays, civilDay } from '../../../lib/civil-days.ts';
import type { Client } from '../../bank-client/client.ts';
import { idAt, listAt, reasonOf } from '../../bank-client/read-answer.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import type {
  CancelOutcome,
  Finding,
  KnownAtBank,
  Location,
  Outcome,
  PaymentRequest,
  RepeatsOutcome,
} from '../../rail.ts';
import { isAbsent, isJudged, noAnswer } from '../answers.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { cobrancaBody } from './body.ts';
import { asOutcome, codeIn, endOf, findingOf, isOver, isSameRequest } from './situation.ts';

const CANCEL_REASON = 'Cancelado pelo beneficiario';
const PAGE_SIZE = 100;

/** A sent request may not be in the list yet: for this long it does not count as absent. */
const SHOWN_AFTER_MS = 2 * 60_000;

type Cobrancas = {
  submit(request: PaymentRequest, reference: string): Promise<Outcome>;
  lookup(request: PaymentRequest, reference: string, location?: Location, known?: KnownAtBank): Promise<Finding>;
  cancel(request: PaymentRequest, reference: string, known?: KnownAtBank): Promise<CancelOutcome>;
  withdrawRepeats(request: PaymentRequest, reference: string, keptBankId?: string): Promise<RepeatsOutcome>;
};

type Nothing = Extract<Finding, { readonly kind: 'absent' | 'unknown' | 'unavailable' }>;
/** A request as the bank shows it, or the outcome of another answer. */
type Read = { readonly body: unknown } | Nothing;

export function interCobrancas(
  settings: BoletoApiSettings,
  { call }: Client<BoletoResource>,
  { clock }: ClientDeps,
): Cobrancas {
  async function readByCode(code: string): Promise<Read> {
    const answer = await call({ method: 'GET', resource: 'boletos', path: [code] });
    if (isAbsent(answer)) return { kind: 'absent' };
    if (answer.kind !== 'ok') return noAnswer(answer);
    return answer.body === undefined ? { kind: 'unknown' } : { body: answer.body };
  }

  /**
   * Every copy that the bank has of a request: more than one when it was sent twice. They were issued on the day of the charge or later.
   */
  async function listByNumber(
    request: PaymentRequest,
    reference: string,
  ): Promise<{ readonly own: readonly unknown[] } | Exclude<Nothing, { readonly kind: 'absent' }>> {
    const query = {
      dataInicial: addDays(civilDay(request.createdAt), -1),
      dataFinal: civilDay(clock.now()),
      filtrarDataPor: 'EMISSAO',
      seuNumero: reference,
      'paginacao.paginaAtual': '0',
      'paginacao.itensPorPagina': String(PAGE_SIZE),
    };
    const answer = await call({ method: 'GET', resource: 'boletos', query });
    if (isAbsent(answer)) return { own: [] };
    if (answer.kind !== 'ok') return noAnswer(answer);
    if (answer.body === undefined) return { kind: 'unknown' };
    return { own: listAt(answer.body, 'cobrancas').filter(one => isSameRequest(one, request, reference)) };
  }

  async function readByNumber(request: PaymentRequest, reference: string): Promise<Read> {
    const listed = await listByNumber(request, reference);
    if (!('own' in listed)) return listed;
    const body = listed.own.find(one => !isOver(one)) ?? listed.own[0];
    return body === undefined ? { kind: 'absent' } : { body };
  }

  const isShownByNow = ({ createdAt }: PaymentRequest, { sentAt = createdAt }: KnownAtBank) =>
    clock.now().getTime() - sentAt.getTime() >= SHOWN_AFTER_MS;

  /** Cancels one copy that the bank shows, unless it has ended. */
  async function end(body: unknown): Promise<CancelOutcome> {
    const ended = endOf(body);
    const code = codeIn(body);
    if (ended || code === undefined) return ended ?? { kind: 'unavailable' };
    const answer = await call({
      method: 'POST',
      resource: 'boletos',
      path: [code, 'cancelar'],
      body: { motivoCancelamento: CANCEL_REASON },
    });
    if (answer.kind !== 'ok' && answer.kind !== 'refused') return noAnswer(answer);
    // The bank may only have queued it.
    const after = await readByCode(code);
    return ('body' in after ? endOf(after.body) : undefined) ?? { kind: 'accepted' };
  }

  async function endEach(bodies: readonly unknown[]): Promise<CancelOutcome[]> {
    const outcomes: CancelOutcome[] = [];
    for (const body of bodies) outcomes.push(await end(body));
    return outcomes;
  }

  return {
    submit: async (request, reference) => {
      const body = cobrancaBody(settings, request, reference);
      const answer = await call({ method: 'POST', resource: 'boletos', body });
      if (isJudged(answer)) {
        // A repeat may be refused although the first was accepted.
        const found = await readByNumber(request, reference);
        if ('body' in found) return asOutcome(findingOf(found.body));
        return found.kind === 'absent' ? { kind: 'rejected', reason: reasonOf(answer) } : { kind: 'unknown' };
      }
      if (answer.kind !== 'ok') return noAnswer(answer);
      const bankId = idAt(answer.body, 'codigoSolicitacao');
      return bankId === undefined ? { kind: 'unknown' } : { kind: 'accepted', bankId };
    },
    lookup: async (request, reference, _location, known = {}) => {
      const { bankId } = known;
      const found = await (bankId === undefined ? readByNumber(request, reference) : readByCode(bankId));
      if ('body' in found) return findingOf(found.body);
      // The bank has given the code, so it has the request, though it may not show it yet.
      const isUnsure = bankId !== undefined || !isShownByNow(request, known);
      return found.kind === 'absent' && isUnsure ? { kind: 'unknown' } : found;
    },
    cancel: async (request, reference, known = {}) => {
      const { bankId } = known;
      // The copy given to the payer: it is ended even while the list does not answer.
      const named = bankId === undefined ? undefined : await readByCode(bankId);
      const outcome = named && ('body' in named ? await end(named.body) : nothingYet(named));
      const listed = await listByNumber(request, reference);
      if (!('own' in listed)) return outcome && isUndecided(outcome) ? outcome : listed;
      const others = listed.own.filter(one => bankId === undefined || codeIn(one) !== bankId);
      if (outcome === undefined && others.length === 0) {
        return isShownByNow(request, known) ? { kind: 'too_late' } : { kind: 'unknown' };
      }
      return together([...(outcome ? [outcome] : []), ...(await endEach(others))]);
    },
    withdrawRepeats: async (request, reference, keptBankId) => {
      const listed = await listByNumber(request, reference);
      if (!('own' in listed)) return listed;
      const repeats = listed.own.filter(one => codeIn(one) !== keptBankId && !endOf(one));
      return repeats.length === 0 ? { kind: 'none' } : together(await endEach(repeats));
    },
  };
}

function isUndecided({ kind }: CancelOutcome): boolean {
  return kind !== 'withdrawn' && kind !== 'too_late';
}

/** Of several answers, an open one means that the caller must ask again. */
function together(outcomes: readonly CancelOutcome[]): CancelOutcome {
  return outcomes.find(isUndecided) ?? outcomes.find(({ kind }) => kind === 'too_late') ?? { kind: 'withdrawn' };
}

/** The bank has given the code, so it has the request, though it may not show it yet. */
function nothingYet(found: Nothing): CancelOutcome {
  return found.kind === 'absent' ? { kind: 'unknown' } : found;
}
