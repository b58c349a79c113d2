// How the sandbox's bank is asked for payments, for tests that replace it.
import assert from 'node:assert/strict';
import type { Rail, ReceiptsByRequest } from '../../src/rails/rail.ts';

export function watchOf({ watch }: Rail): ReceiptsByRequest {
  assert(watch?.by === 'request', 'the bank of the sandbox is asked about each request');
  return watch;
}
