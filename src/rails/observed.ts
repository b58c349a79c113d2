// Reports the calls of rails: the rail, the call, its outcome and how long it took. Answers pass through unchanged.
import { type Ended, timed } from '../lib/timed.ts';
import type { Method } from './methods/methods.ts';
import type { Rail } from './rail.ts';
import { mapRails, type Rails } from './rails.ts';

/** The calls of a rail that leave the machine; the others are pure. */
export const RAIL_OPERATIONS = [
  'submit',
  'lookup',
  'cancel',
  'withdrawRepeats',
  'refund',
  'lookupRefund',
  'receipts',
  'receipt',
  'takeLocation',
] as const;
type Operation = (typeof RAIL_OPERATIONS)[number];

/** Their outcomes, besides a failure. */
export const RAIL_OUTCOMES = [
  'registered',
  'accepted',
  'rejected',
  'absent',
  'withdrawn',
  'too_late',
  'none',
  'done',
  'money',
  'no_money',
  'taken',
  'unknown',
  'unavailable',
] as const;
type Outcome = (typeof RAIL_OUTCOMES)[number];

export type RailCall = Ended & { readonly rail: string; readonly method: Method; readonly operation: Operation };

export function observedRails(rails: Rails, observe: (call: RailCall) => void): Rails {
  return mapRails(rails, rail => observedRail(rail, observe));
}

/** Makes one call and reports it. */
type Call = <T>(operation: Operation, ask: () => Promise<T>, outcome: (answer: T) => Outcome) => Promise<T>;

function observedRail<M extends Method>(rail: Rail<M>, observe: (call: RailCall) => void): Rail<M> {
  const { name, method, watch, locations, withdrawRepeats } = rail;
  const call: Call = (operation, ask, outcome) =>
    timed(
      { name: `rail ${operation}`, attributes: { 'trilho.rail': name, 'trilho.method': method } },
      ask,
      outcome,
      ended => observe({ rail: name, method, operation, ...ended }),
    );
  return {
    ...rail,
    submit: (...asked) => call('submit', () => rail.submit(...asked), kindOf),
    lookup: (...asked) => call('lookup', () => rail.lookup(...asked), kindOf),
    cancel: (...asked) => call('cancel', () => rail.cancel(...asked), kindOf),
    ...(withdrawRepeats && {
      withdrawRepeats: (...asked) => call('withdrawRepeats', () => withdrawRepeats(...asked), kindOf),
    }),
    refund: (...asked) => call('refund', () => rail.refund(...asked), kindOf),
    lookupRefund: (...asked) => call('lookupRefund', () => rail.lookupRefund(...asked), kindOf),
    ...(locations && {
      locations: {
        ...locations,
        take: kind =>
          call(
            'takeLocation',
            () => locations.take(kind),
            () => 'taken',
          ),
      },
    }),
    ...(watch && { watch: observedWatch(watch, call) }),
  };
}

type Watch = NonNullable<Rail['watch']>;

function observedWatch(watch: Watch, call: Call): Watch {
  if (watch.by === 'request') {
    return { ...watch, receiptsOf: (...asked) => call('receipts', () => watch.receiptsOf(...asked), foundIn) };
  }
  return {
    ...watch,
    receipts: (...asked) =>
      call(
        'receipts',
        () => watch.receipts(...asked),
        page => foundIn(page.receipts),
      ),
    receipt: (...asked) =>
      call(
        'receipt',
        () => watch.receipt(...asked),
        found => (found ? 'money' : 'no_money'),
      ),
  };
}

const kindOf = ({ kind }: { readonly kind: Outcome }) => kind;
const foundIn = (receipts: readonly unknown[]): Outcome => (receipts.length > 0 ? 'money' : 'no_money');
