// The pages agree with the code: states as drawn; variables, events, timers, jobs, faults and magic amounts as listed; every file
// and link that they name exists.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { CONTROL_REQUESTS, FAULT_KINDS, PROFILE_NAMES, PROFILES } from '@trilho/psp';
import { ACCOUNT_SCOPES, OPERATOR_SCOPES } from '../src/accounts/scopes.ts';
import { ChargeView } from '../src/api/charges.ts';
import { PaymentView } from '../src/api/payments.ts';
import { INSTALMENT_PLAN_STATES, INSTALMENT_PLAN_TRANSITIONS } from '../src/billing/instalments/instalment-plan.ts';
import { COLLECTION_TRANSITIONS } from '../src/billing/mandates/collection.ts';
import { MANDATE_TRANSITIONS } from '../src/billing/mandates/mandate.ts';
import { PLAN_EVENTS } from '../src/billing/plans/plan.ts';
import { REMINDER_TRANSITIONS } from '../src/billing/reminders/reminder.ts';
import {
  CYCLE_STATUSES,
  CYCLE_TRANSITIONS,
  SUBSCRIPTION_EVENTS,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTION_TRANSITIONS,
} from '../src/billing/subscriptions/subscription.ts';
import { EVM_NETWORKS } from '../src/chains/evm/networks/list.ts';
import { SIGNER_SHAPES } from '../src/chains/signer/signer-settings.ts';
import { CHARGE_STATES, REFUND_STATUSES } from '../src/charges/charge.ts';
import { DISPUTE_EVENTS, DISPUTE_STATUSES, DISPUTE_TRANSITIONS } from '../src/charges/disputes/dispute.ts';
import { CHARGE_EVENTS } from '../src/charges/life.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { readConfig } from '../src/config/config.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { ENDINGS, HOLD_REASONS, ORDER_EVENTS, STATUS_TRANSITIONS, STATUSES } from '../src/orders/order.ts';
import { PAYOUT_STATES } from '../src/payouts/payout.ts';
import { ABILITIES } from '../src/rails/abilities.ts';
import { AgreementEntry } from '../src/rails/agreement-entry.ts';
import { BACEN_FIELDS } from '../src/rails/bacen/entry.ts';
import { PROFILE_NAMES as RAIL_PROFILES } from '../src/rails/bacen/profiles.ts';
import { ApiEntry } from '../src/rails/boleto-apis/entry.ts';
import { METHOD_STATUSES, type MethodAbilities } from '../src/rails/methods/method.ts';
import { METHOD_FACTS, METHODS, type Method } from '../src/rails/methods/methods.ts';
import { ReceiverEntry } from '../src/rails/receiver-entry.ts';
import { CHAIN_FAULTS } from '../src/sandbox/chains/simulation.ts';

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

/** The arrows of a section's diagram. A line that is not an arrow is a fault, so that no line is skipped. */
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

/** The values that a column of the database allows; if several migrations set them, the last one counts. */
function valuesAllowedIn(table: string, column: string): string[] {
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
  const values = rowsIn(states.get(heading)).map(cells => cells[1]!);
  assert.equal(new Set(values).size, values.length, `${heading} describes each word once`);
  return values;
}

const sorted = (values: Iterable<string>) => [...values].sort();

for (const method of METHODS) {
  test(`the diagram of a ${method} is its transitions`, () => {
    const { starts, edges } = drawingIn(method);
    assert.deepEqual(sorted(edges), sorted(edgesOf(METHOD_FACTS[method].transitions)));
    assert.deepEqual(sorted(starts), ['CREATING', 'FAILED']);
  });

  test(`every status of a ${method} is drawn, and its open status follows CREATING`, () => {
    const drawn = statesOf(drawingIn(method));
    assert.deepEqual(sorted(drawn), sorted(Object.keys(METHOD_FACTS[method].transitions)));
    assert.ok(drawingIn(method).edges.includes(`CREATING --> ${METHOD_FACTS[method].openStatus}`));
    for (const other of METHODS) if (other !== method) assert.ok(!drawn.has(METHOD_FACTS[other].openStatus));
  });
}

