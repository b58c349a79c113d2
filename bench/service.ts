// The service as a part of the run needs it: with or without workers, and recording. A
// recording holds every SQL statement the service sends, in segments; SIGUSR2 begins the next one.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import pg from 'pg';
import { startApp } from '../src/app.ts';
import { logOutput } from '../src/cli/log-output.ts';
import { readConfig } from '../src/config/config.ts';
import { createLog } from '../src/lib/log.ts';
import { type RecordedStatement, segmentFile, segmentMessage } from './recording.ts';

const { values: flags } = parseArgs({
  options: {
    workers: { type: 'boolean', default: false },
    record: { type: 'string' },
  },
});
let statements: RecordedStatement[] = [];
let segments = 0;
const config = readConfig(process.env);
const app = await startApp(config, createLog(config.logLevel, logOutput()), {
  work: flags.workers,
});
process.on('SIGUSR2', () => {
  if (segments === 0) recordStatements();
  else endSegment();
  process.stdout.write(`${segmentMessage(segments++)}\n`);
});
process.stdout.write(`listens on ${app.url}\n`);

process.once('SIGTERM', async () => {
  // Statements of the stop belong to no request.
  if (segments > 0) endSegment();
  await app.stop();
});

function endSegment(): void {
  if (flags.record !== undefined) writeFileSync(segmentFile(flags.record, segments - 1), serialize(statements));
  statements = [];
}

/**
 * Wraps the driver's `query`, which pool, transactions and job queue all call. Only the benchmark may do this: the service keeps
 * to the public API.
 */
function recordStatements(): void {
  const connections = new Map<object, { readonly number: number; pending: number }>();
  const prototype = pg.Client.prototype as unknown as { query(this: object, ...args: unknown[]): unknown };
  const { query } = prototype;
  prototype.query = function (...args) {
    const connection = connections.get(this) ?? { number: connections.size, pending: 0 };
    connections.set(this, connection);
    const [first, second] = args;
    const { text, values = second, name } = typeof first === 'string' ? { text: first } : (first as pg.QueryConfig);
    const statement = {
      connection: connection.number,
      text,
      values: Array.isArray(values) ? [...values] : [],
      ...(name !== undefined && { name }),
      isPipelined: connection.pending > 0,
      tookMs: 0,
    };
    statements.push(statement);
    connection.pending++;
    const sentAt = performance.now();
    const answered = () => {
      connection.pending--;
      statement.tookMs = performance.now() - sentAt;
    };
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const callBack = (...results: unknown[]) => {
        answered();
        callback(...results);
      };
      return query.apply(this, [...args.slice(0, -1), callBack]);
    }
    const result = query.apply(this, args);
    if (result instanceof Promise) result.then(answered, answered);
    return result;
  };
}
