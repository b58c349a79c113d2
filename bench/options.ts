// The command line of the benchmark: which parts, in which mode, over how many rows, for how long.
import { MODES, type Mode } from '../src/lib/mode.ts';

const PARTS = [
  'list',
  'limit',
  'charges',
  'memory',
  'counts',
  'peers',
  'way',
  'psp',
  'payouts',
  'cnab',
  'statements',
  'idle',
  'start',
  'pages',
] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  readonly parts: readonly Part[];
  readonly mode: Mode;
  /** Small sizes and short loads, not judged by the goals. */
  readonly isQuick: boolean;
  /** Sizes of the table of orders, smallest first. */
  readonly rows: readonly number[];
  /** Orders in the databases of `peers`. */
  readonly peerRows: number;
  /** The length of one round of load, and the number of rounds of each side. */
  readonly roundSeconds: number;
  readonly rounds: number;
  /** Samples of one kind of list at one size, and of the slower count-and-offset query. */
  readonly samples: number;
  readonly slowSamples: number;
  /** Charges in one round beside the driver, and the number of such rounds. */
  readonly charges: number;
  readonly chargeRounds: number;
  /** Memory is read after this many requests: early, and late. */
  readonly memoryAfter: readonly [early: number, late: number];
  readonly listConnections: number;
  readonly chargeConnections: number;
  /** How long one run of `way` lasts. */
  readonly waySeconds: number;
  readonly idleSeconds: number;
  /** Orders that wait when the measurement of `payouts` begins, and how often each case is measured. */
  readonly payouts: number;
  readonly payoutRounds: number;
  /** Boletos that go to a bank by file. */
  readonly boletos: number;
  /** Keeps the databases for the next run. */
  readonly keep: boolean;
};

const FULL = {
  rows: [100_000, 1_000_000, 10_000_000],
  peerRows: 1_000_000,
  roundSeconds: 6,
  rounds: 3,
  samples: 150,
  slowSamples: 3,
  charges: 10_000,
  chargeRounds: 15,
  memoryAfter: [20_000, 200_000],
  listConnections: 16,
  chargeConnections: 128,
  waySeconds: 20,
  idleSeconds: 30,
  payouts: 2_000,
  payoutRounds: 2,
  boletos: 100_000,
} as const;

const QUICK = {
  ...FULL,
  rows: [10_000, 100_000],
  peerRows: 100_000,
  roundSeconds: 2,
  rounds: 2,
  samples: 30,
  slowSamples: 2,
  charges: 1_500,
  chargeRounds: 3,
  memoryAfter: [1_000, 5_000],
  waySeconds: 3,
  idleSeconds: 5,
  payouts: 100,
  payoutRounds: 1,
  boletos: 2_000,
} as const;

export const USAGE = `npm run bench [-- <part> …] [--mode live|sandbox] [--rows 100k,1m,10m] [--quick] [--keep]

  list        GET /crypto/transactions as the table grows, beside count(*) with offset
  limit       GET /crypto/transactions beside its own statements sent by the driver alone
  charges     POST /charges beside its own statements sent by the driver alone
  memory      resident memory over many requests
  counts      writing orders with and without the triggers that count them
  peers       both operations beside Express with Prisma, and beside Directus
  way         a charge created, paid, and its event delivered to a receiver
  psp         charges through a simulated PSP: created with its code, paid there, credited, delivered
  payouts     orders paid out on a real EVM node with blocks of one second, alone, far away, and beside a silent network
  cnab        boletos into files for a bank, and its return files read and booked; memory meanwhile; always live
  statements  SQL statements for each charge, payment and delivery, and while idle; no goals
  idle        processor time of a service without requests
  start       npm start to the first good answer, always in the sandbox
  pages       a checkout in Chromium: bytes, requests, largest paint; a thousand open ones updated on payments; sandbox

  Without names all parts run.

  --mode      live (the default): API keys, a static pix key, rate limits off; or sandbox
  --rows      sizes of the table of orders; peers gets the middle one
  --quick     small sizes and short loads, to check that every part runs; goals are not judged
  --keep      keep the databases in bench/data/kept for the next run
  --help      print this text`;

/** `help` when that is requested; undefined for an unknown argument. */
export function readOptions(args: readonly string[]): Options | 'help' | undefined {
  const parts: Part[] = [];
  let [isQuick, keep] = [false, false];
  let mode: Mode | undefined = 'live';
  let rows: readonly number[] | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const part = PARTS.find(name => name === arg);
    if (arg === '--help') return 'help';
    if (part) parts.push(part);
    else if (arg === '--quick') isQuick = true;
    else if (arg === '--keep') keep = true;
    else if (arg === '--mode') mode = MODES.find(name => name === args[at + 1]);
    else if (arg === '--rows') rows = readSizes(args[at + 1] ?? '');
    else return undefined;
    if (arg === '--mode' || arg === '--rows') at++;
    if (!mode || (arg === '--rows' && !rows)) return undefined;
  }
  return {
    ...(isQuick ? QUICK : FULL),
    ...(rows && { rows, peerRows: rows[Math.floor((rows.length - 1) / 2)]! }),
    parts: parts.length > 0 ? PARTS.filter(name => parts.includes(name)) : PARTS,
    mode,
    isQuick,
    keep,
  };
}

const FACTORS: Record<string, number> = { '': 1, k: 1_000, m: 1_000_000 };
const MIN_ROWS = 1_000;
const MAX_ROWS = 50_000_000;

function readSizes(text: string): readonly number[] | undefined {
  const sizes = text.split(',').map(size => {
    const match = /^(\d{1,9})([km]?)$/.exec(size);
    return match ? Number(match[1]) * FACTORS[match[2]!]! : Number.NaN;
  });
  return sizes.every(size => size >= MIN_ROWS && size <= MAX_ROWS) ? sizes.sort((a, b) => a - b) : undefined;
}