test('the diagrams of subscriptions are their transitions, in the code, the database and the page', () => {
  const subscription = drawingIn('Statuses of a subscription');
  assert.deepEqual(sorted(subscription.edges), sorted(edgesOf(SUBSCRIPTION_TRANSITIONS)));
  assert.deepEqual(sorted(statesOf(subscription)), sorted(SUBSCRIPTION_STATUSES));
  assert.deepEqual(sorted(valuesAllowedIn('subscriptions', 'status')), sorted(SUBSCRIPTION_STATUSES));
  const cycle = drawingIn('Statuses of a cycle');
  assert.deepEqual(sorted(cycle.edges), sorted(edgesOf(CYCLE_TRANSITIONS)));
  assert.deepEqual(sorted(valuesAllowedIn('subscription_cycles', 'status')), sorted(CYCLE_STATUSES));
  const page = sectionsOf('docs/subscriptions.md');
  const described = rowsIn(page.get('A subscription')).map(cells => cells[1]!);
  assert.deepEqual(sorted(described), sorted(CYCLE_STATUSES));
  const told = [...page.get('Events')!.matchAll(/`((?:subscription|plan)\.\w+)`/g)].map(([, type]) => type!);
  assert.deepEqual(sorted(told), sorted([...SUBSCRIPTION_EVENTS, ...PLAN_EVENTS]));
});

test('the statuses of a method are the same in the code, the database and the page', () => {
  const drawn = METHODS.flatMap(method => [...statesOf(drawingIn(method))]);
  assert.deepEqual(sorted(new Set(drawn)), sorted(METHOD_STATUSES));
  assert.deepEqual(sorted(describedIn('Statuses of a method')), sorted(METHOD_STATUSES));
  assert.deepEqual(sorted(valuesAllowedIn('charge_methods', 'status')), sorted(METHOD_STATUSES));
});

test('mandates, collections and reminders have the same states and transitions in the code, the database and the page', () => {
  const lives = [
    ['Mandate', 'mandates', MANDATE_TRANSITIONS],
    ['Collection', 'mandate_collections', COLLECTION_TRANSITIONS],
    ['Reminders', 'reminders', REMINDER_TRANSITIONS],
  ] as const;
  for (const [heading, name, transitions] of lives) {
    const table: Readonly<Record<string, readonly { readonly to: string }[]>> = transitions;
    const targets = Object.entries(table).map(([from, nexts]) => [from, nexts.map(({ to }) => to)]);
    const drawing = drawingIn(heading);
    assert.deepEqual(sorted(drawing.edges), sorted(edgesOf(Object.fromEntries(targets))));
    assert.deepEqual(sorted(statesOf(drawing)), sorted(Object.keys(transitions)));
    assert.deepEqual(sorted(valuesAllowedIn(name, 'status')), sorted(Object.keys(transitions)));
  }
});

test('the diagram of a dispute is its transitions, with the states of the database and its events', () => {
  const { starts, edges } = drawingIn('Disputes');
  assert.deepEqual(sorted(edges), sorted(edgesOf(DISPUTE_TRANSITIONS)));
  assert.deepEqual(starts, ['open']);
  assert.deepEqual(sorted(valuesAllowedIn('disputes', 'status')), sorted(DISPUTE_STATUSES));
  assert.deepEqual(sorted(describedIn('Disputes')), sorted([...DISPUTE_STATUSES, ...DISPUTE_EVENTS]));
});

test('the diagram of an instalment plan is its transitions, with the states of the database', () => {
  const { starts, edges } = drawingIn('Instalment plans');
  assert.deepEqual(sorted(edges), sorted(edgesOf(INSTALMENT_PLAN_TRANSITIONS)));
  assert.deepEqual(starts, ['OPEN']);
  assert.deepEqual(sorted(valuesAllowedIn('instalment_plans', 'state')), sorted(INSTALMENT_PLAN_STATES));
});

test('the states of a charge are the same in the code, the database and the page', () => {
  assert.deepEqual(sorted(describedIn('States of a charge')), sorted(CHARGE_STATES));
  assert.deepEqual(sorted(valuesAllowedIn('charges', 'state')), sorted(CHARGE_STATES));
});

test('the states of a charge are in the order in which the code checks them', () => {
  const body = /^function stateOf\(.*?^\}/ms.exec(read('src/charges/life.ts'))?.[0] ?? '';
  // The values that a line returns, before and after the colon of a choice.
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
    assert.deepEqual(valuesAllowedIn(table, 'timing'), describedIn('timing'), table);
  assert.deepEqual(valuesAllowedIn('charges', 'paid_amount'), describedIn('paidAmount'));
});

