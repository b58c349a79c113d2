// Callers that create, pay, refund and read, each one request after another, on any node that answers. In a sandbox they do everything
// that callers do; a live service of a drill has only a pix key, and there they create, pay and read.
import type { Caller } from '../../bench/callers.ts';
import type { Mode } from '../../src/lib/mode.ts';
import { randomOf } from '../../test/harness/random.ts';
import { createTally } from '../tally.ts';
import { type Acknowledged, createActs } from './acts.ts';
import { insistOn } from './insist.ts';

export type Load = Required<Acknowledged> & {
  acknowledged(): number;
  /** The number of retries. */
  repeats(): number;
  /** The longest time without any acknowledged write, in milliseconds. */
  longestGapMs(): number;
  /** Answers that no caller should get, and requests without an answer for very long. */
  readonly faults: readonly string[];
  /** Resolves when every caller has finished its request, or has given up. */
  stop(): Promise<void>;
};

type Options = {
  readonly callers: readonly Caller[];
  readonly atOnce: number;
  readonly seed: number;
  readonly mode?: Mode;
  /** The nodes that are up, as far as is known. */
  urls(): readonly string[];
};

export const AMOUNT_CENTS = 15_990;
export const DUE_AT = '2030-12-10T23:59:59-03:00';
export const METHODS = [['pix'], ['pix'], ['boleto'], ['boleto', 'pix']] as const;
const ORDERED_SHARE = 0.1;
const PAID_SHARE = 0.8;
const REFUNDED_SHARE = 0.3;
const READ_SHARE = 0.3;
const LISTED_SHARE = 0.05;

export function startLoad({ callers, atOnce, seed, urls, mode = 'live' }: Options): Load {
  const faults: string[] = [];
  let isStopped = false;
  let numbers = 0;
  const stop = () => {
    isStopped = true;
  };
  const { ask, repeats } = insistOn({ random: randomOf(seed, atOnce), urls, faults, giveUp: stop });
  const tally = createTally();
  const { create, order, pay, refund, read, list, ...acknowledged } = createActs(ask, tally, faults);
  const isMixed = mode === 'sandbox';

  async function call(index: number): Promise<void> {
    const random = randomOf(seed, index);
    while (!isStopped) {
      const caller = random.pick(callers);
      const number = ++numbers;
      const isOrder = isMixed && random.chance(ORDERED_SHARE);
      const methods = isMixed ? random.pick(METHODS) : ['pix'];
      const terms = { amountCents: AMOUNT_CENTS, methods, dueAt: DUE_AT };
      const open = isOrder ? await order(random, number, caller) : await create(random, number, terms, caller);
      if (open && random.chance(READ_SHARE)) await read(open);
      if (random.chance(LISTED_SHARE)) await list(random, caller);
      if (!open || !random.chance(PAID_SHARE)) continue;
      // The money of an order is spent, and cannot be refunded.
      const isRefunded = isMixed && !isOrder && random.chance(REFUNDED_SHARE);
      if ((await pay(random, open)) && isRefunded) await refund(random, open);
    }
  }

  const running = Promise.all(Array.from({ length: atOnce }, (_, index) => call(index)));
  return {
    ...acknowledged,
    faults,
    acknowledged: tally.acknowledged,
    repeats,
    longestGapMs: tally.longestGapMs,
    stop: async () => {
      stop();
      await running;
      tally.pause();
    },
  };
}
