// Changes the due day of a boleto at Inter. The bank accepts an edit, gives it a code and executes it later; the number of days until the
// last payable day stays. Its copy of the boleto shows whether the day has changed, but may be half an hour behind.
import type { Client } from '../../bank-client/client.ts';
import { idAt, readableAt, reasonOf, textAt } from '../../bank-client/read-answer.ts';
import type { DueDayCalls, DueDayChange, DueDayFinding } from '../../rail.ts';
import { isAbsent, isJudged, noAnswer } from '../answers.ts';
import { instrumentIn } from '../instrument.ts';
import type { BoletoResource } from '../profile.ts';
import { dueDayIn, endOf, PATHS, situationIn } from './situation.ts';

/** «Até 30 minutos», with a margin. */
const SHOWN_AFTER_MS = 35 * 60_000;

type Changed = Extract<DueDayFinding, { readonly kind: 'changed' }>;

export function interDueDays({ call }: Client<BoletoResource>): DueDayCalls {
  async function read(code: string) {
    const answer = await call({ method: 'GET', resource: 'boletos', path: [code] });
    if (isAbsent(answer)) return { kind: 'unknown' } as const;
    if (answer.kind !== 'ok') return noAnswer(answer);
    return answer.body === undefined ? ({ kind: 'unknown' } as const) : { body: answer.body };
  }

  /** `PROCESSANDO`, `SUCESSO` or `FALHA`; undefined where the bank does not say. */
  async function statusOf(edit: string): Promise<string | undefined> {
    const answer = await call({ method: 'GET', resource: 'boletos', path: ['edicao', edit] });
    return answer.kind === 'ok' ? textAt(answer.body, 'status')?.toUpperCase() : undefined;
  }

  return {
    shownAfterMs: SHOWN_AFTER_MS,
    look: async ({ wanted, bankId, code }: DueDayChange) => {
      if (bankId === undefined) return { kind: 'unavailable' };
      const found = await read(bankId);
      if (!('body' in found)) return found;
      const { body } = found;
      const end = endOf(body);
      const isPaid = end?.kind === 'too_late';
      if (dueDayIn(body) === wanted.dueDay && (!end || isPaid)) return changedIn(body);
      const status = code === undefined ? undefined : await statusOf(code);
      if (status === FAILED) return { kind: 'rejected', reason: NOT_DONE };
      // The bank's copy of a boleto that was paid meanwhile may be behind.
      if (isPaid && status === DONE) return { kind: 'changed' };
      if (end) return { kind: 'rejected', reason: `The boleto is ${situationIn(body)} at the bank.` };
      return code === undefined ? { kind: 'unchanged' } : { kind: 'accepted' };
    },
    ask: async ({ wanted, bankId }: DueDayChange) => {
      if (bankId === undefined) return { kind: 'unavailable' };
      const body = { dataVencimento: wanted.dueDay };
      const answer = await call({ method: 'PATCH', resource: 'boletos', path: [bankId], body });
      if (isJudged(answer)) {
        // A repeat may be refused although the first was executed.
        const found = await read(bankId);
        if (!('body' in found)) return found;
        return dueDayIn(found.body) === wanted.dueDay
          ? changedIn(found.body)
          : { kind: 'rejected', reason: reasonOf(answer) };
      }
      if (answer.kind !== 'ok') return noAnswer(answer);
      if (textAt(answer.body, 'status')?.toUpperCase() === FAILED) {
        return { kind: 'rejected', reason: readableAt(answer.body, 'mensagem') ?? NOT_DONE };
      }
      const code = idAt(answer.body, 'codigoEdicao');
      return { kind: 'accepted', ...(code !== undefined && { code }) };
    },
  };
}

const DONE = 'SUCESSO';
const FAILED = 'FALHA';
const NOT_DONE = 'FALHA: the bank has not changed the due day, and gives no reason.';

function changedIn(body: unknown): Changed {
  const instrument = instrumentIn(body, PATHS);
  return { kind: 'changed', ...(instrument && { instrument }) };
}
