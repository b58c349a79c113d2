// The payers of the drill: how each is asked, what each answers, and what an account asks each for. A seed decides all of it.
import { generateCpf } from '@brazilian-utils/brazilian-utils';
import { addDays, type CivilDay, civilDay, DAY_MS } from '../../../src/lib/civil-days.ts';
import { randomOf } from '../random.ts';
import type { Call } from './call.ts';

export type Payer = {
  readonly index: number;
  readonly journey: 1 | 2 | 3 | 4;
  readonly interval: 'weekly' | 'monthly';
  readonly amountCents: number;
  /** The mandate is of this amount; otherwise the payer may set a limit. */
  readonly isFixed: boolean;
  readonly allowsRetries: boolean;
  readonly answer: 'approves' | 'refuses' | 'says nothing';
  /** After the mandate is there. */
  readonly answersAfterMs: number;
  readonly customer: { readonly name: string; readonly document: string };
  /** Days from its beginning to the first cycle, and from the first day of the mandate to it. */
  readonly startsIn: number;
  readonly mandateAhead: number;
};

const JOURNEYS = [1, 2, 3, 4] as const;
const HOUR_MS = 3_600_000;
const SMALLEST_CENTS = 3_000;

export function payerOf(seed: number, index: number): Payer {
  const random = randomOf(seed, index + 1);
  const journey = JOURNEYS[index % JOURNEYS.length]!;
  const answer = random.pick(['approves', 'approves', 'approves', 'approves', 'refuses', 'says nothing'] as const);
  const isLate = journey !== 3 && random.chance(0.2);
  const startsIn = 7 + random.below(3);
  return {
    ...{ index, journey, answer, startsIn },
    interval: random.pick(['weekly', 'weekly', 'monthly'] as const),
    amountCents: SMALLEST_CENTS + index,
    isFixed: random.chance(0.5),
    allowsRetries: random.chance(0.6),
    answersAfterMs: isLate ? (3 + random.below(5)) * DAY_MS : random.below(10) * HOUR_MS,
    customer: { name: `Pagadora ${index}`, document: generateCpf() },
    mandateAhead: random.chance(0.3) ? 1 + random.below(4) : 0,
  };
}

/** What an account has made for a payer. */
export type Made = { readonly payer: Payer; readonly subscriptionId: string; readonly startDay: CivilDay };

const PERIODS = { weekly: 'WEEKLY', monthly: 'MONTHLY' } as const;
const ANSWER_WITHIN_DAYS = 5;

/** Makes customer, subscription and mandate, and in journeys 3 and 4 the charge that is paid with the code. */
export async function makePayer(call: Call, payer: Payer, planId: string, now: Date): Promise<Made> {
  const { index, journey, interval, amountCents, isFixed, allowsRetries, customer } = payer;
  const accountId = 'acme';
  const key = (what: string) => `${what} ${index}`;
  const today = civilDay(now);
  const startDay = addDays(today, payer.startsIn);
  const asked = { accountId, ...customer, separate: true };
  const { id: customerId } = await call('POST', '/customers', asked, key('customer'));
  const ofCustomer = { accountId, customerId, amountCents };
  const chargeId = journey < 3 ? undefined : await makeFirstCharge(call, payer, customerId, now);
  const { id: subscriptionId } = await call(
    'POST',
    '/subscriptions',
    { ...ofCustomer, planId, startDay },
    key('subscription'),
  );
  const until = new Date(now.getTime() + ANSWER_WITHIN_DAYS * DAY_MS).toISOString();
  const payerAccount = { ispb: '91193552', branch: '2569', account: '550689', until };
  const mandate = {
    ...{ accountId, customerId, externalId: String(index), journey, contract: `C-${index}` },
    ...{ period: PERIODS[interval], firstDay: addDays(startDay, -payer.mandateAhead), retries: allowsRetries },
    ...(isFixed && { amountCents }),
    ...(chargeId !== undefined && { chargeId }),
    ...(journey === 1 && { payerAccount }),
  };
  await call('POST', '/mandates', mandate, key('mandate'));
  return { payer, subscriptionId, startDay };
}

/** An immediate charge in journey 3, one with a due day in journey 4. */
async function makeFirstCharge(
  call: Call,
  { index, journey, amountCents }: Payer,
  customerId: string,
  now: Date,
): Promise<string> {
  const ends = new Date(now.getTime() + (journey === 3 ? 0.9 : 20) * DAY_MS).toISOString();
  const charge = {
    ...{ accountId: 'acme', customerId, amountCents, currency: 'BRL', methods: ['pix'], dueAt: ends },
    ...(journey === 3 && { expireAt: ends }),
  };
  const { id } = await call('POST', '/charges', charge, `charge ${index}`);
  await call.until(`/charges/${id}`, ({ pix }) => pix.status === 'ACTIVE');
  return id;
}
