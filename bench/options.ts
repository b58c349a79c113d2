// What a run is asked to do: which parts, over how many rows, for how long.

export const PARTS = ['list', 'limit', 'counts', 'peers', 'way', 'start'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  readonly parts: readonly Part[];
  /** Everything small: to see that it runs, not how fast. */
  readonly isQuick: boolean;
  /** Sizes of the list's table, smallest first. */
  readonly rows: readonly number[];
  /** Rows that the peers are given. */
  readonly peerRows: number;
  /** How long one round of load lasts, and how many rounds each side gets in turn. */
  readonly roundSeconds: number;
  readonly rounds: number;
  /** Samples of one kind of query at one size. */
  readonly samples: number;
  /** Samples of the count and offset way, which takes its time. */
  readonly slowSamples: number;
  /** Charges of one turn beside the limit; how many turns there are, and how many beside what is only shown. */
  readonly charges: number;
  readonly chargeTurns: number;
  readonly besideTurns: number;
  /** Requests after which memory is read: early, and late. */
  readonly memoryAfter: readonly [early: number, late: number];
  readonly listConnections: number;
  readonly chargeConnections: number;
  /** Charges that go their whole way. */
  readonly ways: number;
  /** Leaves the databases for the next run, which then need not write them. */
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
  chargeTurns: 15,
  besideTurns: 3,
  memoryAfter: [20_000, 200_000],
  listConnections: 16,
  chargeConnections: 128,
  ways: 3_000,
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
  chargeTurns: 3,
  besideTurns: 1,
  memoryAfter: [1_000, 5_000],
  ways: 200,
} as const;

export const USAGE = `npm run bench [-- <part> …] [--rows 100k,1m,10m] [--quick] [--keep]

  parts     ${PARTS.join(', ')}; all of them when none is named
  --rows    sizes of the list's table; the peers are given the middle one
  --quick   small sizes and short loads: to see that it runs
  --keep    leave the databases in bench/data/kept and use them again`;

/** Undefined when the words cannot be understood. */
export function readOptions(words: readonly string[]): Options | undefined {
  const parts: Part[] = [];
  let [quick, keep] = [false, false];
  let rows: readonly number[] | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const part = PARTS.find(name => name === word);
    if (part) parts.push(part);
    else if (word === '--quick') quick = true;
    else if (word === '--keep') keep = true;
    else if (word === '--rows') rows = readSizes(words[++at] ?? '');
    else return undefined;
    if (word === '--rows' && !rows) return undefined;
  }
  const settings = quick ? QUICK : FULL;
  return {
    ...settings,
    ...(rows && { rows, peerRows: rows[Math.floor((rows.length - 1) / 2)]! }),
    parts: parts.length > 0 ? PARTS.filter(name => parts.includes(name)) : PARTS,
    isQuick: quick,
    keep,
  };
}

const FACTORS: Record<string, number> = { '': 1, k: 1_000, m: 1_000_000 };
const LEAST_ROWS = 1_000;
const MOST_ROWS = 50_000_000;

function readSizes(text: string): readonly number[] | undefined {
  const sizes = text.split(',').map(word => {
    const match = /^(\d{1,9})([km]?)$/.exec(word);
    return match ? Number(match[1]) * FACTORS[match[2]!]! : Number.NaN;
  });
  return sizes.every(size => size >= LEAST_ROWS && size <= MOST_ROWS) ? sizes.sort((a, b) => a - b) : undefined;
}

/** 100 thousand, 1 million. */
export function sizeWords(rows: number): string {
  if (rows >= 1_000_000) return `${rows / 1_000_000} million`;
  return rows >= 1_000 ? `${rows / 1_000} thousand` : String(rows);
}
