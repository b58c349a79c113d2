// Changes the due day of a boleto at Sicoob. Each request changes one object of a boleto, and last payable day, fine and interest have
// their own dates: all of them are moved, in an order that keeps the boleto valid after each step.
import type { CivilDay } from '../../../lib/civil-days.ts';
import type { Answer } from '../../bank-client/classify.ts';
import type { Client } from '../../bank-client/client.ts';
import { reasonOf, textAt } from '../../bank-client/read-answer.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import type { DueDayCalls, DueDayChange, DueDayFinding, PaymentRequest } from '../../rail.ts';
import { isAbsent, isJudged, noAnswer } from '../answers.ts';
import { instrumentIn } from '../instrument.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { lastDayOf, lateFees } from './body.ts';
import { isOther, OTHER, PATHS, readBoleto, situationIn } from './boletos.ts';
import { agreementFields, apiNumber } from './number.ts';

type Unsettled = Exclude<DueDayFinding, { readonly kind: 'changed' | 'unchanged' }>;
/** An object of the boleto to change, and the day that shows whether it was changed. */
type Part = { readonly path: string; readonly day: CivilDay; readonly body: object };

/** The bank's answer to a request that changes nothing. */
const NOTHING_CHANGED = /ao menos um campo deve ser alterado/i;
const ENDS: Readonly<Record<string, string>> = { baixado: 'written off', liquidado: 'paid' };

export function sicoobDueDays(
  settings: BoletoApiSettings,
  { call }: Client<BoletoResource>,
  { log }: ClientDeps,
): DueDayCalls {
  const { account, name, contractNumber } = settings;
  const agreement = {
    ...agreementFields(account),
    ...(contractNumber !== undefined && { numeroContratoCobranca: Number(contractNumber) }),
  };

  /** The boleto as the bank shows it, or the outcome of another answer. */
  async function read({ wanted, present, reference }: DueDayChange): Promise<{ readonly body: unknown } | Unsettled> {
    const answer = await readBoleto(settings, call, reference);
    if (isAbsent(answer)) return { kind: 'unknown' };
    if (answer.kind !== 'ok') return noAnswer(answer);
    if (answer.body === undefined) return { kind: 'unknown' };
    const either = { ...present, askedDueDay: wanted.dueDay };
    return isOther(answer.body, either, reference) ? { kind: 'rejected', reason: OTHER } : { body: answer.body };
  }

  function change(reference: string, body: object): Promise<Answer> {
    const path = [String(apiNumber(account, reference))];
    return call({ method: 'PATCH', resource: 'boletos', path, body: { ...agreement, ...body } });
  }

  /** Changes what differs from a request. Undefined when the bank has accepted everything. */
  async function converge(body: unknown, reference: string, target: PaymentRequest): Promise<Unsettled | undefined> {
    for (const part of partsToChange(body, target)) {
      const answer = await change(reference, part.body);
      if (answer.kind === 'ok') continue;
      if (!isJudged(answer)) return noAnswer(answer);
      const reason = reasonOf(answer);
      if (!NOTHING_CHANGED.test(reason)) return { kind: 'rejected', reason };
    }
    return undefined;
  }

  return {
    shownAfterMs: 0,
    look: async asked => {
      const found = await read(asked);
      if (!('body' in found)) return found;
      const { body } = found;
      const end = ENDS[situationIn(body) ?? ''];
      const isDue = dayAt(body, DUE) === asked.wanted.dueDay;
      if (end === ENDS['liquidado'] && isDue) return { kind: 'changed' };
      if (end !== undefined) return { kind: 'rejected', reason: `The boleto is ${end} at the bank.` };
      return isDue && partsToChange(body, asked.wanted).every(part => dayAt(body, part.path) === undefined)
        ? changed(body)
        : { kind: 'unchanged' };
    },
    ask: async asked => {
      const { reference, wanted, present } = asked;
      const before = await read(asked);
      if (!('body' in before)) return before;
      const refusal = await converge(before.body, reference, wanted);
      if (refusal && refusal.kind !== 'rejected') return refusal;
      const after = await read(asked);
      if (!('body' in after)) return after.kind === 'rejected' ? after : { kind: 'unknown' };
      if (!refusal) return dayAt(after.body, DUE) === wanted.dueDay ? changed(after.body) : { kind: 'accepted' };
      // A part may have been accepted before another was refused: the boleto is unchanged, or the outcome is open.
      const undone = await converge(after.body, reference, present);
      if (undone && undone.kind !== 'rejected') return undone;
      const left = await read(asked);
      if (!('body' in left)) return { kind: 'unknown' };
      if (undone) {
        const message =
          'the bank accepted only a part of a change of the due day; check last day, fine and interest there';
        log.error(message, { rail: name, reason: undone.reason });
      }
      return dayAt(left.body, DUE) === wanted.dueDay ? changed(left.body) : refusal;
    },
  };
}

const DUE = 'resultado.dataVencimento';
const LAST = 'resultado.dataLimitePagamento';

function changed(body: unknown): DueDayFinding & { readonly kind: 'changed' } {
  const instrument = instrumentIn(body, PATHS);
  return { kind: 'changed', ...(instrument && { instrument }) };
}

const dayAt = (body: unknown, path: string) => textAt(body, path)?.slice(0, 10);

/**
 * What differs, in the order of the requests. A later due day is sent last, after the last payable day and the first days of fine and
 * interest have moved beyond it; an earlier one is sent first.
 */
function partsToChange(body: unknown, target: PaymentRequest): Part[] {
  const { dueDay } = target;
  const lastDay = lastDayOf(target);
  const due: Part = { path: DUE, day: dueDay, body: { prorrogacaoVencimento: { dataVencimento: dueDay } } };
  const last: Part = {
    path: LAST,
    day: lastDay,
    body: { prorrogacaoLimitePagamento: { dataLimitePagamento: lastDay } },
  };
  const [shownDue = dueDay, shownLast = lastDay] = [dayAt(body, DUE), dayAt(body, LAST)];
  const isLater = dueDay === shownDue ? lastDay >= shownLast : dueDay > shownDue;
  const fees = feeParts(target, lastDay);
  return (isLater ? [last, ...fees, due] : [due, ...fees, last]).filter(({ path, day }) => dayAt(body, path) !== day);
}

function feeParts(target: PaymentRequest, lastDay: CivilDay): Part[] {
  const { tipoMulta, dataMulta, valorMulta, tipoJurosMora, dataJurosMora, valorJurosMora } = lateFees(target, lastDay);
  const fine = { multa: { tipoMulta, dataMulta, valorMulta } };
  const interest = { jurosMora: { tipoJurosMora, dataJurosMora, valorJurosMora } };
  return [
    ...(dataMulta === undefined ? [] : [{ path: 'resultado.dataMulta', day: dataMulta, body: fine }]),
    ...(dataJurosMora === undefined ? [] : [{ path: 'resultado.dataJurosMora', day: dataJurosMora, body: interest }]),
  ];
}