test('the statuses of a refund are the same in the code, the database and the page', () => {
  assert.deepEqual(describedIn('Refunds'), [...REFUND_STATUSES]);
  assert.deepEqual(valuesAllowedIn('refunds', 'status'), [...REFUND_STATUSES]);
});

/** The members of a union of string literals, from its source. */
function valuesOfType(file: string, name: string): string[] {
  const union = new RegExp(`^(?:export )?type ${name} =([^;]+);`, 'm').exec(read(file))?.[1];
  assert.ok(union, `${file} has the type ${name}`);
  return [...union.matchAll(/'([^']+)'/g)].map(match => match[1]!);
}

test('every event of a charge is on the page and no other', () => {
  assert.deepEqual(describedIn('Events'), [...CHARGE_EVENTS]);
});

test('the kinds of timers are the same in the code, the database and the page', () => {
  const kinds = valuesOfType('src/charges/store/timers.ts', 'TimerKind');
  assert.deepEqual(describedIn('Timers'), kinds);
  assert.deepEqual(valuesAllowedIn('charge_timers', 'kind'), kinds);
});

test('the diagram of crypto transactions is their transitions', () => {
  const drawing = drawingIn('Crypto transactions');
  assert.deepEqual(drawing.starts, ['pending_payment']);
  assert.deepEqual(sorted(drawing.edges), sorted(edgesOf(STATUS_TRANSITIONS)));
});

test('the statuses of a crypto transaction are the same in the code, the database and the page', () => {
  assert.deepEqual(sorted(statesOf(drawingIn('Crypto transactions'))), sorted(STATUSES));
  assert.deepEqual(sorted(describedIn('Crypto transactions')), sorted(STATUSES));
  assert.deepEqual(sorted(valuesAllowedIn('orders', 'status')), sorted(STATUSES));
});

test('hold reasons and endings are the same in the code, the database and the page, and each hold has a way out', () => {
  assert.deepEqual(describedIn('Hold reasons'), [...HOLD_REASONS]);
  assert.deepEqual(valuesAllowedIn('orders', 'hold_reason'), [...HOLD_REASONS]);
  for (const [, reason, , wayOut] of rowsIn(states.get('Hold reasons'))) assert.ok(wayOut, reason);
  assert.deepEqual(describedIn('Endings'), [...ENDINGS]);
  assert.deepEqual(valuesAllowedIn('orders', 'ended_as'), [...ENDINGS]);
});

test('every event of a crypto transaction is on the page and no other', () => {
  assert.deepEqual(
    describedIn('Events of a crypto transaction'),
    ORDER_EVENTS.map(event => `crypto_transaction.${event}`),
  );
});

test('the timers of a crypto transaction are the same in the code, the database and the page', () => {
  const kinds = valuesOfType('src/orders/store-timers.ts', 'OrderTimerKind');
  assert.deepEqual(describedIn('Timers of a crypto transaction'), kinds);
  assert.deepEqual(valuesAllowedIn('order_timers', 'kind'), kinds);
});

test('the states of a payout are the same in the code, the database and the page', () => {
  assert.deepEqual(describedIn('States of a payout'), [...PAYOUT_STATES]);
  assert.deepEqual(valuesAllowedIn('payouts', 'state'), [...PAYOUT_STATES]);
});

test('the page of orders on hold has a section for every reason', () => {
  const sections = [...sectionsOf('docs/order-holds.md').keys()];
  assert.deepEqual(
    sections.filter(heading => HOLD_REASONS.some(reason => reason === heading)),
    [...HOLD_REASONS],
  );
});

const settingNames = SETTINGS.map(({ name }) => name);

