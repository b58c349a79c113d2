// What the service said to the database, written down turn by turn for `player.ts` to say again.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import type { Statement } from '../src/storage/together.ts';
import { worst } from './figures.ts';
import { type Running, run } from './running.ts';
import type { Stage } from './stage.ts';

/** One statement, or a transaction that was sent whole, and on which connection it was said. */
export type Said = { readonly connection: number } & (Single | Whole);
export type Single = {
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
  readonly rowMode?: string;
};
export type Whole = { readonly together: readonly Statement[] };

/** Statements that belong together: a transaction, or one alone. */
export type Unit = readonly Single[] | Whole;

export type Turn = {
  /** How many requests it stands for. */
  readonly requests: number;
  /**
   * What was said while they were asked, and what was still said when all were answered; in the order in which they ended: whoever
   * ended later may have seen what ended before.
   */
  readonly during: readonly Unit[];
  readonly after: readonly Unit[];
};

export type Tape = {
  /** The most that were used in one turn. */
  readonly connections: number;
  /** Read from disk as they are asked for, once. */
  turns(): Iterable<Turn>;
};

type Recording = {
  readonly workers?: boolean;
  readonly turns?: number;
  /** What is said before the first turn belongs to no tape. */
  warmUp?(service: Running): Promise<unknown>;
  /** Asks the service for as long as a turn lasts, and returns how many requests that were. */
  drive(service: Running): Promise<number>;
  /** Waits until there is nothing left to do that a turn began. */
  settle?(): Promise<unknown>;
};

const LOOK_AGAIN_MS = 10;
const MOST_LOOKS = 3_000;

/** The service says so when it has begun the piece of that number. */
export const pieceWords = (piece: number) => `writes down piece ${piece}.`;
export const pieceFile = (tape: string, piece: number) => `${tape}-${piece}`;

export async function record(
  stage: Stage,
  database: string,
  { workers = false, turns = 1, warmUp, drive, settle }: Recording,
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
  const requests: number[] = [];
  let pieces = 0;
  async function nextPiece(): Promise<void> {
    const words = pieceWords(pieces++);
    service.signal('SIGUSR2');
    for (let looks = 0; !service.output().includes(words); looks++) {
      if (looks >= MOST_LOOKS) throw new Error('the service does not write down what it says');
      await wait(LOOK_AGAIN_MS);
    }
  }
  try {
    await warmUp?.(service);
    for (let turn = 0; turn < turns; turn++) {
      await nextPiece();
      requests.push(await drive(service));
      await nextPiece();
      await settle?.();
    }
  } finally {
    await service.stop();
  }
  return {
    connections: worst(requests.map((_, turn) => connectionsOf(readPiece(file, 2 * turn)))),
    *turns() {
      const open: Open = new Map();
      for (const [turn, count] of requests.entries()) {
        const [during, after] = [2 * turn, 2 * turn + 1].map(piece => {
          const said = readPiece(file, piece);
          rmSync(pieceFile(file, piece));
          return unitsOf(said, open);
        });
        yield { requests: count, during: during!, after: after! };
      }
    },
  };
}

function readPiece(file: string, piece: number): Said[] {
  return deserialize(readFileSync(pieceFile(file, piece)));
}

function connectionsOf(said: readonly Said[]): number {
  return new Set(said.map(({ connection }) => connection)).size;
}

/** Transactions that are under way, by their connection. */
type Open = Map<number, Single[]>;

function unitsOf(said: readonly Said[], open: Open): Unit[] {
  const units: Unit[] = [];
  for (const { connection, ...statement } of said) {
    if ('together' in statement) {
      units.push(statement);
      continue;
    }
    const unit = open.get(connection) ?? [];
    unit.push(statement);
    // A text that begins and ends its transaction is a unit by itself.
    const isWhole = /^\s*begin\b.*\bcommit\W*$/is.test(statement.text);
    const word = isWhole ? undefined : /^\s*(begin|commit|rollback)\b/i.exec(statement.text)?.[1]?.toLowerCase();
    if (word === 'begin') open.set(connection, unit);
    else if (word !== undefined) open.delete(connection);
    if (!open.has(connection)) units.push(unit);
  }
  return units;
}
