// The order of the rooms: a file imports from its own folder or from rooms to the left, without circles. Leftmost are the packages,
// which import nothing of the service.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { FAMILIES } from '../src/chains/families.ts';
import { METHODS } from '../src/rails/methods/methods.ts';
import { importsOf, specifiersOf } from './runner/import-graph.ts';

const ORDER = [
  'packages',
  'lib',
  'rails',
  'chains',
  'prices',
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
  'billing',
  'payers',
  'noun.ts',
  'nouns.ts',
  'api',
  'http',
  'web',
  'module.ts',
  'sandbox',
  'config',
  'app',
  'app.ts',
  'cli',
  'main.ts',
];
/** Rooms that import only `lib` and the packages. */
const KNOW_ONLY_LIB = ['rails', 'chains', 'prices'];

const repository = path.join(import.meta.dirname, '..');
const root = path.join(repository, 'src');
const packages = globSync('packages/*/package.json', { cwd: repository }).map(file => path.dirname(file));
type Manifest = {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
};
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(repository, folder, 'package.json'), 'utf8'));
const doors = packages.flatMap(folder =>
  Object.values(manifestOf(folder).exports).map(file => path.relative(root, path.join(repository, folder, file))),
);
const files = [...globSync('**/*.{ts,json}', { cwd: root }), ...doors];

/**
 * The `module.ts` of all rooms use the faces, so they count as one room to the right of the pages; their declarations, `noun.ts`, as one
 * room after all nouns.
 */
const TOGETHER = ['module.ts', 'noun.ts'];

const roomOf = (file: string) => {
  if (doors.includes(file)) return 'packages';
  return TOGETHER.find(name => path.basename(file) === name) ?? file.split(path.sep)[0]!;
};
const isDoor = (file: string) => doors.includes(file);
const edges = files.filter(file => !isDoor(file)).flatMap(from => importsOf(root, from).map(to => ({ from, to })));

test('every import leads to a file of the house', () => {
  assert.ok(edges.length > 100, 'the walk sees the imports');
  const missing = edges.filter(({ to }) => !files.includes(to));
  assert.deepEqual(missing, []);
});

test('every file is in a room of the order', () => {
  const strangers = files.map(roomOf).filter(room => !ORDER.includes(room));
  assert.deepEqual(strangers, []);
});

test('no import steps to the right', () => {
  const wrong = edges.filter(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (here === there) return false;
    return KNOW_ONLY_LIB.includes(here)
      ? there !== 'lib' && there !== 'packages'
      : ORDER.indexOf(there) > ORDER.indexOf(here);
  });
  assert.deepEqual(wrong, []);
});

test('imports have no circles', () => {
  assertNoCircle(files, edges);
});

test('no family or network is compared by its name outside its folder', () => {
  const names = FAMILIES.flatMap(({ kind, networks }) => [kind, ...networks.map(({ id }) => id)]);
  const comparison = new RegExp(`[=!]== '(${[...new Set(names)].join('|')})'|Exclude<(Network|Family)\\b`);
  const own = FAMILIES.map(({ kind }) => path.join('chains', kind, path.sep));
  const wrong = files.filter(
    file =>
      !own.some(folder => file.startsWith(folder)) && comparison.test(readFileSync(path.join(root, file), 'utf8')),
  );
  assert.deepEqual(wrong, []);
});

test('outside of the rails no method is compared by its name', () => {
  const name = `'(${METHODS.join('|')})'`;
  const comparison = new RegExp(`[=!]== ${name}|case ${name}`);
  const others = files.filter(file => !['packages', 'rails'].includes(roomOf(file)));
  const wrong = others.filter(file => comparison.test(readFileSync(path.join(root, file), 'utf8')));
  assert.deepEqual(wrong, []);
});

test('no bank is compared by its code', () => {
  const sources = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: repository });
  const wrong = sources.filter(file => /[=!]== '\d{3}'/.test(readFileSync(path.join(repository, file), 'utf8')));
  assert.deepEqual(wrong, []);
});

/** Phrasing that a reader of English stumbles over; docs/glossary.md has the words of the field. */
const PHRASES = [
  /\b(told|tells of|whichever|whoever|somebody|(?<!')nobody|so many)\b/i,
  /\b(is|are|was|has|have|make|makes) none\b/i,
  /\bnone (is|are|was) (left|read|made|wanted)\b/i,
  /\b(not|left|is|are) after all\b/i,
];

test('comments, messages and names are in the words of the field', () => {
  const sources = globSync(['src/**/*.{ts,js}', 'packages/*/src/**/*.ts'], { cwd: repository });
  const odd = sources.flatMap(file =>
    readFileSync(path.join(repository, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        PHRASES.some(phrase => phrase.test(line)) ? [`${file}:${index + 1} ${line.trim()}`] : [],
      ),
  );
  assert.deepEqual(odd, []);
});

test('a receipt, a claim and a seal are one thing each', () => {
  const sources = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: repository });
  const declared = sources.flatMap(file =>
    [
      ...readFileSync(path.join(repository, file), 'utf8').matchAll(
        /\b(?:type|class|interface) (Receipt|Claim|Seal)\b(?= [={])/g,
      ),
    ].map(([, name]) => name),
  );
  assert.deepEqual(declared, [...new Set(declared)]);
});

/** The column of the owner, the grammar of SQL, and names that were published, or stored, before payouts had owners. */
const NAMES_OF_OWNERS = [/\border by\b/g, /\border_id\b/g, /'(order|orders_waiting|order\.claim)'/g];

test('payouts know their owner by an id, and do not name orders', () => {
  const naming = files
    .filter(file => file.startsWith(`payouts${path.sep}`))
    .filter(file => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const rest = NAMES_OF_OWNERS.reduce((left, name) => left.replaceAll(name, ''), text);
      return /order|crypto.?transaction/i.test(rest);
    });
  assert.deepEqual(naming, []);
});

for (const folder of packages) {
  const inside = path.join(repository, folder, 'src');
  const sources = globSync('**/*.ts', { cwd: inside });
  const { dependencies = {} } = manifestOf(folder);

  test(`${folder} imports its own files, Node and what its package.json names, without circles`, () => {
    const ownEdges = sources.flatMap(from => importsOf(inside, from).map(to => ({ from, to })));
    assert.deepEqual(
      ownEdges.filter(({ to }) => !sources.includes(to)),
      [],
    );
    assertNoCircle(sources, ownEdges);
    const foreign = sources.flatMap(from => specifiersOf(inside, from).filter(name => !/^\.|^node:/.test(name)));
    const undeclared = foreign.filter(name => isBuiltin(name) || dependencies[packageOf(name)] === undefined);
    assert.deepEqual(undeclared, []);
  });
}

/** `@scope/name/part` is part of `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function assertNoCircle(all: readonly string[], among: readonly { from: string; to: string }[]): void {
  const targets = Map.groupBy(among, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(file), `a circle: ${[...trail, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const file of all) visit(file, []);
}
