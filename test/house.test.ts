// The order of the rooms: a file imports from its own folder or from rooms to the left, and nothing goes round in a circle.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { FAMILIES } from '../src/chains/families.ts';
import { importsOf } from './runner/import-graph.ts';

const ORDER = [
  'lib',
  'rails',
  'chains',
  'prices',
  'config',
  'storage',
  'jobs',
  'accounts',
  'events',
  'ledger',
  'charges',
  'wallets',
  'quotes',
  'payouts',
  'orders',
  'payers',
  'all-jobs.ts',
  'api',
  'http',
  'web',
  'module.ts',
  'sandbox',
  'app',
  'app.ts',
  'cli',
  'main.ts',
];
/** Rooms that know `lib` only, and nothing between. */
const KNOW_ONLY_LIB = ['rails', 'chains', 'prices'];

const root = path.join(import.meta.dirname, '..', 'src');
const files = globSync('**/*.{ts,json}', { cwd: root });

/** What nouns give the service knows its faces, so the `module.ts` of all rooms stand together, to the right of the pages. */
const roomOf = (file: string) => (path.basename(file) === 'module.ts' ? 'module.ts' : file.split(path.sep)[0]!);
const edges = files.flatMap(from => importsOf(root, from).map(to => ({ from, to })));

test('every import leads to a file of the house', () => {
  assert.ok(edges.length > 100, 'the walk sees the imports');
  const missing = edges.filter(({ to }) => !files.includes(to));
  assert.deepEqual(missing, []);
});

test('every file lives in a room that the order knows', () => {
  const strangers = files.map(roomOf).filter(room => !ORDER.includes(room));
  assert.deepEqual(strangers, []);
});

test('no import steps to the right', () => {
  const wrong = edges.filter(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (here === there) return false;
    return KNOW_ONLY_LIB.includes(here) ? there !== 'lib' : ORDER.indexOf(there) > ORDER.indexOf(here);
  });
  assert.deepEqual(wrong, []);
});

test('no imports go round in a circle', () => {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(file), `a circle: ${[...trail, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test('outside of its folder no family and no network is compared by its name', () => {
  const names = FAMILIES.flatMap(({ kind, networks }) => [kind, ...networks.map(({ id }) => id)]);
  const comparison = new RegExp(`[=!]== '(${[...new Set(names)].join('|')})'|Exclude<(Network|Family)\\b`);
  const own = FAMILIES.map(({ kind }) => path.join('chains', kind, path.sep));
  const wrong = files.filter(
    file =>
      !own.some(folder => file.startsWith(folder)) && comparison.test(readFileSync(path.join(root, file), 'utf8')),
  );
  assert.deepEqual(wrong, []);
});
