// The life of charges, an hour of simulated time after another: they are created by pix, by boleto or by both; an hour later most of
// them are paid, and an hour after that some of the money goes back. The others expire. Some requests are sent twice, as by a careful client.
import type { Caller } from '../../bench/callers.ts';
import { CUSTOMER } from '../../bench/charge-requests.ts';
import { type Random, randomOf } from '../../test/harness/random.ts';
import { AMOUNT_CENTS } from '../nodes/load.ts';

export type Life = {
  /** The ids of charges that were acknowledged, by their external ids. */
  readonly charges: ReadonlyMap<string, string>;
  /** The charges whose payments were acknowledged, by the references of the payments. */
  readonly payments: ReadonlyMap<string, string>;
  /** The charges whose refunds were acknowledged, by the ids of the refunds. */
  readonly refunds: ReadonlyMap<string, string>;
  /** Answers that no caller should get. */
  readonly faults: readonly string[];
  /** Creates so many charges, pays those of the hour before, and sends money of the one before that back. */
  liveAnHour(now: Date, count: number): Promise<void>;
  /** Milliseconds that answers took since the last call, by what was asked. */
  takeTimes(): Map<string, readonly number[]>;
};

const AT_ONCE = 8;
const LISTS_AN_HOUR = 10;
const HOUR_MS = 3_600_000;
const PAID_SHARE = 0.6;
const REFUNDED_SHARE = 0.05;
const REPEATED_SHARE = 0.02;
const METHODS = [['pix'], ['pix'], ['boleto'], ['boleto', 'pix']] as const;

/** What an hour leaves for the next. */
type Open = { readonly id: string; readonly number: number; readonly method: string };

export function startLife(url: string, callers: readonly Caller[], seed: number): Life {
  const [charges, payments, refunds] = [
    new Map<string, string>(),
    new Map<string, string>(),
    new Map<string, string>(),
  ];
  const faults: string[] = [];
  let times = new Map<string, number[]>();
  let numbers = 0;
  let created: Open[] = [];
  let paid: Open[] = [];

  async function ask(name: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const type = body && { 'content-type': 'application/json' };
    const startedMs = performance.now();
    const answer = await fetch(url + path, { ...init, headers: { ...headers, ...type } });
    const text = await answer.text();
    const taken = times.get(name) ?? [];
    times.set(name, taken);
    taken.push(performance.now() - startedMs);
    if (answer.ok) return JSON.parse(text) as { id: string };
    faults.push(`${name}: ${answer.status} ${text}`);
    return undefined;
  }

  async function create(now: Date): Promise<void> {
    const number = ++numbers;
    const random = randomOf(seed, number);
    const { accountId } = random.pick(callers);
    const externalId = `week-${number}`;
    const methods = random.pick(METHODS);
    const dueMs = now.getTime() + (6 + random.below(12)) * HOUR_MS;
    const body = {
      accountId,
      externalId,
      amountCents: AMOUNT_CENTS,
      currency: 'BRL',
      dueAt: new Date(dueMs).toISOString(),
      expireAt: new Date(dueMs + 6 * HOUR_MS).toISOString(),
      methods,
      customer: CUSTOMER,
    };
    const headers = { 'idempotency-key': externalId };
    const charge = await ask('POST /charges', '/charges', body, headers);
    if (!charge) return;
    charges.set(externalId, charge.id);
    created.push({ id: charge.id, number, method: methods[0] });
    if (!random.chance(REPEATED_SHARE)) return;
    const again = await ask('POST /charges, again', '/charges', body, headers);
    if (again && again.id !== charge.id) faults.push(`charge ${externalId} was made twice: ${charge.id}, ${again.id}`);
  }

  async function pay({ id, number, method }: Open): Promise<void> {
    const reference = `E99999999202611161200${String(number).padStart(11, '0')}`;
    const body = { amountCents: AMOUNT_CENTS, reference, method };
    if (await ask('POST /charges/{id}/payments', `/charges/${id}/payments`, body)) payments.set(reference, id);
  }

  async function refund({ id, number }: Open): Promise<void> {
    const headers = { 'idempotency-key': `refund-${number}` };
    const made = await ask('POST /charges/{id}/refunds', `/charges/${id}/refunds`, { amountCents: 100 }, headers);
    if (made) refunds.set(made.id, id);
  }

  async function list(random: Random): Promise<void> {
    const { accountId } = random.pick(callers);
    await ask('GET /charges', `/charges?accountId=${accountId}&pageSize=50&page=${1 + random.below(3)}`);
    await ask('GET /charges?state=EXPIRED', `/charges?accountId=${accountId}&state=EXPIRED&pageSize=50`);
    await ask('GET /events', `/events?accountId=${accountId}&limit=100`);
  }

  return {
    charges,
    payments,
    refunds,
    faults,
    liveAnHour: async (now, count) => {
      const chosen = (of: readonly Open[], share: number) =>
        of.filter(({ number }) => randomOf(seed + 1, number).chance(share));
      const [toPay, toRefund] = [chosen(created, PAID_SHARE), chosen(paid, REFUNDED_SHARE)];
      created = [];
      paid = toPay;
      const work = [
        ...toRefund.map(one => () => refund(one)),
        ...Array.from({ length: Math.max(count, toPay.length, LISTS_AN_HOUR) }, (_, index) => [
          ...(index < count ? [() => create(now)] : []),
          ...toPay.slice(index, index + 1).map(one => () => pay(one)),
          ...(index < LISTS_AN_HOUR ? [() => list(randomOf(seed, numbers + index))] : []),
        ]).flat(),
      ];
      const worker = async () => {
        for (let next = work.shift(); next; next = work.shift()) await next();
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    },
    takeTimes: () => {
      const taken = times;
      times = new Map();
      return taken;
    },
  };
}
