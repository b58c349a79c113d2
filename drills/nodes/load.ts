// Callers that create charges and pay them on any node that answers. A request that got no answer, or was refused for now, is
// sent again as it was, as a careful client does: what was acknowledged must be there afterwards, once.
import { setTimeout as wait } from 'node:timers/promises';
import type { Caller } from '../../bench/callers.ts';
import { type Random, randomOf } from '../../test/harness/random.ts';

export type Load = {
  /** The ids of charges that were acknowledged, by their external ids. */
  readonly charges: ReadonlyMap<string, string>;
  /** The charges whose payments were acknowledged, by the references of the payments. */
  readonly payments: ReadonlyMap<string, string>;
  acknowledged(): number;
  /** Requests that were sent again. */
  repeats(): number;
  /** The longest time without any acknowledged write, in milliseconds. */
  longestGapMs(): number;
  /** Answers that no caller should get: anything but 2xx, 429 and 503. */
  readonly faults: readonly string[];
  /** Resolves when every caller has ended what it had begun. */
  stop(): Promise<void>;
};

type Options = {
  readonly callers: readonly Caller[];
  readonly atOnce: number;
  readonly seed: number;
  /** The nodes that are up, as far as is known. */
  urls(): readonly string[];
};

export const AMOUNT_CENTS = 15_990;
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };
const ANSWER_TIMEOUT_MS = 30_000;
const AGAIN_MS = 200;
const PAID_SHARE = 0.8;
/** 409 while the first attempt of the same request is still being carried out. */
const ASKED_AGAIN = new Set([409, 429, 500, 503]);

export function startLoad({ callers, atOnce, seed, urls }: Options): Load {
  const charges = new Map<string, string>();
  const payments = new Map<string, string>();
  const faults: string[] = [];
  let isStopped = false;
  let repeats = 0;
  let acknowledged = 0;
  let lastMs = performance.now();
  let longestGapMs = 0;
  let numbers = 0;

  function noteAnswer(): void {
    const now = performance.now();
    longestGapMs = Math.max(longestGapMs, now - lastMs);
    lastMs = now;
    acknowledged++;
  }

  /** Until it is acknowledged. Undefined: it was refused for good, which is a fault. */
  async function insist(random: Random, { headers }: Caller, path: string, body: unknown) {
    const text = JSON.stringify(body);
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) {
        repeats++;
        await wait(AGAIN_MS + random.below(AGAIN_MS));
      }
      const url = random.pick(urls());
      const answer = url === undefined ? undefined : await send(url + path, { ...headers }, text);
      if (!answer || ASKED_AGAIN.has(answer.status)) {
        if (answer?.status === 500) faults.push(`POST ${path}: 500 ${answer.text}`);
        continue;
      }
      if (answer.status >= 300) {
        faults.push(`POST ${path}: ${answer.status} ${answer.text}`);
        return undefined;
      }
      noteAnswer();
      return JSON.parse(answer.text) as { id: string };
    }
  }

  async function call(index: number): Promise<void> {
    const random = randomOf(seed, index);
    while (!isStopped) {
      const caller = random.pick(callers);
      const number = ++numbers;
      const externalId = `drill-${number}`;
      const dueAt = '2030-12-10T23:59:59-03:00';
      const wanted = { accountId: caller.accountId, externalId, amountCents: AMOUNT_CENTS, currency: 'BRL', dueAt };
      const charge = await insist(random, caller, '/charges', { ...wanted, methods: ['pix'], customer: CUSTOMER });
      if (!charge) continue;
      charges.set(externalId, charge.id);
      if (!random.chance(PAID_SHARE)) continue;
      const reference = `E99999999202611161200${String(number).padStart(11, '0')}`;
      const payment = { amountCents: AMOUNT_CENTS, reference };
      if (await insist(random, caller, `/charges/${charge.id}/payments`, payment)) payments.set(reference, charge.id);
    }
  }

  const running = Promise.all(Array.from({ length: atOnce }, (_, index) => call(index)));
  return {
    charges,
    payments,
    faults,
    acknowledged: () => acknowledged,
    repeats: () => repeats,
    longestGapMs: () => longestGapMs,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

/** Undefined: nobody knows whether it was carried out. */
async function send(url: string, headers: Record<string, string>, body: string) {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}
