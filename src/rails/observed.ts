// Rails whose calls are reported: which rail, what was asked, what came of it and how long it took. What a rail answers
// passes through as it is.
import { type Ended, timed } from '../lib/timed.ts';
import type { Method, Outcome, Rail, Rails, ReceivedPayment } from './rail.ts';

/** The calls of a rail that leave the machine; the others are pure. */
type Operation = 'submit' | 'lookup' | 'cancel' | 'refund' | 'lookupRefund' | 'reconcile';

export type RailCall = Ended & { readonly rail: string; readonly method: Method; readonly operation: Operation };

export function observedRails({ pix, boleto, former }: Rails, observe: (call: RailCall) => void): Rails {
  return {
    pix: observedRail(pix, observe),
    boleto: observedRail(boleto, observe),
    ...(former && { former: former.map(rail => observedRail(rail, observe)) }),
  };
}

function observedRail<M extends Method>(rail: Rail<M>, observe: (call: RailCall) => void): Rail<M> {
  const { name, method } = rail;
  const report = (operation: Operation) => (ended: Ended) => observe({ rail: name, method, operation, ...ended });
  return {
    ...rail,
    submit: (...asked) => timed(() => rail.submit(...asked), kindOf, report('submit')),
    lookup: (...asked) => timed(() => rail.lookup(...asked), kindOf, report('lookup')),
    cancel: (...asked) => timed(() => rail.cancel(...asked), kindOf, report('cancel')),
    refund: (...asked) => timed(() => rail.refund(...asked), kindOf, report('refund')),
    lookupRefund: (...asked) => timed(() => rail.lookupRefund(...asked), kindOf, report('lookupRefund')),
    reconcile: (...asked) => timed(() => rail.reconcile(...asked), foundIn, report('reconcile')),
  };
}

const kindOf = ({ kind }: { readonly kind: Outcome['kind'] | 'absent' }) => kind;
const foundIn = (receipts: readonly ReceivedPayment[]) => (receipts.length > 0 ? 'money' : 'no_money');
