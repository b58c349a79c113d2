// The pages say what the code says: states as drawn, variables as listed.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { METHOD_STATUSES, METHOD_TRANSITIONS, OPEN_STATUS } from '../src/charges/charge.ts';
import { readConfig } from '../src/config.ts';
import { METHODS } from '../src/rails/rail.ts';
import { STATUS_TRANSITIONS, STATUSES } from '../src/transactions/transaction.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Sections of a page by their heading, each up to the next heading of any depth. */
function sectionsOf(file: string): Map<string, string> {
  const parts = read(file).split(/^#+ (?=.)/m);
  return new Map(
    parts.map(part => {
      const [heading = '', ...lines] = part.split('\n');
      return [heading.trim(), lines.join('\n')];
    }),
  );
}

const states = sectionsOf('docs/states.md');

type Drawing = { readonly starts: string[]; readonly edges: string[] };

/** The arrows of a section's diagram. A line that is none is a fault, so that no arrow is passed over. */
function drawingIn(heading: string): Drawing {
  const section = states.get(heading);
  const diagram = /^```mermaid\nstateDiagram-v2\n(.*?)^```$/ms.exec(section ?? '')?.[1];
  assert.ok(diagram, `docs/states.md draws ${heading}`);
  const arrows = diagram
    .trim()
    .split('\n')
    .map(line => {
      const match = /^\s*(\[\*\]|\w+) --> (\w+)(?:: .+)?$/.exec(line);
      assert.ok(match, `an arrow: ${line}`);
      return { from: match[1]!, to: match[2]! };
    });
  const isStart = ({ from }: { from: string }) => from === '[*]';
  const edges = arrows.filter(arrow => !isStart(arrow)).map(({ from, to }) => `${from} --> ${to}`);
  assert.equal(new Set(edges).size, edges.length, `${heading} draws each arrow once`);
  return { starts: arrows.filter(isStart).map(({ to }) => to), edges };
}

function edgesOf(table: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(table).flatMap(([from, targets]) => targets.map(to => `${from} --> ${to}`));
}

function statesOf({ starts, edges }: Drawing): Set<string> {
  return new Set([...starts, ...edges.flatMap(edge => edge.split(' --> '))]);
}

/** The words a table of the database allows as status; where migrations say it twice, the last one holds. */
function statusesAllowedIn(table: string): string[] {
  const sql = globSync('migrations/*.sql', { cwd: root }).sort().map(read).join('\n');
  const statements = sql.split(/^(?=(?:create|alter) table )/m).filter(text => text.split(/\s+/)[2] === table);
  const lists = statements.flatMap(text => [...text.matchAll(/check \(status in \(([^)]*)\)\)/g)]);
  const list = lists.at(-1)?.[1];
  assert.ok(list, `${table} checks its status`);
  return [...list.matchAll(/'(\w+)'/g)].map(match => match[1]!);
}

