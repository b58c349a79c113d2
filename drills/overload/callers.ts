// Callers that create charges, each one after another, and retry shortly after a refusal: more callers are more load, and no caller
// waits for another.
import { setTimeout as wait } from 'node:timers/promises';
import type { Caller } from '../../bench/callers.ts';
import { percentile } from '../../bench/figures.ts';
import { AMOUNT_CENTS, DUE_AT } from '../nodes/load.ts';
import { createTally, type Tally } from '../tally.ts';

export type Figures = {
  served: number;
  refused: number;
  /** Milliseconds. */
  servedP99: number;
  refusedP99: number;
  rate: number;
  /** Answers that no caller should get. */
  readonly faults: string[];
};

export type Callers = {
  readonly tally: Tally;
  /** The ids of charges that were acknowledged, by their external ids. */
  readonly charges: ReadonlyMap<string, string>;
  /** `callers` at once, for some seconds. */
  call(atOnce: number, seconds: number): Promise<Figures>;
};

const AGAIN_MS = 100;
const ANSWER_LIMIT_MS = 120_000;
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };

export function createLoad(url: string, callers: readonly Caller[]): Callers {
  const charges = new Map<string, string>();
  const tally = createTally();
  tally.pause();
  let numbers = 0;

  async function call(atOnce: number, seconds: number): Promise<Figures> {
    const endMs = performance.now() + seconds * 1_000;
    const [served, refused, faults]: [number[], number[], string[]] = [[], [], []];

    async function callOnce(): Promise<void> {
      const { accountId, headers } = callers[++numbers % callers.length]!;
      const externalId = `overload-${numbers}`;
      const wanted = { accountId, externalId, amountCents: AMOUNT_CENTS, currency: 'BRL', methods: ['pix'] };
      const sentMs = performance.now();
      const answer = await fetch(`${url}/charges`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...wanted, dueAt: DUE_AT, customer: CUSTOMER }),
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      const text = await answer.text();
      const tookMs = performance.now() - sentMs;
      if (answer.status === 201) {
        charges.set(externalId, JSON.parse(text).id);
        tally.note();
        served.push(tookMs);
        return;
      }
      const isRefusal = answer.status === 503 && JSON.parse(text).code === 'overloaded';
      if (isRefusal && Number(answer.headers.get('retry-after')) > 0) refused.push(tookMs);
      else faults.push(`POST /charges: ${answer.status} ${text}`);
      await wait(AGAIN_MS);
    }

    async function callAll(): Promise<void> {
      while (performance.now() < endMs) {
        await callOnce().catch(error => faults.push(`POST /charges: no answer, ${error.cause?.code ?? error}`));
      }
    }

    const beganMs = performance.now();
    tally.resume();
    await Promise.all(Array.from({ length: atOnce }, callAll));
    tally.pause();
    return {
      served: served.length,
      refused: refused.length,
      servedP99: p99(served),
      refusedP99: p99(refused),
      rate: (served.length * 1_000) / (performance.now() - beganMs),
      faults,
    };
  }

  return { charges, tally, call };
}

function p99(times: readonly number[]): number {
  return times.length === 0 ? 0 : percentile(Float64Array.from(times).sort(), 0.99);
}
