// The counts of a conformance run, and its table.
import assert from 'node:assert/strict';

/** One line of the table: the checks of one file of reference data. */
export type Row = {
  readonly file: string;
  readonly what: string;
  readonly checked: number;
  readonly passed: number;
  readonly failures: readonly string[];
  /** How often each reason made a check skip an item. */
  readonly notApplicable: ReadonlyMap<string, number>;
};

type Tally = {
  /** Checks one item; a failed assertion is counted and reported, any other error is a fault of the run itself. */
  check(label: string, attempt: () => void): void;
  /** Counts an item that we do not have to match, so that nothing is skipped silently. */
  skip(reason: string, count?: number): void;
  row(): Row;
};

export function startTally(file: string, what: string): Tally {
  let checked = 0;
  const failures: string[] = [];
  const notApplicable = new Map<string, number>();
  return {
    check: (label, attempt) => {
      checked++;
      try {
        attempt();
      } catch (error) {
        if (!(error instanceof assert.AssertionError)) throw error;
        failures.push(`${label}: ${error.message}`);
      }
    },
    skip: (reason, count = 1) => {
      notApplicable.set(reason, (notApplicable.get(reason) ?? 0) + count);
    },
    row: () => ({ file, what, checked, passed: checked - failures.length, failures, notApplicable }),
  };
}

const HEAD = ['file', 'what', 'checked', 'passed', 'not applicable'];

/** The table, with the reasons of each line below it, and every failure at the end. */
export function formatRows(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.flatMap(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map(cells => cells[column]!.length)));
  const table = lines.map(cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const failures = rows.flatMap(({ file, what, failures }) => failures.map(text => `${file}, ${what}: ${text}`));
  return [...table, ...(failures.length > 0 ? ['', `${failures.length} failed:`, ...failures] : [])].join('\n');
}

function cellsOf({ file, what, checked, passed, notApplicable }: Row): string[][] {
  const [first = '', ...rest] = [...notApplicable].map(([reason, count]) => `${count}: ${reason}`);
  return [[file, what, String(checked), String(passed), first], ...rest.map(reason => ['', '', '', '', reason])];
}
