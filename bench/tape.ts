// The limit: what the service said to the database, said again by the driver and nothing else. Statements keep their order
// and their transactions; as many connections take turns as the service had.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import pg from 'pg';
import type { Statement } from '../src/storage/together.ts';
import { runTogether } from '../src/storage/together.ts';
import { percentile } from './figures.ts';
import type { LoadResult } from './load.ts';
import { type Running, run } from './running.ts';
import type { Stage } from './stage.ts';

// As the service sends moments.
pg.defaults.parseInputDatesAsUTC = true;

/** One statement, or a transaction that was sent whole, and on which connection it was said. */
export type Said = {
  readonly connection: number;
} & (Single | Whole);
type Single = {
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
  readonly rowMode?: string;
};
type Whole = { readonly together: readonly Statement[] };

/** Statements that belong together: a transaction, or one alone. */
type Unit = readonly Single[] | Whole;
export type Tape = {
  readonly units: readonly Unit[];
  readonly connections: number;
  /** How many requests it stands for. */
  readonly requests: number;
};

/** The service says so when it has begun to. */
export const WRITES_DOWN = 'writes down what it says';
const LOOK_AGAIN_MS = 10;
const MOST_LOOKS = 3_000;

type Recording = {
  readonly workers?: boolean;
  /** What is said before belongs to no tape. */
  warmUp?(service: Running): Promise<unknown>;
};

/** Writes down what the service says while `drive` asks it, which returns how many requests that were. */
export async function record(
  stage: Stage,
  database: string,
  drive: (service: Running) => Promise<number>,
  { workers = false, warmUp }: Recording = {},
): Promise<Tape> {
  const file = path.join(stage.dir, `${database}.tape`);
  const service = await run(stage, {
    name: 'recorder',
    command: process.execPath,
    args: ['bench/service.ts', '--tape', file, ...(workers ? ['--workers'] : [])],
    env: { DATABASE_URL: stage.url(database), PORT: '0', TRILHO_DEMO: 'off' },
    url: /listens on (http:\S+)/,
    readyAt: '/livez',
  });
  let requests = 0;
  try {
    await warmUp?.(service);
    service.signal('SIGUSR2');
    for (let looks = 0; !service.output().includes(WRITES_DOWN); looks++) {
      if (looks >= MOST_LOOKS) throw new Error('the service does not write down what it says');
      await wait(LOOK_AGAIN_MS);
    }
    requests = await drive(service);
  } finally {
    await service.stop();
  }
  const said = deserialize(readFileSync(file)) as Said[];
  return { units: unitsOf(said), connections: new Set(said.map(({ connection }) => connection)).size, requests };
}

function unitsOf(said: readonly Said[]): Unit[] {
  const units: (Single[] | Whole)[] = [];
  const open = new Map<number, Single[]>();
  for (const { connection, ...statement } of said) {
    if ('together' in statement) {
      units.push(statement);
      continue;
    }
    // A text that begins and ends its transaction is a unit by itself.
    const isWhole = /^\s*begin\b.*\bcommit\W*$/is.test(statement.text);
    const word = isWhole ? undefined : /^\s*(begin|commit|rollback)\b/i.exec(statement.text)?.[1]?.toLowerCase();
    const unit = open.get(connection) ?? [];
    unit.push(statement);
    if (unit.length === 1) units.push(unit);
    if (word === 'begin') open.set(connection, unit);
    else if (word !== undefined) open.delete(connection);
  }
  // A transaction that the end cut off would hold what it holds.
  const cut = new Set<unknown>(open.values());
  return units.filter(unit => !cut.has(unit));
}

/**
 * What the database made up the first time, as the ids of jobs, is other now, and a statement about it may be refused: then
 * the rest of its transaction is left out, which makes the limit higher, not lower.
 */
async function say(client: pg.Client, unit: Unit): Promise<void> {
  try {
    for (const statement of 'together' in unit ? [BEGIN, ...unit.together, COMMIT] : unit) {
      await client.query(statement as pg.QueryConfig);
    }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('rollback');
  }
}

const BEGIN = { text: 'begin' };
const COMMIT = { text: 'commit' };

type Replaying = {
  /** Again and again for so long; else once. */
  readonly seconds?: number;
  /** Whether what the service sent whole is sent whole, and the next behind it, as its own code does; else word by word. */
  readonly isWhole?: boolean;
  /** On how many connections; else on as many as the service had. */
  readonly connections?: number;
};

/** Says a tape. The rate is in requests, the times are of units. */
export async function replay(
  url: string,
  tape: Tape,
  { seconds, isWhole = false, connections = tape.connections }: Replaying = {},
): Promise<LoadResult> {
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: url, options: '-c timezone=UTC', pipeline: isWhole }),
  );
  await Promise.all(clients.map(client => client.connect()));
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const hasMore = () => (seconds === undefined ? next < tape.units.length : performance.now() < endsAt);
  try {
    await Promise.all(
      clients.map(async client => {
        let before: Promise<unknown> | undefined;
        while (hasMore()) {
          const unit = tape.units[next++ % tape.units.length]!;
          const isSentWhole = isWhole && 'together' in unit;
          const beganAt = performance.now();
          const said = (isSentWhole ? runTogether(client, unit.together) : say(client, unit)).then(() => {
            latencies.push(performance.now() - beganAt);
          });
          await Promise.all(isSentWhole ? [before] : [before, said]);
          before = said;
        }
        await before;
      }),
    );
  } finally {
    await Promise.all(clients.map(client => client.end()));
  }
  const took = (performance.now() - startedAt) / 1000;
  const count = (latencies.length / tape.units.length) * tape.requests;
  latencies.sort((a, b) => a - b);
  return { count, rate: count / took, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
