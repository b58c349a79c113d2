// npm run drill, npm run conformance, npm run docs: runs one program of a kind, with the arguments after its name. Without a name it lists
// them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Program = {
  readonly file: string;
  readonly what: string;
  /** Options of Node. */
  readonly node?: readonly string[];
};

const PROGRAMS: Readonly<Record<string, Readonly<Record<string, Program>>>> = {
  drill: {
    failover: {
      file: 'drills/failover.ts',
      what: 'three database servers under Patroni, whose leader is killed, stopped and cut off',
    },
    fuzz: { file: 'drills/fuzz.ts', what: 'a million requests made by chance from the OpenAPI document' },
    growth: { file: 'drills/growth.ts', what: 'answers and pruning beside a hundred times the rows' },
    mandates: {
      file: 'drills/mandates.ts',
      what: 'two hundred mandates through all journeys, at a PSP that loses and repeats',
    },
    month: {
      file: 'drills/month.ts',
      what: 'a hundred thousand charges, and the clock moved by a month',
      node: ['--max-old-space-size=128'],
    },
    nodes: {
      file: 'drills/nodes.ts',
      what: 'three nodes under mixed load; nodes and the database are killed again and again',
    },
    outages: {
      file: 'drills/outages.ts',
      what: 'the database stopped, silent, full, read-only or locked, and the clock stepped',
    },
    overload: { file: 'drills/overload.ts', what: 'five times too many callers, slow ones, idle ones, unread streams' },
    payouts: {
      file: 'drills/payouts.ts',
      what: 'hundreds of bad days of payouts on a real EVM node, on Tron and in the sandbox',
    },
    pooler: { file: 'drills/pooler.ts', what: 'PgBouncer in front of the database: refused, or nothing lost' },
    psp: { file: 'drills/psp.ts', what: 'five thousand payments through a PSP that loses, repeats and forges' },
    rolling: {
      file: 'drills/rolling.ts',
      what: 'nodes of the version in another folder are replaced by this one under load, and back',
    },
    subscriptions: {
      file: 'drills/subscriptions.ts',
      what: 'a thousand subscriptions over two years, on nodes that are killed',
    },
    webhooks: { file: 'drills/webhooks.ts', what: 'a hundred receivers of every event, ten of which hang' },
    week: { file: 'drills/week.ts', what: 'a week of mixed life at a share of a hundred charges a second' },
    year: {
      file: 'drills/year.ts',
      what: 'a hundred thousand subscriptions, and what a day of them reads as months pass',
    },
  },
  conformance: {
    data: { file: 'test/conformance/run.ts', what: 'our encoders and readers over a folder of published data' },
    psp: {
      file: 'test/conformance/psp/run.ts',
      what: "the simulated PSP and our rail against the Central Bank's document",
    },
    tron: { file: 'test/conformance/tron.ts', what: 'ten thousand transfers on Tron beside tronweb, byte for byte' },
  },
  docs: {
    settings: { file: 'scripts/settings-docs.ts', what: '.env.example and the table of settings' },
    client: { file: 'scripts/client-types.ts', what: 'types and methods of packages/client, from a running sandbox' },
    events: { file: 'scripts/event-examples.ts', what: 'the example of each event, recorded from a running sandbox' },
    screenshots: { file: 'scripts/screenshots.ts', what: 'the pictures of the docs, from a new sandbox' },
  },
};

const USAGE_ERROR = 2;

const [kind = '', name = '', ...args] = process.argv.slice(2);
const programs = PROGRAMS[kind] ?? {};
const program = programs[name];
if (program) {
  const file = fileURLToPath(new URL(`../${program.file}`, import.meta.url));
  const child = spawn(process.execPath, [...(program.node ?? []), file, ...args], { stdio: 'inherit' });
  // Ctrl+C reaches the program by itself; a stop of this process alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} else {
  const width = Math.max(...Object.keys(programs).map(({ length }) => length));
  const lines = Object.entries(programs).map(([each, { what }]) => `  ${each.padEnd(width)}  ${what}`);
  process.stdout.write(`${[`npm run ${kind} -- <name> [<arguments>]`, '', ...lines].join('\n')}\n`);
  process.exitCode = name === '' ? 0 : USAGE_ERROR;
}
