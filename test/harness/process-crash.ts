// Loaded into the service before anything else (NODE_OPTIONS=--import): the process dies at the worst moment there is,
// when the database has confirmed the commit of a charge and no caller has been answered.
import pg from 'pg';

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
const writesCharge = /\binsert into charges\b/i;
/** Connections whose open transaction has written a charge. */
const holders = new WeakSet<object>();

prototype.query = function (...args) {
  const [first] = args;
  const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
  if (writesCharge.test(text)) holders.add(this);
  const answer = query.apply(this, args);
  if (text !== 'commit' || !holders.has(this)) return answer;
  return (answer as Promise<unknown>).then(() => process.kill(process.pid, 'SIGKILL'));
};
