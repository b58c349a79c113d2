// A case of the fuzz drill is repeated by its seed and number, whatever else has happened: only its ids differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Case, caseMaker, type KnownIds } from '../../drills/fuzz/make-case.ts';
import { readOpenApi } from '../harness/openapi.ts';
import { startService } from '../harness/service.ts';

const CASES = 3_000;
const NAMES = ['charges', 'wallets', 'webhooks', 'payouts', 'transactions', 'reference', 'hash', 'sender', 'accounts'];

/** Ids of a run, all of one digit. */
function idsOf(digit: string, count: number): KnownIds {
  const id = `${digit.repeat(8)}-${digit.repeat(4)}-7${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
  return new Map(NAMES.map(name => [name, Array.from({ length: count }, () => id)]));
}

function shapeOf({ body, ...sent }: Case): string {
  return JSON.stringify({ ...sent, body: body?.toString() }).replaceAll(/[12]/g, '0');
}

test('the same seed and number make the same case except for ids, whatever was found since', async () => {
  const service = await startService();
  const { document } = await readOpenApi(service).finally(() => service.stop());
  const first = caseMaker(document, 23, 'http://127.0.0.1:1/', idsOf('1', 3));
  const again = caseMaker(document, 23, 'http://127.0.0.1:1/', idsOf('2', 8));
  const [none, many] = [new Map<string, string[]>(), idsOf('2', 150)];
  const differing = Array.from({ length: CASES }, (_, index) => index).filter(
    index => shapeOf(first(index, none)) !== shapeOf(again(index, many)),
  );
  assert.deepEqual(differing, []);
});