/** The commented-out assignments of .env.example. */
function exampleEnvironment(): Record<string, string | undefined> {
  const lines = read('.env.example').split('\n');
  return parseEnv(lines.flatMap(line => /^#([A-Z_]+=.*)$/.exec(line)?.[1] ?? []).join('\n'));
}

const readme = sectionsOf('README.md');

test('docs/configuration.md and .env.example name every setting and no other', () => {
  const rows = rowsIn(sectionsOf('docs/configuration.md').get('Settings'));
  assert.deepEqual(
    rows.map(cells => cells[1]!),
    settingNames,
  );
  assert.deepEqual(sorted(Object.keys(exampleEnvironment())), sorted(settingNames));
});

test('.env.example has the defaults when everything is uncommented', () => {
  assert.deepEqual(readConfig(exampleEnvironment()), readConfig({}));
});

test('docs/keys.md describes every scope and no other, those of the operator apart', () => {
  const keys = sectionsOf('docs/keys.md');
  const scopesIn = (heading: string) => rowsIn(keys.get(heading)).map(cells => cells[1]!);
  assert.deepEqual(scopesIn('Scopes'), [...ACCOUNT_SCOPES]);
  assert.deepEqual(scopesIn('Scopes of the operator'), [...OPERATOR_SCOPES]);
});

const sandbox = sectionsOf('docs/sandbox.md');

test('docs/sandbox.md lists every magic amount and no other', () => {
  const known = [...read('src/sandbox/bank.ts').matchAll(/^ {2}'(\d{4})': '\w+',$/gm)].map(match => match[1]!);
  assert.ok(known.length > 0, 'the walk sees the amounts');
  assert.deepEqual(
    rowsIn(sandbox.get('Magic amounts')).map(cells => cells[1]!),
    known,
  );
});

test('docs/sandbox.md describes every fault that can be injected and no other', () => {
  const described = rowsIn(sandbox.get('Fault injection')).map(cells => cells[1]!);
  assert.deepEqual(described, [...CHAIN_FAULTS]);
});

const psp = sectionsOf('packages/psp/README.md');

test('the help of trilho chain names every network that it can stand for', () => {
  const help = COMMANDS.get('chain')?.help.join('\n') ?? '';
  for (const { id } of EVM_NETWORKS) assert.match(help, new RegExp(`\\b${id}\\b`));
});

test('packages/psp/README.md lists every fault, profile and control request of the simulated PSP', () => {
  const listed = (heading: string) => rowsIn(psp.get(heading)).map(cells => cells[1]!);
  assert.deepEqual(listed('Faults'), FAULT_KINDS);
  assert.deepEqual(listed('Profiles'), [...PROFILE_NAMES]);
  const bases = rowsIn(psp.get('Profiles')).map(cells => cells[2]!);
  assert.deepEqual(
    bases,
    PROFILE_NAMES.map(name => PROFILES[name].basePath),
  );
  assert.deepEqual(
    listed('The control API').map(request => request.replace(/\{\w+\}/, '{}')),
    CONTROL_REQUESTS,
  );
  for (const name of PROFILE_NAMES) assert.ok(COMMANDS.get('psp')?.help.join('\n').includes(name), name);
});

test('the settings for the simulated PSP are the same in docs/live.md and in the file that README names', () => {
  const example = read('docs/examples/psp.json');
  assert.ok(read('docs/live.md').includes(`<<'END'\n${example}END\n`));
  assert.ok(read('README.md').includes('TRILHO_CONFIG=docs/examples/psp.json'));
});

test('docs/rails.md names every field of a rail and of the receiver, and every profile', () => {
  const rails = sectionsOf('docs/rails.md');
  const firstCells = (heading: string) => rowsIn(rails.get(heading)).map(cells => cells.slice(1).join(' '));
  const page = firstCells('Fields of a rail').join(' ');
  const source = read('src/rails/bacen/entry.ts');
  const { webhook, ...others } = BACEN_FIELDS;
  for (const field of Object.keys({ ...others, ...webhook.properties })) assert.ok(page.includes(field), field);
  const quirks = /const Quirks = (.*?)\n\);/s.exec(source)?.[1] ?? '';
  for (const [, field = ''] of quirks.matchAll(/^ {4}(\w+): /gm)) {
    assert.ok(rails.get('Quirks')?.includes(field), field);
  }
  assert.deepEqual(
    rowsIn(rails.get('Profiles')).map(cells => cells[1]!),
    [...RAIL_PROFILES],
  );
  for (const field of Object.keys(ReceiverEntry.properties))
    assert.ok(rails.get('The receiver')?.includes(`\`${field}\``), field);
});

test('docs/adding-a-rail.md shows which methods have each ability', () => {
  const rows = rowsIn(sectionsOf('docs/adding-a-rail.md').get('What a method can')).map(cells => cells.slice(1, 4));
  const wordOf = (ability: Ability, method: Method) => {
    const held = ABILITIES[method][ability];
    return typeof held === 'string' ? held : held === undefined ? '–' : held ? 'yes' : 'no';
  };
  type Ability = keyof MethodAbilities;
  const abilities = Object.keys(ABILITIES.boleto) as Ability[];
  assert.deepEqual(
    rows,
    abilities.map(ability => [ability, wordOf(ability, 'boleto'), wordOf(ability, 'pix')]),
  );
});

test('docs/boletos.md names every field of an agreement', () => {
  const page = sectionsOf('docs/boletos.md').get('Agreements') ?? '';
  for (const field of Object.keys(AgreementEntry.properties)) assert.ok(page.includes(`\`${field}\``), field);
});

test('docs/boleto-apis.md names every field of the API of a bank', () => {
  const page = sectionsOf('docs/boleto-apis.md').get('Setting it up') ?? '';
  for (const field of Object.keys(ApiEntry.properties)) assert.ok(page.includes(`\`${field}\``), field);
});

test('docs/adding-a-network.md names every field of the file of a network', () => {
  const page = sectionsOf('docs/adding-a-network.md').get('An EVM network') ?? '';
  const fields = new Set(EVM_NETWORKS.flatMap(facts => Object.keys(facts)));
  const named = [...page.matchAll(/^ {3}\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) => cell.match(/\w{2,}/g) ?? []);
  assert.deepEqual(sorted(new Set(named)), sorted(fields));
});

test('docs/signers.md names every field of a signer', () => {
  const page = sectionsOf('docs/signers.md').get('Fields of a signer') ?? '';
  const fields = SIGNER_SHAPES.flatMap(({ properties }) => Object.keys(properties));
  const named = [...page.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) => cell.match(/\w{3,}/g) ?? []);
  assert.deepEqual(sorted(new Set(named)), sorted(new Set(fields)));
});

