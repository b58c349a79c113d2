// Rails whose calls are reported: which rail, what was asked, what came of it and how long it took. What a rail answers
// passes through as it is.
import { type Ended, timed } from '../lib/timed.ts';
import type { Method, Rail } from './rail.ts';
import { mapRails, type Rails } from './rails.ts';

/** The calls of a rail that leave the machine; the others are pure. */
type Operation =
  | 'submit'
  | 'lookup'
  | 'cancel'
  | 'withdrawRepeats'
  | 'refund'
  | 'lookupRefund'
  | 'receipts'
  | 'receipt'
  | 'takeLocation';

export type RailCall = Ended & { readonly rail: string; readonly method: Method; readonly operation: Operation };

export function observedRails(rails: Rails, observe: (call: RailCall) => void): Rails {
  return mapRails(rails, rail => observedRail(rail, observe));
}

function observedRail<M extends Method>(rail: Rail<M>, observe: (call: RailCall) => void): Rail<M> {
  const { name, method, watch, locations, withdrawRepeats } = rail;
  const report = (operation: Operation) => (ended: Ended) => observe({ rail: name, method, operation, ...ended });
  return {
    ...rail,
    submit: (...asked) => timed(() => rail.submit(...asked), kindOf, report('submit')),
    lookup: (...asked) => timed(() => rail.lookup(...asked), kindOf, report('lookup')),
    cancel: (...asked) => timed(() => rail.cancel(...asked), kindOf, report('cancel')),
    ...(withdrawRepeats && {
      withdrawRepeats: (...asked) => timed(() => withdrawRepeats(...asked), kindOf, report('withdrawRepeats')),
    }),
    refund: (...asked) => timed(() => rail.refund(...asked), kindOf, report('refund')),
    lookupRefund: (...asked) => timed(() => rail.lookupRefund(...asked), kindOf, report('lookupRefund')),
    ...(locations && {
      locations: {
        ...locations,
        take: kind =>
          timed(
            () => locations.take(kind),
            () => 'taken',
            report('takeLocation'),
          ),
      },
    }),
    ...(watch && { watch: observedWatch(watch, report) }),
  };
}

type Watch = NonNullable<Rail['watch']>;

function observedWatch(watch: Watch, report: (operation: Operation) => (ended: Ended) => void): Watch {
  if (watch.by === 'request') {
    return {
      ...watch,
      receiptsOf: (...asked) => timed(() => watch.receiptsOf(...asked), foundIn, report('receipts')),
    };
  }
  return {
    ...watch,
    receipts: (...asked) =>
      timed(
        () => watch.receipts(...asked),
        page => foundIn(page.receipts),
        report('receipts'),
      ),
    receipt: (...asked) =>
      timed(
        () => watch.receipt(...asked),
        found => (found ? 'money' : 'no_money'),
        report('receipt'),
      ),
  };
}

const kindOf = ({ kind }: { readonly kind: string }) => kind;
const foundIn = (receipts: readonly unknown[]) => (receipts.length > 0 ? 'money' : 'no_money');
