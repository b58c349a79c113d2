// Counts the rows that statements read and discard: a time would depend on the machine.
import type pg from 'pg';
import type { Row, Sql } from '../../src/storage/database.ts';

type Node = {
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
};

/** A parameter as `execute` takes it. */
function literalOf(value: unknown): string {
  const text = (item: unknown) => (item instanceof Date ? item.toISOString() : String(item));
  return Array.isArray(value) ? `{${value.map(item => (item === null ? 'null' : text(item))).join(',')}}` : text(value);
}

let explained = 0;

/** How many rows the statements of `work` read or compare and then discard. `client` is in a transaction. */
export async function discardedRows(client: pg.Client, work: (sql: Sql) => Promise<unknown>): Promise<number> {
  let compared = 0;
  let last: Promise<unknown> = Promise.resolve();
  const count = (node: Node): number =>
    ((node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
    (node.Plans ?? []).reduce((sum, inner) => sum + count(inner), 0);
  async function explain(text: string, values: readonly unknown[]): Promise<void> {
    const name = `explained_${++explained}`;
    const given = values.map(value => client.escapeLiteral(literalOf(value))).join(', ');
    await client.query(`prepare ${name} as ${text}`);
    await client.query('savepoint before');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, format json) execute ${name} (${given})`,
    );
    compared += count(rows[0]!['QUERY PLAN'][0].Plan);
    await client.query('rollback to before');
  }
  await work({
    query: <R extends Row>(text: string, values: readonly unknown[] = []) => {
      // One after another, also those that are sent together: each must be undone alone.
      const said = last
        .then(() => explain(text, values))
        .then(async () => (await client.query<R>(text, [...values])).rows);
      last = said;
      return said;
    },
  });
  return compared;
}
