// The service as a part of the run wants it: without its workers unless told otherwise, so that taking requests is measured
// alone; and with a tape, on which it writes down every statement it says to the database, in pieces that begin with a signal.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import pg from 'pg';
import { startApp } from '../src/app.ts';
import { logOutput } from '../src/cli/log-output.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { asParameter } from '../src/storage/array-literal.ts';
import type { Statement } from '../src/storage/together.ts';
import { Together } from '../src/storage/together.ts';
import { pieceFile, pieceWords, type Said } from './tape.ts';

const { workers, tape } = parseArgs({
  options: { workers: { type: 'boolean', default: false }, tape: { type: 'string' } },
}).values;
let said: Said[] = [];
let pieces = 0;
const config = readConfig(process.env);
const app = await startApp(config, { log: createLog(config.logLevel, logOutput()), work: workers });
process.on('SIGUSR2', () => {
  if (pieces === 0) listen();
  else endPiece();
  process.stdout.write(`${pieceWords(pieces++)}\n`);
});
process.stdout.write(`listens on ${app.url}\n`);

process.once('SIGTERM', async () => {
  // What it says while it stops belongs to no request.
  if (pieces > 0) endPiece();
  await app.stop();
});

function endPiece(): void {
  if (tape !== undefined) writeFileSync(pieceFile(tape, pieces - 1), serialize(said));
  said = [];
}

/** Every statement goes through here, whoever makes it: the pool, a transaction or a batch. */
function listen(): void {
  const numbers = new Map<object, number>();
  const prototype = pg.Client.prototype as unknown as { query(this: object, ...given: unknown[]): unknown };
  const { query } = prototype;
  prototype.query = function (...given) {
    const number = numbers.get(this) ?? numbers.size;
    numbers.set(this, number);
    const [first, values] = given;
    if (first instanceof Together) said.push({ connection: number, together: first.statements.map(asSaid) });
    else if (typeof first === 'string') said.push({ connection: number, text: first, values: valuesOf(values) });
    else {
      const { text, values: own, name, rowMode } = first as pg.QueryConfig & { rowMode?: string };
      const rest = { ...(name !== undefined && { name }), ...(rowMode !== undefined && { rowMode }) };
      said.push({ connection: number, text, values: valuesOf(own ?? values), ...rest });
    }
    return query.apply(this, given);
  };
}

function asSaid({ values, ...rest }: Statement): Statement {
  return { ...rest, values: values.map(asParameter) };
}

function valuesOf(values: unknown): unknown[] {
  return Array.isArray(values) ? [...values] : [];
}
