// Loaded into a process before anything else (NODE_OPTIONS=--import): it dies at the worst moment there is, when the database has
// confirmed the commit of a transaction with a statement that CRASH_AFTER_COMMIT_OF describes, and nothing else was done.
import pg from 'pg';

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
const awaited = new RegExp(process.env['CRASH_AFTER_COMMIT_OF']!);
/** Connections whose open transaction has the statement. */
const holders = new WeakSet<object>();

prototype.query = function (...args) {
  const [first] = args;
  const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
  if (awaited.test(text)) holders.add(this);
  const answer = query.apply(this, args);
  if (text !== 'commit' || !holders.has(this)) return answer;
  return (answer as Promise<unknown>).then(() => process.kill(process.pid, 'SIGKILL'));
};
