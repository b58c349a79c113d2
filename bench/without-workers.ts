// The service without its workers, so that taking requests is measured alone. With a file named as argument it also writes
// down every statement it says to the database, for `tape.ts` to say again.
import { writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import pg from 'pg';
import { startApp } from '../src/app.ts';
import { logOutput } from '../src/cli/log-output.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import type { Said } from './tape.ts';

const [tapeFile] = process.argv.slice(2);
const said: Said[] = [];
const config = readConfig(process.env);
const app = await startApp(config, { log: createLog(config.logLevel, logOutput()), work: false });
if (tapeFile !== undefined) listen();
process.stdout.write(`listens on ${app.url}\n`);

process.once('SIGTERM', async () => {
  await app.stop();
  if (tapeFile !== undefined) writeFileSync(tapeFile, serialize(said));
});

/** Every statement goes through here, whoever makes it: the pool, a transaction or a batch. */
function listen(): void {
  const numbers = new Map<object, number>();
  const prototype = pg.Client.prototype as unknown as { query(this: object, ...given: unknown[]): unknown };
  const { query } = prototype;
  prototype.query = function (...given) {
    const number = numbers.get(this) ?? numbers.size;
    numbers.set(this, number);
    const [first, values] = given;
    if (typeof first === 'string') said.push({ connection: number, text: first, values: valuesOf(values) });
    else {
      const { text, values: own, name, rowMode } = first as pg.QueryConfig & { rowMode?: string };
      const rest = { ...(name !== undefined && { name }), ...(rowMode !== undefined && { rowMode }) };
      said.push({ connection: number, text, values: valuesOf(own ?? values), ...rest });
    }
    return query.apply(this, given);
  };
}

function valuesOf(values: unknown): unknown[] {
  return Array.isArray(values) ? [...values] : [];
}
