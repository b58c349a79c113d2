// A process that dies after a given number of steps, for real. A step is a statement that the database answered or a word with
// somebody outside. A transaction is two: all its statements, of which nothing is left whichever was the last, and its commit.
// So is one that is sent whole: that it was sent, and that its answer has come.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Lane, Sql } from '../../src/storage/database.ts';

export type Steps = {
  /** A database with which everything is a step. */
  database(db: Database): Database;
  /** Somebody outside, of whom the answers to these calls are steps. */
  partner<T extends object>(partner: T, calls: readonly (keyof T)[]): T;
};

export function dieAfter(steps: number): Steps {
  let left = steps;
  async function counted<T>(answer: Promise<T>): Promise<T> {
    const value = await answer;
    if (--left === 0) process.kill(process.pid, 'SIGKILL');
    return value;
  }
  function lane(db: Database, { query, together }: Lane): Lane {
    return {
      query: (text, values) => counted(query(text, values)),
      together: async statements => {
        // Leaves a connection at hand, so that it is sent in the next turn.
        await db.query('select');
        const answer = together(statements);
        await counted(nextTurn());
        return counted(answer);
      },
    };
  }
  return {
    database: db => ({
      ...db,
      lane: lockWaitMs => lane(db, db.lane(lockWaitMs)),
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
  };
}
