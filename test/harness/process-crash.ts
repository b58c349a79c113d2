// Preloaded into a process (NODE_OPTIONS=--import), which then dies at the worst moment: when the database has confirmed the
// commit of a transaction with a statement that matches CRASH_AFTER_COMMIT_OF, and nothing else was done.
import pg from 'pg';

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
const awaited = new RegExp(process.env['CRASH_AFTER_COMMIT_OF']!);
/** Connections whose open transaction contains the statement. */
const holders = new WeakSet<object>();

prototype.query = function (...args) {
  const [first] = args;
  const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
  if (awaited.test(text)) holders.add(this);
  const answer = query.apply(this, args);
  if (text !== 'commit' || !holders.has(this)) return answer;
  return (answer as Promise<unknown>).then(() => process.kill(process.pid, 'SIGKILL'));
};
