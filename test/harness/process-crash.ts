// Loaded into the service before anything else (NODE_OPTIONS=--import): the process dies at the worst moment there is,
// when the database has confirmed the commit of a charge and nobody has been told.
import pg from 'pg';

type Query = { text?: string; statements?: readonly { text: string }[]; callback?: (...args: unknown[]) => void };

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
const writesCharge = /\binsert into charges\b/i;

// A charge is written in a transaction that is sent whole, and answered when it is committed.
prototype.query = function (...args) {
  const { statements, callback } = args[0] as Query;
  if (statements?.some(({ text }) => writesCharge.test(text))) {
    (args[0] as Query).callback = (error, ...rest) => {
      if (!error) process.kill(process.pid, 'SIGKILL');
      callback?.(error, ...rest);
    };
  }
  return query.apply(this, args);
};
