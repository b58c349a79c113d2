// Statements and transactions on one connection of the pool.
import assert from 'node:assert/strict';
import type pg from 'pg';
import { AppError } from '../lib/errors.ts';
import type { Call } from './calls.ts';
import { isAborted, isForgotten, isReadOnly, isSilence } from './faults.ts';
import type { Row, Sql, TransactionOptions } from './sql.ts';

/** What a migration may take: as long as the data it moves. */
const LONG_TIMEOUT_MS = 86_400_000;
/** A server that went silent cannot keep its own limit. */
const SILENCE_AFTER_LIMIT_MS = 2_000;

/** Of a text that only reads, it makes no difference whether it was carried out. When in doubt, it is taken for a write. */
export function isRead(text: string): boolean {
  return /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete|merge)\b/i.test(text);
}

/** One statement outside of a transaction. */
export async function runStatement<R extends Row>(pool: pg.Pool, call: Call, query: pg.QueryConfig): Promise<R[]> {
  const client = await call.connect(pool);
  let fault: Error | undefined;
  try {
    const ask = isRead(query.text) ? call.ask : call.askToWrite;
    return rowsOf<R>(await ask(() => client.query<R>(query)));
  } catch (error) {
    // A session that has met an error is not used again, except when nothing was sent.
    if (!(error instanceof AppError)) fault = error as Error;
    throw error;
  } finally {
    client.release(fault);
  }
}

export async function runTransaction<T>(
  pool: pg.Pool,
  call: Call,
  work: (tx: Sql) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await call.connect(pool);
  const limit = driverLimit(options);
  let hasBegun = false;
  let isOver = false;
  let broken: Error | undefined;
  let firstFault: unknown;
  const tx: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = [], { name }: { name?: string } = {}) => {
      // The connection may belong to another transaction by now.
      assert(!isOver, 'a statement came after the end of its transaction');
      try {
        const query = { text, values: [...values], ...limit, ...(name !== undefined && { name }) };
        return rowsOf<R>(await call.ask(() => client.query<R>(query)));
      } catch (error) {
        firstFault ??= error;
        throw error;
      }
    },
  };
  try {
    call.throwIfRefused();
    hasBegun = true;
    await call.ask(() => client.query(beginText(options)));
    const result = await work(tx).finally(() => {
      isOver = true;
    });
    await call.askToWrite(() => client.query('commit'));
    return result;
  } catch (thrown) {
    // Statements pipelined with the one that failed are rejected because of it, and their errors may arrive first.
    const error = isAborted(thrown) ? (firstFault ?? thrown) : thrown;
    // A session that is silent, has forgotten its statements, may only read or cannot even roll back is thrown away with its
    // transaction.
    if (isSilence(error) || isForgotten(error) || isReadOnly(error)) broken = error as Error;
    else if (hasBegun) {
      await client.query('rollback').catch(reason => {
        broken = reason;
      });
    }
    throw error;
  } finally {
    client.release(broken);
  }
}

function beginText({ isSnapshot = false, lockTimeoutMs, statementLimitMs }: TransactionOptions): string {
  const texts = [isSnapshot ? 'begin isolation level repeatable read' : 'begin'];
  if (lockTimeoutMs !== undefined) texts.push(`set local lock_timeout = ${lockTimeoutMs}`);
  if (statementLimitMs !== undefined) texts.push(`set local statement_timeout = ${statementLimitMs}`);
  return texts.join('; ');
}

/** Absent: the usual one. */
function driverLimit({ isLong = false, statementLimitMs }: TransactionOptions): { readonly query_timeout?: number } {
  if (isLong) return { query_timeout: LONG_TIMEOUT_MS };
  return statementLimitMs === undefined ? {} : { query_timeout: statementLimitMs + SILENCE_AFTER_LIMIT_MS };
}

/** Several statements in one text give several results. */
export function rowsOf<R extends Row>(result: pg.QueryResult<R> | pg.QueryResult<R>[]): R[] {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}
