// Issues, looks up and cancels boletos at Inter. The bank takes a request, gives it a code and registers it later; by our own number a
// request is found whose code was lost with the answer.
import { addDays, civilDay } from '../../../lib/civil-days.ts';
import type { Answer } from '../../bank-client/classify.ts';
import type { Client } from '../../bank-client/client.ts';
import { idAt, listAt, reasonOf } from '../../bank-client/read-answer.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import type { CancelOutcome, Finding, Location, Outcome, PaymentRequest } from '../../rail.ts';
import { isAbsent, isJudged, noAnswer } from '../answers.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { cobrancaBody } from './body.ts';
import { asOutcome, endOf, findingOf, isOver, isSameRequest } from './situation.ts';

const CANCEL_REASON = 'Cancelado pelo beneficiario';
const PAGE_SIZE = 100;

export type Cobrancas = {
  submit(request: PaymentRequest, reference: string): Promise<Outcome>;
  lookup(request: PaymentRequest, reference: string, location?: Location, bankId?: string): Promise<Finding>;
  cancel(request: PaymentRequest, reference: string, bankId?: string): Promise<CancelOutcome>;
};

type Nothing = Extract<Finding, { readonly kind: 'absent' | 'unknown' | 'unavailable' }>;
/** A request as the bank shows it, or what its answer says instead. */
type Read = { readonly body: unknown } | Nothing;

export function interCobrancas(
  settings: BoletoApiSettings,
  { call }: Client<BoletoResource>,
  { clock, log }: ClientDeps,
): Cobrancas {
  async function readByCode(code: string): Promise<Read> {
    const answer = await call({ method: 'GET', resource: 'boletos', path: [code] });
    return readOf(answer, body => body);
  }

  /** It was issued on the day of the charge or later. */
  async function readByNumber(request: PaymentRequest, reference: string): Promise<Read> {
    const query = {
      dataInicial: addDays(civilDay(request.createdAt), -1),
      dataFinal: civilDay(clock.now()),
      filtrarDataPor: 'EMISSAO',
      seuNumero: reference,
      'paginacao.paginaAtual': '0',
      'paginacao.itensPorPagina': String(PAGE_SIZE),
    };
    const answer = await call({ method: 'GET', resource: 'boletos', query });
    return readOf(answer, body => {
      const own = listAt(body, 'cobrancas').filter(one => isSameRequest(one, request, reference));
      const open = own.filter(one => !isOver(one));
      if (open.length > 1) {
        log.error('the bank has two boletos of one charge: cancel one of them there', { rail: settings.name });
      }
      return open[0] ?? own[0];
    });
  }

  const read = (request: PaymentRequest, reference: string, bankId: string | undefined) =>
    bankId === undefined ? readByNumber(request, reference) : readByCode(bankId);

  return {
    submit: async (request, reference) => {
      const body = cobrancaBody(settings, request, reference);
      const answer = await call({ method: 'POST', resource: 'boletos', body });
      if (isJudged(answer)) {
        // A repeat may be refused although the first was taken.
        const found = await readByNumber(request, reference);
        if ('body' in found) return asOutcome(findingOf(found.body));
        return found.kind === 'absent' ? { kind: 'rejected', reason: reasonOf(answer) } : { kind: 'unknown' };
      }
      if (answer.kind !== 'ok') return noAnswer(answer);
      const bankId = idAt(answer.body, 'codigoSolicitacao');
      return bankId === undefined ? { kind: 'unknown' } : { kind: 'accepted', bankId };
    },
    lookup: async (request, reference, _location, bankId) => {
      const found = await read(request, reference, bankId);
      if ('body' in found) return findingOf(found.body);
      // The bank has given the code, so it has the request, though it may not show it yet.
      return found.kind === 'absent' && bankId !== undefined ? { kind: 'unknown' } : found;
    },
    cancel: async (request, reference, bankId) => {
      const before = await read(request, reference, bankId);
      if (!('body' in before)) return before.kind === 'absent' ? { kind: 'too_late' } : before;
      const ended = endOf(before.body);
      const code = bankId ?? idAt(before.body, 'cobranca.codigoSolicitacao');
      if (ended || code === undefined) return ended ?? { kind: 'unavailable' };
      const answer = await call({
        method: 'POST',
        resource: 'boletos',
        path: [code, 'cancelar'],
        body: { motivoCancelamento: CANCEL_REASON },
      });
      if (answer.kind !== 'ok' && answer.kind !== 'refused') return noAnswer(answer);
      // The bank may only have noted it.
      const after = await readByCode(code);
      return ('body' in after ? endOf(after.body) : undefined) ?? { kind: 'accepted' };
    },
  };
}

function readOf(answer: Answer, find: (body: unknown) => unknown): Read {
  if (isAbsent(answer)) return { kind: 'absent' };
  if (answer.kind !== 'ok') return noAnswer(answer);
  if (answer.body === undefined) return { kind: 'unknown' };
  const body = find(answer.body);
  return body === undefined ? { kind: 'absent' } : { body };
}
