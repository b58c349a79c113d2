// The contents of a log line: our own messages and ids; of a library's error only its kind and code, never its message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, StartError } from '../../src/lib/errors.ts';
import { createLog, type LogFields } from '../../src/lib/log.ts';
import { recordingLog } from '../harness/log.ts';

/** The one line that a warning gives. */
function lineOf(fields: LogFields) {
  const { log, lines } = recordingLog();
  log.warn('something happened', fields);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /^\{.*\}\n$/);
  return JSON.parse(lines[0]!);
}

/** A driver's error: its message quotes values. */
function driverError(): Error {
  const message = 'duplicate key\n    at Key (document)=(52998224725)';
  return Object.assign(new Error(message), { code: '23505', table: 'charges', constraint: 'charges_pkey' });
}

test('a line has its level by name, its time in UTC, its fields and its message', () => {
  const { time, ...rest } = lineOf({ chargeId: 'c', rail: 'sandbox', attempt: 2 });
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, { level: 'warn', chargeId: 'c', rail: 'sandbox', attempt: 2, msg: 'something happened' });
});

test('a field that is not on the list does not reach a line', () => {
  const line = lineOf({ orderId: 'o', document: '52998224725' } as LogFields);
  assert.equal(line.orderId, 'o');
  assert.equal('document' in line, false);
});

test('a message below the level is not written', () => {
  const lines: string[] = [];
  const log = createLog('error', { write: line => void lines.push(line) });
  log.warn('not this');
  log.error('but this');
  log.fatal('and this');
  assert.deepEqual(
    lines.map(line => JSON.parse(line).msg),
    ['but this', 'and this'],
  );
});

test('an error of ours is written with its message, and its cause by kind and code alone', () => {
  const refused = new AppError('database_unavailable', 'The database cannot be reached.', { cause: driverError() });
  const { error } = lineOf({ error: refused });
  assert.equal(error.name, 'AppError');
  assert.equal(error.code, 'database_unavailable');
  assert.equal(error.message, 'The database cannot be reached.');
  assert.ok(error.at.length > 0);
  const { at, ...cause } = error.cause;
  assert.deepEqual(cause, { name: 'Error', code: '23505', table: 'charges', constraint: 'charges_pkey' });
  assert.ok(at.length > 0 && !JSON.stringify(at).includes('52998224725'), at);
  assert.equal(lineOf({ error: new StartError('PORT is in use.') }).error.message, 'PORT is in use.');
});

test('a broken invariant is written with our message, or without values', () => {
  const broken = (assertion: () => void) => {
    try {
      assertion();
    } catch (error) {
      return lineOf({ error }).error;
    }
  };
  assert.equal(broken(() => assert.fail('a sender is known')).message, 'a sender is known');
  assert.equal('message' in broken(() => assert.equal('52998224725', '1')), false);
});

test('a thrown value that is not an error is named by its type', () => {
  assert.deepEqual(lineOf({ error: '52998224725' }).error, { name: 'string' });
});
