// The largest statements: as many entries as one may have, and files made to be slow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_STATEMENT_BYTES,
  MAX_STATEMENT_ENTRIES,
  readStatement,
  type StatementFormat,
} from '../../../src/rails/statement/statement.ts';
import { StatementError } from '../../../src/rails/statement/statement-error.ts';

const refused = (bytes: Buffer, format: StatementFormat, message: RegExp) =>
  assert.throws(
    () => readStatement(bytes, format),
    error => error instanceof StatementError && message.test(error.message),
  );

test('a statement of too many entries is refused, and one with as many as it may have is read', () => {
  const numbered = (count: number) =>
    Buffer.from(`data;valor;id\n${Array.from({ length: count }, (_, id) => `16/11/2026;+1,00;${id}`).join('\n')}`);
  assert.equal(readStatement(numbered(MAX_STATEMENT_ENTRIES), 'csv').entries.length, MAX_STATEMENT_ENTRIES);
  refused(numbered(MAX_STATEMENT_ENTRIES + 1), 'csv', /more than 100000 entries/);
});

test('files made to be slow are read in time', () => {
  // Large enough for anything that grows with the square of it to take minutes.
  const size = MAX_STATEMENT_BYTES / 4;
  const full = (head: string, piece: string) =>
    Buffer.from(head + piece.repeat(Math.floor((size - head.length) / piece.length)));
  // Each row opens a quote that ends only at the row limit; then the next line is tried.
  refused(full('data;valor\n', '"""\n'), 'csv', /cannot be read/);
  assert.equal(readStatement(full('data;valor\n', '"";"'), 'csv').faults.length, 1);
  assert.deepEqual(readStatement(full('data;valor\n', '\n'), 'csv'), { entries: [], faults: [] });
  for (const piece of ['<', '<a ', '<!--', '&#1', '<STMTTRN', '</', '<MEMO>', '<x', 'a']) {
    const { entries } = readStatement(full('<OFX><STMTTRN><MEMO>', piece), 'ofx');
    assert.deepEqual(entries, [], piece);
  }
});
