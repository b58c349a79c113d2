// A process that dies after a given number of steps, for real. A step is a statement that the database answered or a call of
// a bank or a node. A transaction is two: all its statements, of which nothing is left whichever was the last, and its commit.
import { subscribe } from 'node:diagnostics_channel';
import type { Database, Sql } from '../../src/storage/database.ts';

export type Steps = {
  /** A database with which everything is a step. */
  database(db: Database): Database;
  /** A bank or a node whose answers to these calls are steps. */
  partner<T extends object>(partner: T, calls: readonly (keyof T)[]): T;
  /** From here on every answer to an HTTP request of this process is a step, before anything of it is read. */
  answers(): void;
};

export function dieAfter(steps: number): Steps {
  let left = steps;
  function stepDone(): void {
    if (--left === 0) process.kill(process.pid, 'SIGKILL');
  }
  async function counted<T>(answer: Promise<T>): Promise<T> {
    const value = await answer;
    stepDone();
    return value;
  }
  return {
    database: db => ({
      ...db,
      query: (text, values) => counted(db.query(text, values)),
      transaction: (work, options) => counted(db.transaction((tx: Sql) => counted(work(tx)), options)),
    }),

    partner: (partner, calls) =>
      new Proxy(partner, {
        get: (target, name) => {
          const value = Reflect.get(target, name) as unknown;
          if (typeof value !== 'function' || !calls.some(call => call === name)) return value;
          return (...args: unknown[]) => counted(value(...args));
        },
      }),

    answers: () => subscribe('http.client.response.finish', stepDone),
  };
}
