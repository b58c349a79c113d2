// Ends a verb after a given number of steps: with its process, which is killed, or inside the process of the test, where the verb
// is cut off. A step is a statement that the database answered or a call of a bank or a node. A transaction counts as two: all its
// statements, which are rolled back together, and its commit.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Database, Sql } from '../../src/storage/database.ts';

export type Steps = {
  /** A database whose every statement is a step. */
  database(db: Database): Database;
  /** A bank or a node, with its answers to these calls as steps. */
  partner<T extends object>(partner: T, calls: readonly (keyof T)[]): T;
  /** From here on every answer to an HTTP request of the verb is a step, before it is read. */
  answers(): void;
};

/** Runs a verb to its end. */
export const UNCUT: Steps = { database: db => db, partner: partner => partner, answers: () => {} };

export function dieAfter(count: number): Steps {
  const steps = countSteps(count, () => process.kill(process.pid, 'SIGKILL'));
  return { ...steps, answers: () => subscribe('http.client.response.finish', steps.note) };
}

/**
 * Runs a verb and cuts it off after `count` steps: open transactions are rolled back, requests in flight aborted, and every
 * later call of the verb fails. True when it was cut off, false when it finished first.
 */
export async function cutOffAfter(count: number, verb: (steps: Steps) => Promise<unknown>): Promise<boolean> {
  const requests = new Set<ClientRequest>();
  const steps = countSteps(count, () => {
    for (const request of requests) request.destroy(new CutOff());
  });
  // Other code in this process makes requests, too.
  const scope = new AsyncLocalStorage<Counter>();
  const onCreated = (message: unknown) => {
    if (scope.getStore() !== steps) return;
    const { request } = message as { request: ClientRequest };
    if (steps.isOver()) request.destroy(new CutOff());
    else requests.add(request);
  };
  const onAnswer = (message: unknown) => {
    if (requests.delete((message as { request: ClientRequest }).request)) steps.note();
  };
  const answers = () => {
    subscribe('http.client.request.created', onCreated);
    subscribe('http.client.response.finish', onAnswer);
  };
  try {
    await scope.run(steps, () => verb({ ...steps, answers }));
  } catch (error) {
    if (!steps.isOver()) throw error;
  } finally {
    await steps.settled();
    unsubscribe('http.client.request.created', onCreated);
    unsubscribe('http.client.response.finish', onAnswer);
  }
  return steps.isOver();
}

class CutOff extends Error {
  override name = 'CutOff';
}

type Counter = Omit<Steps, 'answers'> & {
  note(): void;
  isOver(): boolean;
  /** Waits for the calls in flight. */
  settled(): Promise<void>;
};

function countSteps(count: number, die: () => void): Counter {
  let left = count;
  const running = new Set<Promise<unknown>>();
  const isOver = () => left <= 0;
  function note(): void {
    if (!isOver() && --left === 0) die();
  }
  async function counted<T>(call: () => Promise<T>): Promise<T> {
    if (isOver()) throw new CutOff();
    const answer = call();
    running.add(answer);
    try {
      const value = await answer;
      note();
      if (isOver()) throw new CutOff();
      return value;
    } finally {
      running.delete(answer);
    }
  }
  return {
    note,
    isOver,
    settled: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
    database: db => ({
      ...db,
      query: (text, values) => counted(() => db.query(text, values)),
      transaction: (work, options) => counted(() => db.transaction((tx: Sql) => counted(() => work(tx)), options)),
    }),

    partner: (partner, calls) =>
      new Proxy(partner, {
        get: (target, name) => {
          const value = Reflect.get(target, name) as unknown;
          if (typeof value !== 'function' || !calls.some(call => call === name)) return value;
          return (...args: unknown[]) => counted(() => value(...args));
        },
      }),
  };
}
