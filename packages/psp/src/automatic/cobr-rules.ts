// The rules against a new charge of a recurrence, against canceling one, and against a retry.
import { isDay, type Violation, violation } from '../checks.ts';
import type { PspClient } from '../clients.ts';
import type { Core } from '../core.ts';
import { addDays, type CivilDay, civilDay } from '../days.ts';
import { chargeKey, current } from '../state.ts';
import { cycleOf, daysAhead, lastRetryDay, momentOf } from './calendar.ts';
import { hasOpenAttempt, isOpenCharge, MAX_RETRIES } from './charges.ts';
import type { CobR, CobRBody, Rec } from './model.ts';

const DUE = 'cobr.calendario.dataDeVencimento';

type NewCobR = {
  readonly txid: string;
  readonly rec: Rec | undefined;
  readonly body: CobRBody;
  readonly createdAt: Date;
};

/** The first rule that forbids a new charge with a valid schema. */
export function whyNoCobR(core: Core, client: PspClient, { txid, rec, body, createdAt }: NewCobR): Violation[] {
  const { recebedor, calendario } = body;
  const due = calendario.dataDeVencimento;
  const { charges, automatic } = core.state;
  const key = chargeKey(client.clientId, txid);
  if (charges.has(key) || automatic.charges.has(key))
    return [violation('cobr.txid', 'O campo cobr.txid encontra-se em uso.', txid)];
  if (rec?.clientId !== client.clientId) return [violation('cobr.idRec', 'A recorrência inexiste.')];
  const { status, terms } = current(rec);
  if (status !== 'APROVADA') return [violation('cobr.idRec', 'A recorrência não está no status APROVADA.', status)];
  const { conta, agencia } = client.account;
  if (recebedor.conta !== conta || (recebedor.agencia ?? agencia) !== agencia) {
    return [violation('cobr.recebedor.conta', 'A conta não pertence a este usuário recebedor.', recebedor.conta)];
  }
  const why = whyNotDue(core, terms.calendario, due, civilDay(createdAt));
  if (why !== undefined) return [violation(DUE, `O campo ${DUE} ${why}.`, due)];
  const cycle = cycleOf(terms.calendario, due);
  const isTaken = rec.charges.some(
    other =>
      !['REJEITADA', 'CANCELADA'].includes(current(other).status) &&
      cycleOf(terms.calendario, other.body.calendario.dataDeVencimento) === cycle,
  );
  const taken = 'Existe uma CobR com status diferente de REJEITADA e CANCELADA no mesmo ciclo.';
  return isTaken ? [violation(DUE, taken, due)] : [];
}

function whyNotDue(
  { automatic: { rules } }: Core,
  { dataInicial, dataFinal }: { readonly dataInicial: string; readonly dataFinal?: string },
  due: CivilDay,
  today: CivilDay,
): string | undefined {
  if (due < today) return 'é anterior à data de criação da cobrança';
  if (due < dataInicial || (dataFinal !== undefined && due > dataFinal)) return 'está fora da vigência da recorrência';
  const ahead = daysAhead(rules, today, due);
  if (ahead < rules.latestDays) return `está a menos de ${rules.latestDays} dias`;
  if (rules.earliestDays !== null && ahead > rules.earliestDays) return `está a mais de ${rules.earliestDays} dias`;
  return undefined;
}

/** Until a time of the day before its first attempt. */
export function whyNoCancel({ automatic: { rules } }: Core, charge: CobR, at: Date): Violation[] {
  const wrong = (why: string, value: string) => [violation('cobr.status', why, value)];
  if (!isOpenCharge(charge)) return wrong('A cobrança não está CRIADA nem ATIVA.', current(charge).status);
  if (at < momentOf(addDays(charge.settlesOn, -1), rules.cancelUntilHour)) return [];
  return wrong(
    'Não é possível cancelar uma cobrança em uma data igual ou maior que a data prevista da primeira tentativa de liquidação.',
    charge.settlesOn,
  );
}

export function whyNoRetry(charge: CobR, day: string, today: CivilDay): string | undefined {
  const { status, attempts } = current(charge);
  const { terms, status: recStatus } = current(charge.rec);
  if (!isDay(day)) return 'O parâmetro data não respeita o schema.';
  if (terms.politicaRetentativa === 'NAO_PERMITE') {
    return 'A política configurada na recorrência não permite retentativa de cobrança.';
  }
  if (recStatus !== 'APROVADA') return 'A recorrência não está no status APROVADA.';
  if (hasOpenAttempt(charge)) return 'Existe uma tentativa com status SOLICITADA ou AGENDADA.';
  if (status !== 'ATIVA') return 'A cobrança não está no status ATIVA.';
  if (day <= today) return 'O parâmetro data não corresponde a uma data futura.';
  if (attempts.some(({ dataLiquidacao }) => dataLiquidacao === day))
    return 'Existe uma tentativa para a data informada.';
  if (attempts.filter(({ tipo }) => tipo === 'NTAG').length >= MAX_RETRIES) {
    return `A cobrança já teve ${MAX_RETRIES} retentativas.`;
  }
  const { dataDeVencimento } = charge.body.calendario;
  if (day <= dataDeVencimento) return 'O parâmetro data não é posterior ao vencimento.';
  const last = lastRetryDay(terms.calendario, dataDeVencimento);
  return day > last ? `O parâmetro data é posterior a ${last}, a última data para retentativas.` : undefined;
}
