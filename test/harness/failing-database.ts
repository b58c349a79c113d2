// A database that fails at one of its calls, as if the process were killed there.
import type { Database } from '../../src/storage/database.ts';

/** A database that works for `calls` calls and fails at the next: before it does anything, or after it. */
export function failingAfter(calls: number, when: 'before' | 'after') {
  let left = calls;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    const fails = left-- <= 0;
    if (fails && when === 'before') throw new Error('killed');
    const result = await work();
    if (fails) throw new Error('killed');
    return result;
  };
  return (db: Database): Database => ({
    ...db,
    query: (...asked) => guarded(() => db.query(...asked)),
    transaction: (...asked) => guarded(() => db.transaction(...asked)),
  });
}
