// Statements and transactions on one connection of the pool.
import assert from 'node:assert/strict';
import type pg from 'pg';
import { isAborted, isForgotten, isReadOnly, isSilence } from './faults.ts';
import type { Row, Sql, TransactionOptions } from './sql.ts';

/** The limit of a migration: no limit, since it depends on the data it moves. */
const LONG_TIMEOUT_MS = 86_400_000;
/** A server that does not answer cannot enforce its own limit. */
const SILENCE_AFTER_LIMIT_MS = 2_000;

/** One statement outside of a transaction. */
export async function runStatement<R extends Row>(pool: pg.Pool, query: pg.QueryConfig): Promise<R[]> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    return rowsOf<R>(await client.query<R>(query));
  } catch (error) {
    // A session is not reused after an error.
    fault = error as Error;
    throw error;
  } finally {
    client.release(fault);
  }
}

export async function runTransaction<T>(
  pool: pg.Pool,
  work: (tx: Sql) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await pool.connect();
  const limit = driverLimit(options);
  let isOver = false;
  let broken: Error | undefined;
  let firstFault: unknown;
  const tx: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = [], { name }: { name?: string } = {}) => {
      // By now the connection may belong to another transaction.
      assert(!isOver, 'a statement came after the end of its transaction');
      try {
        const query = { text, values: [...values], ...limit, ...(name !== undefined && { name }) };
        return rowsOf<R>(await client.query<R>(query));
      } catch (error) {
        firstFault ??= error;
        throw error;
      }
    },
  };
  try {
    await client.query(beginText(options));
    const result = await work(tx).finally(() => {
      isOver = true;
    });
    await client.query('commit');
    return result;
  } catch (thrown) {
    // Statements pipelined with the one that failed are rejected because of it, and their errors may arrive first.
    const error = isAborted(thrown) ? (firstFault ?? thrown) : thrown;
    // A session that does not answer, has lost its statements, is read-only or cannot roll back is discarded with its transaction.
    if (isSilence(error) || isForgotten(error) || isReadOnly(error)) broken = error as Error;
    else {
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

/** When absent, the usual limit. */
function driverLimit({ isLong = false, statementLimitMs }: TransactionOptions): { readonly query_timeout?: number } {
  if (isLong) return { query_timeout: LONG_TIMEOUT_MS };
  return statementLimitMs === undefined ? {} : { query_timeout: statementLimitMs + SILENCE_AFTER_LIMIT_MS };
}

/** Several statements in one text give several results. */
export function rowsOf<R extends Row>(result: pg.QueryResult<R> | pg.QueryResult<R>[]): R[] {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}
