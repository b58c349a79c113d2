// Callers that send requests all the time, without retries: what each got and how long it took. Reads, a list and writes need the
// database; the two answers about health do not wait for it.
import { setTimeout as wait } from 'node:timers/promises';
import type { Caller } from '../../bench/callers.ts';
import { AMOUNT_CENTS } from '../nodes/load.ts';

export type Watch = {
  /** The ids of charges that were acknowledged, by their external ids. */
  readonly charges: ReadonlyMap<string, string>;
  /** Ends the period and begins a new one. */
  take(): Period;
  stop(): Promise<void>;
};

export const GROUPS = ['read', 'list', 'write'] as const;
type Group = (typeof GROUPS)[number];
type Name = Group | 'live' | 'ready';

/** A request that needs the database: how long it took, or has waited when the period ended. */
export type Asked = { readonly group: Group; readonly tookMs: number };

/** The answers of a period. */
type Period = {
  served: number;
  refused: number;
  /** Of this and the next two: those that were answered, and those that still waited at the end. */
  slowestLiveMs: number;
  readonly asked: Asked[];
  slowestReadyMs: number;
  /** The last answer of `/readyz`. */
  lastReady: number | undefined;
  /** Answers that no caller should get. */
  readonly faults: string[];
};

const PAUSE_MS = 100;
const AT_ONCE = 6;
const ANSWER_LIMIT_MS = 60_000;
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };

export async function watch(url: string, { accountId, headers }: Caller): Promise<Watch> {
  const charges = new Map<string, string>();
  let period = newPeriod();
  let isStopped = false;
  let numbers = 0;

  /** Open requests, with their start. */
  const open = new Map<symbol, { readonly name: Name; readonly askedMs: number }>();

  function count(name: Name, askedMs: number): void {
    const tookMs = performance.now() - askedMs;
    if (name === 'live') period.slowestLiveMs = Math.max(period.slowestLiveMs, tookMs);
    else if (name === 'ready') period.slowestReadyMs = Math.max(period.slowestReadyMs, tookMs);
    else period.asked.push({ group: name, tookMs });
  }

  async function ask(name: Name, path: string, init: RequestInit = {}): Promise<string | undefined> {
    const askedMs = performance.now();
    const own = Symbol(name);
    open.set(own, { name, askedMs });
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const answer = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers }, signal })
      .then(async got => ({ status: got.status, wait: got.headers.get('retry-after'), text: await got.text() }))
      .catch(error => ({ status: 0, wait: null, text: String(error) }));
    open.delete(own);
    count(name, askedMs);
    if (name === 'live') {
      if (answer.status !== 200) period.faults.push(`${path}: ${answer.status} ${answer.text}`);
      return undefined;
    }
    if (name === 'ready') {
      period.lastReady = answer.status;
      if (![200, 503].includes(answer.status)) period.faults.push(`${path}: ${answer.status} ${answer.text}`);
      return undefined;
    }
    if (answer.status === 200 || answer.status === 201) period.served++;
    else if (answer.status === 503 && Number(answer.wait) > 0) period.refused++;
    else period.faults.push(`${name} ${path}: ${answer.status} without a good reason: ${answer.text}`);
    return answer.status === 201 ? (JSON.parse(answer.text) as { id: string }).id : undefined;
  }

  async function write(): Promise<void> {
    const externalId = `watched-${++numbers}`;
    const wanted = { accountId, externalId, amountCents: AMOUNT_CENTS, currency: 'BRL' };
    const more = { dueAt: '2030-12-10T23:59:59-03:00', methods: ['pix'], customer: CUSTOMER };
    const id = await ask('write', '/charges', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...wanted, ...more }),
    });
    if (id !== undefined) charges.set(externalId, id);
  }

  async function repeat(work: () => Promise<unknown>): Promise<void> {
    while (!isStopped) {
      await work();
      await wait(PAUSE_MS);
    }
  }

  await write();
  const [chargeId] = charges.values();
  if (chargeId === undefined) throw new Error(`no charge could be created: ${period.faults.join()}`);
  const asked = [
    () => ask('read', `/charges/${chargeId}`),
    () => ask('list', `/charges?accountId=${accountId}`),
    write,
  ];
  const loops = [
    ...asked.flatMap(work => Array.from({ length: AT_ONCE }, () => repeat(work))),
    repeat(() => ask('live', '/livez')),
    repeat(() => ask('ready', '/readyz')),
  ];
  return {
    charges,
    take: () => {
      for (const { name, askedMs } of open.values()) count(name, askedMs);
      const ended = period;
      period = newPeriod();
      return ended;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

function newPeriod(): Period {
  return {
    served: 0,
    refused: 0,
    asked: [],
    slowestLiveMs: 0,
    slowestReadyMs: 0,
    lastReady: undefined,
    faults: [],
  };
}
