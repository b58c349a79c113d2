// Learns of payments at Inter: from its list by days, and from single boletos that it reports.
import { type CivilDay, civilDay, lastSecondOf } from '../../../lib/civil-days.ts';
import { earlierOf } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Client } from '../../bank-client/client.ts';
import { centsAt, idAt, listAt, textAt } from '../../bank-client/read-answer.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import { unanswered } from '../../bank-client/unanswered.ts';
import type { Receipt, ReceiptsByTime } from '../../rail.ts';
import { isAbsent } from '../answers.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 100_000;
const MAX_ITEMS = 1_000;
const CODE = /^[\w-]{1,100}$/;
const NUMBER = /^\d{1,15}$/;
const PAID = 'RECEBIDO';

export function interWatch(
  { name }: BoletoApiSettings,
  { call }: Client<BoletoResource>,
  { clock, log }: ClientDeps,
): ReceiptsByTime {
  return {
    by: 'time',
    receipts: async (from, to, cursor) => {
      const page = Number(cursor ?? '0');
      const query = {
        dataInicial: civilDay(from),
        dataFinal: civilDay(earlierOf(to, clock.now())),
        filtrarDataPor: 'PAGAMENTO',
        situacao: PAID,
        'paginacao.paginaAtual': String(page),
        'paginacao.itensPorPagina': String(PAGE_SIZE),
      };
      const answer = await call({ method: 'GET', resource: 'boletos', query });
      if (answer.kind !== 'ok') throw unanswered(answer);
      if (answer.body === undefined) throw new AppError('rail_unavailable', 'The bank gave no list of payments.');
      const list = listAt(answer.body, 'cobrancas');
      const paid = list.filter(isPaid);
      const receipts = paid.flatMap(one => readReceipt(one, clock.now()) ?? []);
      const unreadable = paid.length - receipts.length;
      if (unreadable > 0) {
        const fields = { rail: name, count: unreadable };
        log.error('the bank lists payments that cannot be read; look for them at the bank', fields);
      }
      return { receipts, unreadable, ...(hasNext(answer.body, list.length, page) && { next: String(page + 1) }) };
    },
    receipt: async reference => {
      if (!CODE.test(reference)) return undefined;
      const answer = await call({ method: 'GET', resource: 'boletos', path: [reference] });
      if (isAbsent(answer) || (answer.kind === 'refused' && [400, 422].includes(answer.status))) return undefined;
      if (answer.kind !== 'ok') throw unanswered(answer);
      if (!isPaid(answer.body)) return undefined;
      const receipt = readReceipt(answer.body, clock.now());
      if (receipt) return receipt.reference === reference ? receipt : undefined;
      throw new AppError('rail_unavailable', 'The bank answered with a payment that cannot be read.');
    },
    hints: body => idsIn(body, 'codigoSolicitacao', CODE, true),
    decided: body => idsIn(body, 'seuNumero', NUMBER, false),
  };
}

const isPaid = (body: unknown) => textAt(body, 'cobranca.situacao')?.toUpperCase() === PAID;

/** A boleto is paid once at this bank; its code is the id of its payment. */
function readReceipt(body: unknown, now: Date): Receipt | undefined {
  const reference = idAt(body, 'cobranca.codigoSolicitacao');
  const amountCents = centsAt(body, 'cobranca.valorTotalRecebido');
  const day = dayIn(textAt(body, 'cobranca.dataSituacao'));
  const number = idAt(body, 'cobranca.seuNumero');
  const nominalCents = centsAt(body, 'cobranca.valorNominal');
  const dueDay = dayIn(textAt(body, 'cobranca.dataVencimento'));
  if (reference === undefined || amountCents === undefined || amountCents < 1n || day === undefined) return undefined;
  return {
    reference,
    ...(number !== undefined && { requestReference: number }),
    // Anyone who makes a boleto on the bank's own site chooses its «seu número».
    paidRequest: {
      bankId: reference,
      ...(nominalCents !== undefined && { amountCents: nominalCents }),
      ...(dueDay !== undefined && { dueDay }),
    },
    ...(textAt(body, 'cobranca.origemRecebimento')?.toUpperCase() === 'PIX' && { isByPix: true }),
    amountCents,
    // The bank reports the day without a time.
    paidAt: earlierOf(lastSecondOf(day), now),
    returns: [],
  };
}

function dayIn(text: string | undefined): CivilDay | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text ?? '') ?? [];
  return day !== undefined && !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) ? day : undefined;
}

/** As the bank says; where it does not, a full page may be followed by another. */
function hasNext(body: unknown, length: number, page: number): boolean {
  if (page + 1 >= MAX_PAGES || length === 0) return false;
  const pages = Number(textAt(body, 'totalPaginas'));
  return Number.isInteger(pages) && pages > 0 ? page + 1 < pages : length >= PAGE_SIZE;
}

/** Anybody may have sent it: only ids are read from it, to ask the bank about them. */
function idsIn(body: unknown, field: string, form: RegExp, isAboutPayments: boolean): readonly string[] {
  const items = (Array.isArray(body) ? body : [body]).slice(0, MAX_ITEMS);
  const ids = items
    .filter(item => (textAt(item, 'situacao')?.toUpperCase() === PAID) === isAboutPayments)
    .flatMap(item => textAt(item, field) ?? []);
  return [...new Set(ids.filter(id => form.test(id)))];
}
