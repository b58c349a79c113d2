// What a payer sees of a charge, as data without texts: its status, the amount due today, payments and refunds.
import type { AmountOwed } from '../../charges/amount.ts';
import { type Charge, type ChargeMethod, isInstant, isOf } from '../../charges/charge.ts';
import { excessCents, isPayable, isUnpaid, missingCents } from '../../charges/life.ts';
import { endOf, owedOn } from '../../charges/owed.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { METHODS_SHOWN } from '../../rails/abilities.ts';
import { staticAmountIn } from '../../rails/br-code.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { CheckoutTexts } from './texts.ts';

type Standing = keyof CheckoutTexts['state'];

/** A method that can be paid now. */
export type Payable<M extends Method = Method> = {
  readonly method: M;
  readonly instrument: NonNullable<ChargeMethod<M>['instrument']>;
  readonly owed: AmountOwed;
  /** The amount in the bank's app: a static pix code has a fixed amount, even when fees are due today. */
  readonly asksCents: bigint;
};

export type Facts = {
  readonly standing: Standing;
  /** In the order of the page. */
  readonly payable: readonly Payable[];
  /** Methods that a bank refused while another can be paid. */
  readonly failed: readonly Method[];
  /** The amount that the first method asks for now; the original amount where nothing can be paid. */
  readonly amountCents: bigint;
  readonly paidCents: bigint;
  readonly missingCents: bigint;
  readonly excessCents: bigint;
  readonly returnedCents: bigint;
  readonly returningCents: bigint;
  readonly isTwice: boolean;
  readonly cameAfterEnd: boolean;
  /** When the first shown code stops being payable. */
  readonly endsAt?: Date;
  /** Whether that is a time of day, not the end of a day: the end of an instant pix, or of a price. */
  readonly isShort: boolean;
  /** Until when the price of an order holds: later money waits for a new price. */
  readonly priceEndsAt?: Date;
};

const PAID = ['PARTIALLY_PAID', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'];

/** `priceEndsAt`: until when the price of an unpaid order holds. */
export function factsOf(charge: Charge, now: Date, priceEndsAt?: Date): Facts {
  const today = civilDay(now);
  const isPriceOver = priceEndsAt !== undefined && now >= priceEndsAt;
  const endsBy = (method: Method) => earlier(endOf(charge, method), priceEndsAt);
  // A method is marked as expired shortly after its end, later under load.
  const isOver = charge.methods.every(({ method }) => now >= endOf(charge, method));
  const payable = METHODS_SHOWN.flatMap((method): Payable[] => {
    const found = charge.methods.find(isOf(method));
    if (now >= endsBy(method) || !found?.instrument || !isPayable(found)) return [];
    const { instrument } = found;
    const owed = owedOn(charge, method, today);
    const emv = pixCodeOf(instrument);
    const fixedCents = emv === undefined ? undefined : staticAmountIn(emv);
    return [{ method, instrument, owed, asksCents: fixedCents ?? owed.totalCents }];
  });
  const [first] = payable;
  const paidCents = sum(charge.payments);
  const isPaid = PAID.includes(charge.state);
  const returned = charge.refunds.filter(({ status }) => status === 'DONE');
  const returning = charge.refunds.filter(({ status }) => status === 'PENDING');
  return {
    standing: standingOf(charge, first?.owed, { isOver, isPriceOver }),
    payable,
    failed: first ? charge.methods.filter(({ status }) => status === 'FAILED').map(({ method }) => method) : [],
    amountCents: isPaid ? paidCents : (first?.asksCents ?? charge.payableCents),
    paidCents,
    missingCents: charge.state === 'PARTIALLY_PAID' ? missingCents(charge) : 0n,
    excessCents: isPaid ? excessCents(charge) : 0n,
    returnedCents: sum(returned) + (charge.rests?.returnedCents ?? 0n),
    returningCents: sum(returning),
    isTwice: charge.payments.some(({ isRepeat }) => isRepeat),
    cameAfterEnd: charge.payments.some(
      ({ cameAfter }) => cameAfter !== undefined && cameAfter !== 'PAID_BY_OTHER_METHOD',
    ),
    ...(first && { endsAt: endsBy(first.method) }),
    isShort: priceEndsAt !== undefined || payable.some(({ method }) => isInstant(charge, method)),
    ...(priceEndsAt && first && { priceEndsAt }),
  };
}

/** The code of a pix. That inside of a boleto pays the boleto. */
export function pixCodeOf(instrument: NonNullable<ChargeMethod['instrument']>): string | undefined {
  return 'emv' in instrument ? instrument.emv : undefined;
}

/** Of these charges that can be paid now, the one that is due first. */
export function nextOf(charges: readonly Charge[], now: Date): Charge | undefined {
  const byDueAt = charges.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
  return byDueAt.find(charge => factsOf(charge, now).payable.length > 0);
}

function earlier(one: Date, other: Date | undefined): Date {
  return other === undefined || one < other ? one : other;
}

type Over = { readonly isOver: boolean; readonly isPriceOver: boolean };

function standingOf(
  { state, timing, methods }: Charge,
  owed: AmountOwed | undefined,
  { isOver, isPriceOver }: Over,
): Standing {
  if (isOver && (state === 'ACTIVE' || state === 'OVERDUE')) return 'expired';
  if (isPriceOver && methods.some(isUnpaid)) return 'priceOver';
  switch (state) {
    case 'CREATING':
      return 'creating';
    case 'ACTIVE':
      return 'open';
    case 'OVERDUE':
      return owed?.lines.some(({ kind }) => kind === 'fine' || kind === 'interest') ? 'overdue' : 'overdueNoFees';
    case 'PARTIALLY_PAID':
      return 'paidInPart';
    case 'PAID':
    case 'SETTLED':
      return timing === 'late' ? 'paidLate' : 'paid';
    case 'PARTIALLY_REFUNDED':
      return 'partlyRefunded';
    case 'REFUNDED':
      return 'refunded';
    case 'EXPIRED':
      return 'expired';
    case 'CANCELED':
      return 'canceled';
    case 'FAILED':
      return 'failed';
  }
}

function sum(parts: readonly { readonly amountCents: bigint }[]): bigint {
  return parts.reduce((total, { amountCents }) => total + amountCents, 0n);
}