/** The cells of every table row that begins with code. */
function rowsIn(section: string | undefined): string[][] {
  const lines = (section ?? '').split('\n').filter(line => line.startsWith('| `'));
  return lines.map(line => line.split('|').map(cell => cell.trim().replace(/^`([^`]*)`$/, '$1')));
}

function describedIn(heading: string): string[] {
  return rowsIn(states.get(heading)).map(cells => cells[1]!);
}

const sorted = (words: Iterable<string>) => [...words].sort();

test('the diagrams of pix and boleto together are the transitions of a method', () => {
  const edges = METHODS.flatMap(method => drawingIn(method).edges);
  assert.deepEqual(sorted(new Set(edges)), sorted(edgesOf(METHOD_TRANSITIONS)));
});

test('each method opens with its own status and never with that of the other', () => {
  for (const method of METHODS) {
    const drawing = drawingIn(method);
    const opens = drawing.edges.filter(edge => edge.startsWith('CREATING --> '));
    assert.deepEqual(sorted(opens), sorted([`CREATING --> ${OPEN_STATUS[method]}`, 'CREATING --> FAILED']));
    assert.deepEqual(sorted(drawing.starts), ['CREATING', 'FAILED']);
    for (const other of METHODS) {
      if (other !== method)
        assert.ok(!statesOf(drawing).has(OPEN_STATUS[other]), `${method} has no status of ${other}`);
    }
  }
});

test('an arrow between two statuses that a method has is drawn for it', () => {
  for (const method of METHODS) {
    const drawing = drawingIn(method);
    const has = statesOf(drawing);
    const possible = edgesOf(METHOD_TRANSITIONS).filter(edge => edge.split(' --> ').every(status => has.has(status)));
    assert.deepEqual(sorted(drawing.edges), sorted(possible), method);
  }
});

test('the statuses of a method are the same in the code, the database and the page', () => {
  const drawn = METHODS.flatMap(method => [...statesOf(drawingIn(method))]);
  assert.deepEqual(sorted(new Set(drawn)), sorted(METHOD_STATUSES));
  assert.deepEqual(sorted(describedIn('boleto')), sorted(METHOD_STATUSES));
  assert.deepEqual(sorted(statusesAllowedIn('charge_methods')), sorted(METHOD_STATUSES));
});

test('the diagram of crypto transactions is their transitions', () => {
  const drawing = drawingIn('Crypto transactions');
  assert.deepEqual(drawing.starts, ['pending_payment']);
  assert.deepEqual(sorted(drawing.edges), sorted(edgesOf(STATUS_TRANSITIONS)));
});

test('the statuses of a crypto transaction are the same in the code, the database and the page', () => {
  assert.deepEqual(sorted(statesOf(drawingIn('Crypto transactions'))), sorted(STATUSES));
  assert.deepEqual(sorted(describedIn('Crypto transactions')), sorted(STATUSES));
  assert.deepEqual(sorted(statusesAllowedIn('crypto_transactions')), sorted(STATUSES));
});

/** Every variable that src/config.ts asks for. */
function knownVariables(): string[] {
  const found = read('src/config.ts').matchAll(/\b(?:value|whole|oneOf)\('([A-Z_]+)'/g);
  return sorted(new Set([...found].map(match => match[1]!)));
}

/** The commented-out assignments of .env.example, as if they were not. */
function exampleEnvironment(): Record<string, string | undefined> {
  const lines = read('.env.example').split('\n');
  return parseEnv(lines.flatMap(line => /^#([A-Z_]+=.*)$/.exec(line)?.[1] ?? []).join('\n'));
}

const readmeRows = rowsIn(sectionsOf('README.md').get('Configuration'));

test('README and .env.example name every variable and no other', () => {
  assert.deepEqual(
    knownVariables(),
    sorted([
      ...['PORT', 'HOST', 'DATABASE_URL', 'LOG_LEVEL'],
      ...['TRILHO_MODE', 'TRILHO_DATA_DIR', 'TRILHO_DEMO', 'TRILHO_PAGE_SIZE'],
    ]),
  );
  assert.deepEqual(sorted(Object.keys(exampleEnvironment())), knownVariables());
  assert.deepEqual(sorted(readmeRows.map(cells => cells[1]!)), knownVariables());
});

test('.env.example changes nothing when all of it is uncommented, and README shows the same defaults', () => {
  const example = exampleEnvironment();
  assert.deepEqual(readConfig(example), readConfig({}));
  const shown = readmeRows.map(([, name, fallback]) => [name, fallback === 'not set' ? '' : fallback]);
  assert.deepEqual(Object.fromEntries(shown), { ...example });
});

test('every dependency has its reason in the decisions, in the table of its kind', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const tables = read('docs/decisions/0008-dependencies.md')
    .split(/^(?=\| (?:runtime|optional|development) \|)/m)
    .slice(1);
  const named = tables.map(table => {
    const firstCells = table.split('\n').flatMap(line => /^\| (`[^|]*)\|/.exec(line)?.[1] ?? []);
    return sorted(firstCells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1]!)));
  });
  const kinds = ['dependencies', 'optionalDependencies', 'devDependencies'];
  assert.deepEqual(
    named,
    kinds.map(kind => sorted(Object.keys(manifest[kind] ?? {}))),
  );
});
