// Loaded into the service before anything else (NODE_OPTIONS=--import): the process dies at the worst moment there is,
// when the database has confirmed the commit of a charge and nobody has been told.
import pg from 'pg';

type Query = (...args: unknown[]) => unknown;

const prototype = pg.Client.prototype as unknown as { query: Query };
const { query } = prototype;
const holdingCharge = new WeakSet<object>();

prototype.query = function (this: object, ...args: unknown[]): unknown {
  const text = String(typeof args[0] === 'string' ? args[0] : (args[0] as { text?: string } | null)?.text);
  if (/\binsert into charges\b/i.test(text)) holdingCharge.add(this);
  const result = query.apply(this, args);
  if (!/^\s*commit\b/i.test(text) || !holdingCharge.has(this)) return result;
  return (result as Promise<unknown>).then(() => process.kill(process.pid, 'SIGKILL'));
};
