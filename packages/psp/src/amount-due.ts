// What a charge with a due date costs on a day: fine, interest, rebate and discount, each truncated to cents. By annex III, section 4, of the
// Manual de Padrões para Iniciação do Pix: percents but that of the rebate are of what the rebate leaves.
import { isBankingDay, nextBankingDay } from './banking-days.ts';
import { amountText, centsOf } from './checks.ts';
import { addDays, type CivilDay, daysBetween } from './days.ts';

type Rate = { readonly modalidade: number; readonly valorPerc: string };

export type DueValue = {
  readonly original: string;
  readonly multa?: Rate;
  readonly juros?: Rate;
  readonly abatimento?: Rate;
  readonly desconto?: {
    readonly modalidade: number;
    readonly valorPerc?: string;
    readonly descontoDataFixa?: readonly { readonly data: string; readonly valorPerc: string }[];
  };
};

/** What is taken off. */
export type Reductions = Pick<DueValue, 'abatimento' | 'desconto'>;

/** What is left of an amount on a day up to the due day, to which days are counted; discounts are over after that. */
export function leftOn(cents: bigint, { abatimento, desconto }: Reductions, due: CivilDay, on: CivilDay) {
  const base = cents - fixedOrPercent(abatimento, cents);
  return { base, final: base - discount(desconto, base, due, on) };
}

export type DueCalendar = { readonly dataDeVencimento: CivilDay; readonly validadeAposVencimento: number };

/** The parts that are not zero, and the sum. */
type AmountDue = {
  readonly original: string;
  readonly multa?: string;
  readonly juros?: string;
  readonly abatimento?: string;
  readonly desconto?: string;
  readonly final: string;
};

/** A due day that is no banking day moves to the next one. */
function effectiveDueDay({ dataDeVencimento }: Pick<DueCalendar, 'dataDeVencimento'>): CivilDay {
  return nextBankingDay(dataDeVencimento);
}

export function lastPayableDay(calendar: DueCalendar): CivilDay {
  return nextBankingDay(addDays(effectiveDueDay(calendar), calendar.validadeAposVencimento));
}

export function amountDue(value: DueValue, calendar: DueCalendar, on: CivilDay): AmountDue {
  const due = effectiveDueDay(calendar);
  const cents = centsOf(value.original);
  const isLate = on > due;
  const abatimento = fixedOrPercent(value.abatimento, cents);
  const base = cents - abatimento;
  const parts = {
    multa: isLate ? fixedOrPercent(value.multa, base) : 0n,
    juros: isLate ? interest(value.juros, base, due, on) : 0n,
    abatimento,
    desconto: isLate ? 0n : discount(value.desconto, base, due, on),
  };
  const final = cents + parts.multa + parts.juros - parts.abatimento - parts.desconto;
  const shown = Object.entries(parts).filter(([, part]) => part > 0n);
  return {
    original: value.original,
    ...Object.fromEntries(shown.map(([name, part]) => [name, amountText(part)])),
    final: amountText(final > 0n ? final : 0n),
  };
}

const PERCENT_OF_HUNDREDTHS = 10_000n;
const FIXED = 1;

/** `valorPerc` has two decimals, so it is hundredths of a percent or cents. */
function fixedOrPercent(rate: Rate | undefined, cents: bigint): bigint {
  if (!rate) return 0n;
  const number = centsOf(rate.valorPerc);
  return rate.modalidade === FIXED ? number : (cents * number) / PERCENT_OF_HUNDREDTHS;
}

/** By modality: money or percent, in which unit of time the percent is, and which days count. */
const INTEREST: Readonly<
  Record<number, { readonly perDays: bigint | 'money'; readonly days: 'calendar' | 'banking' }>
> = {
  1: { perDays: 'money', days: 'calendar' },
  2: { perDays: 1n, days: 'calendar' },
  3: { perDays: 30n, days: 'calendar' },
  4: { perDays: 360n, days: 'calendar' },
  5: { perDays: 'money', days: 'banking' },
  6: { perDays: 1n, days: 'banking' },
  7: { perDays: 21n, days: 'banking' },
  8: { perDays: 252n, days: 'banking' },
};

function interest(rate: Rate | undefined, cents: bigint, due: CivilDay, on: CivilDay): bigint {
  const rule = rate && INTEREST[rate.modalidade];
  if (!rule) return 0n;
  const days = BigInt(rule.days === 'calendar' ? daysBetween(due, on) : bankingDaysBetween(due, on));
  const number = centsOf(rate.valorPerc);
  return rule.perDays === 'money' ? number * days : (cents * number * days) / (PERCENT_OF_HUNDREDTHS * rule.perDays);
}

/** The lowest amount of a charge: when it is paid on the day it is created. */
export function leastDue(
  value: Pick<DueValue, 'original' | 'abatimento' | 'desconto'>,
  calendar: Pick<DueCalendar, 'dataDeVencimento'>,
  createdOn: CivilDay,
): bigint {
  const due = effectiveDueDay(calendar);
  const left = leftOn(centsOf(value.original), value, due, createdOn);
  return createdOn > due ? left.base : left.final;
}

function discount(rule: DueValue['desconto'], cents: bigint, due: CivilDay, on: CivilDay): bigint {
  if (!rule) return 0n;
  if (rule.modalidade <= 2) {
    // A day without banks moves to the next one with them; the earliest day that is left counts.
    const next = [...(rule.descontoDataFixa ?? [])]
      .sort((a, b) => (a.data < b.data ? -1 : 1))
      .find(({ data }) => on <= nextBankingDay(data));
    return next ? fixedOrPercent({ modalidade: rule.modalidade, valorPerc: next.valorPerc }, cents) : 0n;
  }
  const isBanking = rule.modalidade % 2 === 0;
  const days = BigInt(isBanking ? bankingDaysBetween(on, due) : daysBetween(on, due));
  const number = centsOf(rule.valorPerc ?? '0.00');
  return rule.modalidade <= 4 ? number * days : (cents * number * days) / PERCENT_OF_HUNDREDTHS;
}

/** Banking days after `from`, up to and with `to`. A charge is payable for a few months, so the walk is short. */
function bankingDaysBetween(from: CivilDay, to: CivilDay): number {
  let count = 0;
  for (let day = addDays(from, 1); day <= to; day = addDays(day, 1)) if (isBankingDay(day)) count++;
  return count;
}
