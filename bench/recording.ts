// The SQL statements that the service sends under load, recorded round by round for `replay.ts`.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import type { Mode } from '../src/lib/mode.ts';
import type { DatabaseServer } from './database-server.ts';
import type { RunningProgram } from './programs.ts';
import { startTrilho } from './trilho.ts';

export type RecordedStatement = {
  readonly connection: number;
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
  /** Whether it was sent while an earlier statement of its connection was unanswered. */
  readonly isPipelined: boolean;
  /** From sending it to its answer, as the service saw it; 0 when the segment ended before. */
  readonly tookMs: number;
};

/** The statements of one transaction, or one statement outside of any. */
export type Unit = readonly RecordedStatement[];

type Round = {
  /** The number of requests that caused the statements. */
  readonly requests: number;
  /**
   * Units that ended while requests were sent, and those that ended after the last answer; in the order in which they ended,
   * because a later unit may depend on the rows of an earlier one.
   */
  readonly during: readonly Unit[];
  readonly after: readonly Unit[];
};

type Recording = {
  /** The highest number of connections that one round used. */
  readonly connections: number;
  /** Reads the rounds from disk, once. */
  rounds(): Iterable<Round>;
};

type Load = {
  readonly mode: Mode;
  readonly workers?: boolean;
  readonly allowsLocal?: boolean;
  readonly rounds?: number;
  /** Runs before the first round, unrecorded. */
  warmUp?(service: RunningProgram): Promise<unknown>;
  /** Sends the requests of one round and returns how many there were. */
  run(service: RunningProgram, round: number): Promise<number>;
  /** Waits for the work that a round left to the workers. */
  settle?(): Promise<unknown>;
};

const CHECK_MS = 10;
const MAX_CHECKS = 3_000;

/** What the service prints when it has begun a segment. */
export const segmentMessage = (segment: number) => `records segment ${segment}.`;
export const segmentFile = (recording: string, segment: number) => `${recording}-${segment}`;

/** Runs the load against a recording service. Each round is two segments: while requests are sent, and after. */
export async function recordLoad(server: DatabaseServer, database: string, load: Load): Promise<Recording> {
  const { mode, workers = false, allowsLocal = false, rounds = 1 } = load;
  const file = path.join(server.dir, `${database}.recording`);
  const service = await startTrilho(server, database, { mode, workers, allowsLocal, recordTo: file });
  const requests: number[] = [];
  let segments = 0;

  async function nextSegment(): Promise<void> {
    const message = segmentMessage(segments++);
    service.signal('SIGUSR2');
    for (let checks = 0; !service.output().includes(message); checks++) {
      if (checks >= MAX_CHECKS) throw new Error('the service does not record');
      await wait(CHECK_MS);
    }
  }

  try {
    await load.warmUp?.(service);
    for (let round = 0; round < rounds; round++) {
      await nextSegment();
      requests.push(await load.run(service, round));
      await nextSegment();
      await load.settle?.();
    }
  } finally {
    await service.stop();
  }
  return {
    connections: Math.max(...requests.map((_, round) => countConnections(readSegment(file, 2 * round)))),
    *rounds() {
      const open: OpenTransactions = new Map();
      for (const [round, count] of requests.entries()) {
        const [during, after] = [2 * round, 2 * round + 1].map(segment => {
          const statements = readSegment(file, segment);
          rmSync(segmentFile(file, segment));
          return toUnits(statements, open);
        });
        yield { requests: count, during: during!, after: after! };
      }
    },
  };
}

type UnitCounts = { readonly singles: number; readonly transactions: number; readonly statements: number };

export const NO_UNITS: UnitCounts = { singles: 0, transactions: 0, statements: 0 };

/** Adds up single statements, transactions and the statements of both. */
export function countUnits(units: readonly Unit[], before = NO_UNITS): UnitCounts {
  let { singles, transactions, statements } = before;
  for (const unit of units) {
    statements += unit.length;
    if (unit.length === 1) singles++;
    else transactions++;
  }
  return { singles, transactions, statements };
}

export function describeCounts({ singles, transactions, statements }: UnitCounts, requests: number): string {
  const per = (count: number) => (count / requests).toFixed(2);
  return `${per(statements)} statements: ${per(singles)} single, ${per(statements - singles)} in ${per(transactions)} transactions`;
}

function readSegment(file: string, segment: number): RecordedStatement[] {
  return deserialize(readFileSync(segmentFile(file, segment)));
}

function countConnections(statements: readonly RecordedStatement[]): number {
  return new Set(statements.map(({ connection }) => connection)).size;
}

/** Transactions that have begun and not ended, by their connection. */
type OpenTransactions = Map<number, RecordedStatement[]>;

function toUnits(statements: readonly RecordedStatement[], open: OpenTransactions): Unit[] {
  const units: Unit[] = [];
  for (const statement of statements) {
    const { connection, text } = statement;
    const unit = open.get(connection) ?? [];
    unit.push(statement);
    // A text that begins and commits its own transaction is a unit by itself.
    const isWhole = /^\s*begin\b.*\bcommit\W*$/is.test(text);
    const command = isWhole ? undefined : /^\s*(begin|commit|rollback)\b/i.exec(text)?.[1]?.toLowerCase();
    if (command === 'begin') open.set(connection, unit);
    else if (command !== undefined) open.delete(connection);
    if (!open.has(connection)) units.push(unit);
  }
  return units;
}
