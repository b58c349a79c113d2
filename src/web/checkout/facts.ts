// What a payer is told about a charge, in facts without words: where it stands, what is owed today, what came and went back.
import type { AmountOwed } from '../../charges/amount.ts';
import { type Charge, type ChargeMethod, isOf } from '../../charges/charge.ts';
import { isUnpaid, keptCents } from '../../charges/life.ts';
import { closesAt, owedOn } from '../../charges/owed.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Method } from '../../rails/rail.ts';
import type { CheckoutWords } from './words.ts';

export type Standing = keyof CheckoutWords['state'];

/** A method that can be paid now. */
export type Payable<M extends Method> = {
  readonly instrument: NonNullable<ChargeMethod<M>['instrument']>;
  readonly owed: AmountOwed;
  /** What the bank's app asks for: a static pix code holds its amount, whatever is owed today. */
  readonly asksCents: bigint;
};

export type Facts = {
  readonly standing: Standing;
  readonly pix?: Payable<'pix'>;
  readonly boleto?: Payable<'boleto'>;
  /** Methods that a bank refused while the other can be paid. */
  readonly failed: readonly Method[];
  /** What to pay now, by the first method; what was asked for where nothing can be paid. */
  readonly amountCents: bigint;
  readonly paidCents: bigint;
  readonly missingCents: bigint;
  readonly excessCents: bigint;
  readonly returnedCents: bigint;
  readonly returningCents: bigint;
  readonly isTwice: boolean;
  readonly cameAfterEnd: boolean;
  readonly closesAt: Date;
};

const PAID = ['PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'];

export function factsOf(charge: Charge, now: Date): Facts {
  const today = civilDay(now);
  const ends = closesAt(charge);
  // The charge is marked as expired a moment after its end, or later on a busy day.
  const isOver = now >= ends;
  const payable = <M extends Method>(method: M): Payable<M> | undefined => {
    const found = charge.methods.find(isOf(method));
    if (isOver || !found?.instrument || !isUnpaid(found) || found.status === 'CREATING') return undefined;
    const { instrument } = found;
    const owed = owedOn(charge, method, today);
    const fixedCents = 'emv' in instrument ? amountIn(instrument.emv) : undefined;
    return { instrument, owed, asksCents: fixedCents ?? owed.totalCents };
  };
  const pix = payable('pix');
  const boleto = payable('boleto');
  const owed = (pix ?? boleto)?.owed;
  const paidCents = sum(charge.payments);
  const keep = keptCents(charge);
  const owedCents = charge.owedCents ?? 0n;
  const isPaid = PAID.includes(charge.state);
  const returned = charge.refunds.filter(({ status }) => status === 'DONE');
  const returning = charge.refunds.filter(({ status }) => status === 'PENDING');
  const missingCents = isPaid && returned.length === 0 && keep < owedCents ? owedCents - keep : 0n;
  return {
    standing: missingCents > 0n ? 'paidInPart' : standingOf(charge, owed, isOver),
    ...(pix && { pix }),
    ...(boleto && { boleto }),
    failed: pix || boleto ? charge.methods.filter(({ status }) => status === 'FAILED').map(({ method }) => method) : [],
    amountCents: isPaid ? paidCents : (owed?.totalCents ?? charge.payableCents),
    paidCents,
    missingCents,
    excessCents: isPaid && keep > owedCents ? keep - owedCents : 0n,
    returnedCents: sum(returned),
    returningCents: sum(returning),
    isTwice: charge.payments.some(({ isRepeat }) => isRepeat),
    cameAfterEnd: charge.payments.some(({ cameAfter }) => cameAfter === 'EXPIRED' || cameAfter === 'CANCELED'),
    closesAt: ends,
  };
}

function standingOf({ state, timing }: Charge, owed: AmountOwed | undefined, isOver: boolean): Standing {
  if (isOver && (state === 'ACTIVE' || state === 'OVERDUE')) return 'expired';
  switch (state) {
    case 'CREATING':
      return 'creating';
    case 'ACTIVE':
      return 'open';
    case 'OVERDUE':
      return owed && owed.lines.length > 1 ? 'overdue' : 'overdueNoFees';
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

/** The name of the receiver in a BR Code: what a bank's app shows before it has asked. */
export function receiverIn(emv: string): string | undefined {
  return fieldsIn(emv).get('59');
}

/** The amount that a static code asks for, whatever is owed today; a dynamic one has it from the bank. */
function amountIn(emv: string): bigint | undefined {
  const fields = fieldsIn(emv);
  const isDynamic = fieldsIn(fields.get('26') ?? '').has('25');
  const [, whole = '', cents = ''] = /^(\d+)\.(\d{2})$/.exec(fields.get('54') ?? '') ?? [];
  return isDynamic || whole === '' ? undefined : BigInt(whole + cents);
}

/** The fields of a BR Code, or of one of its templates: two digits of id, two of length, the value. */
function fieldsIn(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 4 <= text.length; ) {
    const length = Number(text.slice(at + 2, at + 4));
    if (!Number.isInteger(length)) break;
    fields.set(text.slice(at, at + 2), text.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}
