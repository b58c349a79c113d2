// The life of charges, by hours of simulated time: they are created by pix, by boleto or by both; an hour later most of
// them are paid, and an hour after that some of the money goes back. The others expire. Some requests are sent twice, as by a careful client.
import type { Caller } from '../../bench/callers.ts';
import { randomOf } from '../../test/harness/random.ts';
import { type Acknowledged, type Ask, createActs, type Open } from '../nodes/acts.ts';
import { AMOUNT_CENTS, METHODS } from '../nodes/load.ts';
import { createTally, type Tally } from '../tally.ts';

export type Life = Required<Acknowledged> & {
  readonly tally: Tally;
  /** Answers that no caller should get. */
  readonly faults: readonly string[];
  /** Creates `count` charges, pays those of the hour before, and refunds some of the hour before that. */
  liveAnHour(now: Date, count: number): Promise<void>;
  /** Milliseconds of the answers since the last call, by request. */
  takeTimes(): Map<string, readonly number[]>;
};

const AT_ONCE = 8;
const LISTS_AN_HOUR = 10;
const HOUR_MS = 3_600_000;
const PAID_SHARE = 0.6;
const REFUNDED_SHARE = 0.05;
const ANSWER_LIMIT_MS = 10 * 60_000;

export function startLife(url: string, callers: readonly Caller[], seed: number): Life {
  const faults: string[] = [];
  let times = new Map<string, number[]>();
  let numbers = 0;
  let created: Open[] = [];
  let paid: Open[] = [];

  const ask: Ask = async ({ name, path, body, key }) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const type = body && { 'content-type': 'application/json' };
    const headers = { ...type, ...(key !== undefined && { 'idempotency-key': key }) };
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const answer = await fetch(url + path, { ...init, headers, signal })
      .then(async got => ({ isGood: got.ok, message: `${got.status}`, text: await got.text() }))
      .catch((error: Error) => ({ isGood: false, message: 'no answer', text: String(error) }));
    const taken = times.get(name) ?? [];
    times.set(name, taken);
    taken.push(performance.now() - startedMs);
    if (answer.isGood) return JSON.parse(answer.text);
    faults.push(`${name}: ${answer.message} ${answer.text}`);
    return undefined;
  };

  const tally = createTally();
  tally.pause();
  const { create, pay, refund, list, charges, payments, refunds, orders } = createActs(ask, tally, faults);

  async function createOne(now: Date): Promise<void> {
    const number = ++numbers;
    const random = randomOf(seed, number);
    const dueMs = now.getTime() + (6 + random.below(12)) * HOUR_MS;
    const terms = {
      amountCents: AMOUNT_CENTS,
      methods: random.pick(METHODS),
      dueAt: new Date(dueMs).toISOString(),
      expireAt: new Date(dueMs + 6 * HOUR_MS).toISOString(),
    };
    const open = await create(random, number, terms, random.pick(callers));
    if (open) created.push(open);
  }

  return {
    charges,
    payments,
    refunds,
    orders,
    tally,
    faults,
    liveAnHour: async (now, count) => {
      const chosen = (of: readonly Open[], share: number) =>
        of.filter(({ number }) => randomOf(seed + 1, number).chance(share));
      const [toPay, toRefund] = [chosen(created, PAID_SHARE), chosen(paid, REFUNDED_SHARE)];
      created = [];
      paid = toPay;
      const chanceOf = ({ number }: Open) => randomOf(seed + 2, number);
      const listed = (index: number) => {
        const random = randomOf(seed, numbers + index);
        return list(random, random.pick(callers));
      };
      const work = [
        ...toRefund.map(one => () => refund(chanceOf(one), one)),
        ...Array.from({ length: Math.max(count, toPay.length, LISTS_AN_HOUR) }, (_, index) => [
          ...(index < count ? [() => createOne(now)] : []),
          ...toPay.slice(index, index + 1).map(one => async () => void (await pay(chanceOf(one), one))),
          ...(index < LISTS_AN_HOUR ? [() => listed(index)] : []),
        ]).flat(),
      ];
      const worker = async () => {
        for (let next = work.shift(); next; next = work.shift()) await next();
      };
      tally.resume();
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      tally.pause();
    },
    takeTimes: () => {
      const taken = times;
      times = new Map();
      return taken;
    },
  };
}
