// The pages say what the code says: states as drawn, variables, events, timers and magic amounts as listed.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { ACCOUNT_SCOPES, OPERATOR_SCOPES } from '../src/accounts/scopes.ts';
import {
  CHARGE_STATES,
  METHOD_STATUSES,
  METHOD_TRANSITIONS,
  OPEN_STATUS,
  REFUND_STATUSES,
} from '../src/charges/charge.ts';
import { CHARGE_EVENTS } from '../src/charges/life.ts';
import { readConfig } from '../src/config.ts';
import { ChargeView, PaymentView } from '../src/http/charge-schemas.ts';
import { METHODS } from '../src/rails/rail.ts';
import { PAYOUT_STATES } from '../src/transactions/payout.ts';
import { ENDINGS, HOLD_REASONS, ORDER_EVENTS, STATUS_TRANSITIONS, STATUSES } from '../src/transactions/transaction.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Sections of a page by their heading, each up to the next heading of any depth. */
function sectionsOf(file: string): Map<string, string> {
  const parts = read(file).split(/^#+ (?=.)/m);
  const sections = parts.map((part): [string, string] => {
    const [heading = '', ...lines] = part.split('\n');
    return [heading.trim(), lines.join('\n')];
  });
  assert.equal(new Set(sections.map(([heading]) => heading)).size, sections.length, `${file} has each heading once`);
  return new Map(sections);
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

/** The words that a column of the database allows; where migrations say it twice, the last one holds. */
function wordsAllowedIn(table: string, column: string): string[] {
  const sql = globSync('migrations/*.sql', { cwd: root }).sort().map(read).join('\n');
  const statements = sql.split(/^(?=(?:create|alter) table )/m).filter(text => text.split(/\s+/)[2] === table);
  const check = new RegExp(`check \\(${column} in \\(([^)]*)\\)\\)`, 'g');
  const list = statements.flatMap(text => [...text.matchAll(check)]).at(-1)?.[1];
  assert.ok(list, `${table} checks its ${column}`);
  return [...list.matchAll(/'(\w+)'/g)].map(match => match[1]!);
}

/** The cells of every table row that begins with code. */
function rowsIn(section: string | undefined): string[][] {
  const lines = (section ?? '').split('\n').filter(line => line.startsWith('| `'));
  return lines.map(line => line.split('|').map(cell => cell.trim().replace(/^`([^`]*)`$/, '$1')));
}

function describedIn(heading: string): string[] {
  const words = rowsIn(states.get(heading)).map(cells => cells[1]!);
  assert.equal(new Set(words).size, words.length, `${heading} describes each word once`);
  return words;
}

const sorted = (words: Iterable<string>) => [...words].sort();

for (const method of METHODS) {
  test(`the diagram of a ${method} is its transitions`, () => {
    const { starts, edges } = drawingIn(method);
    assert.deepEqual(sorted(edges), sorted(edgesOf(METHOD_TRANSITIONS[method])));
    assert.deepEqual(sorted(starts), ['CREATING', 'FAILED']);
  });

  test(`every status of a ${method} is drawn, and its open status follows CREATING`, () => {
    const drawn = statesOf(drawingIn(method));
    assert.deepEqual(sorted(drawn), sorted(Object.keys(METHOD_TRANSITIONS[method])));
    assert.ok(drawingIn(method).edges.includes(`CREATING --> ${OPEN_STATUS[method]}`));
    for (const other of METHODS) if (other !== method) assert.ok(!drawn.has(OPEN_STATUS[other]));
  });
}

test('the statuses of a method are the same in the code, the database and the page', () => {
  const drawn = METHODS.flatMap(method => [...statesOf(drawingIn(method))]);
  assert.deepEqual(sorted(new Set(drawn)), sorted(METHOD_STATUSES));
  assert.deepEqual(sorted(describedIn('Statuses of a method')), sorted(METHOD_STATUSES));
  assert.deepEqual(sorted(wordsAllowedIn('charge_methods', 'status')), sorted(METHOD_STATUSES));
});

test('the states of a charge are the same in the code, the database and the page', () => {
  assert.deepEqual(sorted(describedIn('States of a charge')), sorted(CHARGE_STATES));
  assert.deepEqual(sorted(wordsAllowedIn('charges', 'state')), sorted(CHARGE_STATES));
});

test('the states of a charge stand in the order in which the code asks for them', () => {
  const body = /^function stateOf\(.*?^\}/ms.exec(read('src/charges/life.ts'))?.[0] ?? '';
  // What a line returns, before the colon of a choice and after it.
  const returned = body.split('\n').flatMap(line => {
    const answer = /\breturn (.+);$/.exec(line)?.[1];
    return answer === undefined ? [] : [...answer.replace(/^.*\?/, '').matchAll(/'(\w+)'/g)].map(match => match[1]!);
  });
  assert.deepEqual(describedIn('States of a charge'), returned);
});

test('timing and paidAmount are the same in the API, the database and the page', () => {
  const { timing, paidAmount } = ChargeView.properties;
  assert.deepEqual(describedIn('timing'), [...timing.enum]);
  assert.deepEqual(describedIn('timing'), [...PaymentView.properties.timing.enum]);
  assert.deepEqual(describedIn('paidAmount'), [...paidAmount.enum]);
  for (const table of ['charges', 'payments'])
    assert.deepEqual(wordsAllowedIn(table, 'timing'), describedIn('timing'), table);
  assert.deepEqual(wordsAllowedIn('charges', 'paid_amount'), describedIn('paidAmount'));
});

test('the statuses of a refund are the same in the code, the database and the page', () => {
  assert.deepEqual(describedIn('Refunds'), [...REFUND_STATUSES]);
  assert.deepEqual(wordsAllowedIn('refunds', 'status'), [...REFUND_STATUSES]);
});

/** The words of a union of string literals, as its source has them. */
function wordsOfType(file: string, name: string): string[] {
  const union = new RegExp(`^export type ${name} =([^;]+);`, 'm').exec(read(file))?.[1];
  assert.ok(union, `${file} has the type ${name}`);
  return [...union.matchAll(/'([^']+)'/g)].map(match => match[1]!);
}

test('every event of a charge is on the page and no other', () => {
  assert.deepEqual(describedIn('Events'), [...CHARGE_EVENTS]);
});

test('the kinds of timers are the same in the code, the database and the page', () => {
  const kinds = wordsOfType('src/charges/store-timers.ts', 'TimerKind');
  assert.deepEqual(describedIn('Timers'), kinds);
  assert.deepEqual(wordsAllowedIn('charge_timers', 'kind'), kinds);
});

test('the diagram of crypto transactions is their transitions', () => {
  const drawing = drawingIn('Crypto transactions');
  assert.deepEqual(drawing.starts, ['pending_payment']);
  assert.deepEqual(sorted(drawing.edges), sorted(edgesOf(STATUS_TRANSITIONS)));
});

test('the statuses of a crypto transaction are the same in the code, the database and the page', () => {
  assert.deepEqual(sorted(statesOf(drawingIn('Crypto transactions'))), sorted(STATUSES));
  assert.deepEqual(sorted(describedIn('Crypto transactions')), sorted(STATUSES));
  assert.deepEqual(sorted(wordsAllowedIn('crypto_transactions', 'status')), sorted(STATUSES));
});

test('hold reasons and endings are the same in the code, the database and the page, and each hold has a way out', () => {
  assert.deepEqual(describedIn('Hold reasons'), [...HOLD_REASONS]);
  assert.deepEqual(wordsAllowedIn('crypto_transactions', 'hold_reason'), [...HOLD_REASONS]);
  for (const [, reason, , wayOut] of rowsIn(states.get('Hold reasons'))) assert.ok(wayOut, reason);
  assert.deepEqual(describedIn('Endings'), [...ENDINGS]);
  assert.deepEqual(wordsAllowedIn('crypto_transactions', 'ended_as'), [...ENDINGS]);
});

test('every event of a crypto transaction is on the page and no other', () => {
  assert.deepEqual(
    describedIn('Events of a crypto transaction'),
    ORDER_EVENTS.map(event => `crypto_transaction.${event}`),
  );
});

test('the timers of a crypto transaction are the same in the code, the database and the page', () => {
  const kinds = wordsOfType('src/transactions/store-timers.ts', 'OrderTimerKind');
  assert.deepEqual(describedIn('Timers of a crypto transaction'), kinds);
  assert.deepEqual(wordsAllowedIn('transaction_timers', 'kind'), kinds);
});

test('the states of a payout are the same in the code, the database and the page', () => {
  assert.deepEqual(describedIn('States of a payout'), [...PAYOUT_STATES]);
  assert.deepEqual(wordsAllowedIn('payouts', 'state'), [...PAYOUT_STATES]);
});

test('the page of orders has a section for every hold', () => {
  const sections = [...sectionsOf('docs/orders.md').keys()];
  assert.deepEqual(
    sections.filter(heading => HOLD_REASONS.some(reason => reason === heading)),
    [...HOLD_REASONS],
  );
});

/** Every variable that src/config.ts names: by asking for it, or in a list of its own. */
function knownVariables(): string[] {
  const found = read('src/config.ts').matchAll(/\b(?:value|whole|oneOf)\('([A-Z_]+)'|'(TRILHO_[A-Z_]+)'/g);
  return sorted(new Set([...found].map(match => match[1] ?? match[2]!)));
}

/** The commented-out assignments of .env.example, as if they were not. */
function exampleEnvironment(): Record<string, string | undefined> {
  const lines = read('.env.example').split('\n');
  return parseEnv(lines.flatMap(line => /^#([A-Z_]+=.*)$/.exec(line)?.[1] ?? []).join('\n'));
}

const readme = sectionsOf('README.md');
const readmeRows = rowsIn(readme.get('Configuration'));

test('README and .env.example name every variable and no other', () => {
  assert.deepEqual(
    knownVariables(),
    sorted([
      ...['PORT', 'HOST', 'DATABASE_URL', 'LOG_LEVEL'],
      ...['TRILHO_MODE', 'TRILHO_DATA_DIR', 'TRILHO_DEMO', 'TRILHO_PAGE_SIZE'],
      ...['TRILHO_RATE_LIMIT', 'TRILHO_MAX_IN_FLIGHT'],
      ...['TRILHO_RATE_USD', 'TRILHO_RATE_EUR'],
      ...['TRILHO_WALLET_WAIT'],
      ...['TRILHO_PIX_KEY', 'TRILHO_PIX_NAME', 'TRILHO_PIX_CITY'],
      ...['TRILHO_PRICES', 'TRILHO_PRICE_SOURCES', 'TRILHO_PRICE_MAX_AGE', 'TRILHO_PRICE_MAX_SPREAD'],
      ...['TRILHO_FEE_PERCENT'],
      ...['TRILHO_CUT_OFF', 'TRILHO_SETTLES_AT', 'TRILHO_SAME_DAY', 'TRILHO_BANKING_DAYS'],
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

test('docs/keys.md describes every scope and no other, those of the operator apart', () => {
  const keys = sectionsOf('docs/keys.md');
  const scopesIn = (heading: string) => rowsIn(keys.get(heading)).map(cells => cells[1]!);
  assert.deepEqual(scopesIn('Scopes'), [...ACCOUNT_SCOPES]);
  assert.deepEqual(scopesIn('Scopes of the operator'), [...OPERATOR_SCOPES]);
});

test('README lists every magic amount of the sandbox and no other', () => {
  const known = [...read('src/rails/sandbox-bank.ts').matchAll(/^ {2}'(\d{4})': '\w+',$/gm)].map(match => match[1]!);
  assert.ok(known.length > 0, 'the walk sees the amounts');
  assert.deepEqual(
    rowsIn(readme.get('Magic amounts')).map(cells => cells[1]!),
    known,
  );
});

test('README names every room of the house and draws their order', () => {
  const section = readme.get('How it is built');
  const rooms = globSync('src/*', { cwd: root, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name);
  const named = rowsIn(section).map(cells => /^src\/(\w+)$/.exec(cells[1]!)?.[1]);
  assert.deepEqual(sorted(named.filter(name => name !== undefined)), sorted(rooms));
  const order = /^ {2}'([\w.]+)',$/gm;
  const house = [...(/const ORDER = \[(.*?)\];/s.exec(read('test/house.test.ts'))?.[1] ?? '').matchAll(order)];
  assert.ok(section?.includes(`\`${house.map(match => match[1]).join(' < ')}\``));
});

test('a link between pages leads to a file, and every decision keeps its number', () => {
  for (const page of ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: root })]) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^https?:/.test(target)) continue;
      assert.ok(existsSync(path.join(root, path.dirname(page), target)), `${page} links to ${target}`);
    }
  }
  const decisions = globSync('docs/decisions/*.md', { cwd: root }).sort();
  for (const [index, page] of decisions.entries()) {
    const number = index + 1;
    assert.match(path.basename(page), new RegExp(`^${String(number).padStart(4, '0')}-`));
    assert.match(read(page), new RegExp(`^# ${number}\\. `));
  }
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