const architecture = sectionsOf('docs/architecture.md');

test('docs/architecture.md names every room of the house and draws their order', () => {
  const section = architecture.get('Rooms');
  const rooms = globSync('src/*', { cwd: root, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name);
  const named = rowsIn(section).map(cells => /^src\/(\w+)$/.exec(cells[1]!)?.[1]);
  assert.deepEqual(sorted(named.filter(name => name !== undefined)), sorted(rooms));
  const order = /^ {2}'([\w.-]+)',$/gm;
  const house = [...(/const ORDER = \[(.*?)\];/s.exec(read('test/house.test.ts'))?.[1] ?? '').matchAll(order)];
  assert.ok(section?.includes(`\`${house.map(match => match[1]).join(' < ')}\``));
});

test('docs/architecture.md lists every job with the file that declares it', () => {
  const declared = globSync('src/**/*.ts', { cwd: root })
    .filter(file => file !== path.join('src', 'jobs', 'job.ts'))
    .flatMap(file =>
      [...read(file).matchAll(/\b(?:defineJob|perNetwork)<[^']*>\('([\w.]+)'\)/g)].map(
        match => `${match[1]} ${file.split(path.sep).slice(1).join('/')}`,
      ),
    );
  assert.ok(declared.length > 0, 'the walk sees the jobs');
  const listed = rowsIn(architecture.get('Jobs')).map(([, job, file]) => `${job} ${file}`);
  assert.deepEqual(sorted(listed), sorted(declared));
});

test('the page of batching lists every batcher with its limits', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).filter(file => !file.endsWith('batcher.ts'));
  const batchers = sources
    .filter(file => /\bbatcher(?:<[^(]*>)?\(/.test(read(file)))
    .map(file => {
      const limits = /LIMITS = \{ maxSize: ([\d_]+), maxRunning: ([\d_]+), maxWaiting: ([\d_]+) \}/.exec(read(file));
      assert.ok(limits, `${file} names its limits`);
      return [file.split(path.sep).slice(1).join('/'), ...limits.slice(1).map(text => text.replaceAll('_', ''))];
    });
  assert.ok(batchers.length > 0, 'the walk sees the batchers');
  const rows = rowsIn(sectionsOf('src/storage/batching/README.md').get('Who uses it'));
  const listed = rows.map(([, file, , ...limits]) => [
    file,
    ...limits.slice(0, 3).map(text => text.replaceAll(',', '')),
  ]);
  assert.deepEqual(listed.map(String).sort(), batchers.map(String).sort());
});

const MAX_README_LINES = 150;

test('README is short and has its sections in order', () => {
  assert.ok(read('README.md').trimEnd().split('\n').length <= MAX_README_LINES);
  assert.deepEqual([...readme.keys()].slice(1), [
    'Trilho',
    'Start',
    'First charge',
    'First paid pix',
    'First order',
    'Going live',
    'Documentation',
    'Licence',
  ]);
});

const decisionPages = globSync('docs/decisions/[0-9]*.md', { cwd: root }).sort();
const pages = [
  ...['README.md', 'CHANGELOG.md'],
  ...globSync('docs/*.md', { cwd: root }).sort(),
  ...decisionPages,
  'docs/decisions/README.md',
  ...globSync('src/**/*.md', { cwd: root }).sort(),
  ...globSync('packages/*/*.md', { cwd: root }).sort(),
];

test('a command on a page is npx trilho, which a checkout has, or one in a container, and one that exists', () => {
  for (const page of pages.filter(name => name !== 'CHANGELOG.md')) {
    assert.doesNotMatch(read(page), /node bin\/trilho/, page);
    for (const [, block = ''] of read(page).matchAll(/^ *```sh\n(.*?)^ *```$/gms)) {
      for (const [, runner, command = ''] of block.matchAll(
        /(?:^|[ (])(npx |docker compose run --rm (?:-T )?|docker compose exec (?:-\w (?:\S+=\S+ )?)*trilho )?trilho (\w+)/gm,
      )) {
        assert.ok(runner !== undefined && COMMANDS.has(command), `${page}: trilho ${command}`);
      }
    }
  }
});

test('the index of the documentation links to every page', () => {
  const linked = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(match => match[1]!);
  const written = globSync('docs/*.md', { cwd: root }).map(page => path.basename(page));
  assert.deepEqual(sorted(new Set([...linked, 'README.md'])), sorted(written));
});

test('the glossary has each term once', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(match => match[1]!.toLowerCase());
  assert.ok(terms.length > 100, 'the walk sees the words');
  assert.deepEqual(sorted(new Set(terms)), sorted(terms));
});

test('a file that a page names exists, in the project or in src', () => {
  // The changelog may name files of earlier versions.
  for (const page of pages.filter(name => name !== 'CHANGELOG.md')) {
    for (const [, file = ''] of read(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|js|sql))`/g)) {
      const isThere = ['', 'src'].some(folder => existsSync(path.join(root, folder, file)));
      assert.ok(isThere, `${page} names ${file}`);
    }
  }
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(match => match[1]!);
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('a link between pages leads to a file and a heading', () => {
  for (const page of pages) {
    for (const [, target = '', anchor] of read(page).matchAll(/\]\(([^)#\s]+)(?:#([^)\s]+))?\)/g)) {
      if (/^https?:/.test(target)) continue;
      const file = path.join(path.dirname(page), target);
      assert.ok(existsSync(path.join(root, file)), `${page} links to ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), `${page} links to ${target}#${anchor}`);
    }
    for (const [, anchor = ''] of read(page).matchAll(/\]\(#([^)\s]+)\)/g)) {
      assert.ok(anchorsOf(page).includes(anchor), `${page} links to its own #${anchor}`);
    }
  }
});

test('every decision bears its number, which no other has, and stands once in the index under its title', () => {
  const written = decisionPages.map(page => {
    const [, number = '', title] = /^# (\d+)\. (.+)$/m.exec(read(page)) ?? [];
    const file = path.basename(page);
    assert.equal(file.slice(0, 5), `${number.padStart(4, '0')}-`);
    return `| ${number} | [${title}](${file}) |`;
  });
  const listed = read('docs/decisions/README.md').match(/^\| \d+ \|.*$/gm) ?? [];
  assert.deepEqual(sorted(listed), sorted(written));
  assert.equal(new Set(written.map(row => row.split('|')[1])).size, written.length);
});

test('every dependency has its reason in the decisions, in the table of its kind', () => {
  type Manifest = Readonly<Record<string, Readonly<Record<string, string>>>>;
  const manifest: Manifest = JSON.parse(read('package.json'));
  const ofPackages = globSync('packages/*/package.json', { cwd: root }).map((file): Manifest => JSON.parse(read(file)));
  const namesOf = (kind: string) =>
    [manifest, ...ofPackages].flatMap(one => Object.keys(one[kind] ?? {})).filter(name => !name.startsWith('@trilho/'));
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
    kinds.map(kind => sorted(new Set(namesOf(kind)))),
  );
});
