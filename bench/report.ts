// The results of a run: one row for each figure, as a table to read and as JSON.
import { writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import path from 'node:path';
import type { Mode } from '../src/lib/mode.ts';

export type Row = {
  readonly part: string;
  readonly measured: string;
  readonly result: string;
  /** What the result is compared with, measured in the same run. */
  readonly comparedWith?: string;
  readonly ratio?: string;
  readonly goal?: Goal;
};

type Goal = { readonly text: string; readonly isMet: boolean };

export type Report = {
  /** Prints a line of progress to standard error. */
  progress(text: string): void;
  add(row: Row): void;
  /** Adds a remark below the table. */
  note(text: string): void;
  /** Prints the table. It was written to bench/results.md and bench/results.json with every row. */
  finish(): void;
};

type Settings = { readonly mode: Mode; readonly isQuick: boolean };
type PrintedRow = Omit<Row, 'goal'> & { readonly goal?: string; readonly verdict?: string };

const COLUMNS = [
  { name: 'part', title: 'part' },
  { name: 'measured', title: 'measured' },
  { name: 'result', title: 'result' },
  { name: 'comparedWith', title: 'compared with' },
  { name: 'ratio', title: 'ratio' },
  { name: 'goal', title: 'goal' },
  { name: 'verdict', title: 'verdict' },
] as const;

export function startReport({ mode, isQuick }: Settings): Report {
  const startedAt = performance.now();
  const rows: PrintedRow[] = [];
  const notes: string[] = [];
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const progress = (text: string) => {
    process.stderr.write(`${String(seconds()).padStart(5)} s  ${text}\n`);
  };
  const verdict = ({ isMet }: Goal) => (isQuick ? 'not judged (--quick)' : isMet ? 'met' : 'missed');

  /** After every row, so that an interrupted run leaves its results. */
  function write(): string {
    const heading = `Mode ${mode}${isQuick ? ', --quick' : ''}, on ${machine()}.`;
    const remarks = notes.length > 0 ? ['', ...notes.map(note => `- ${note}`)] : [];
    const text = [heading, '', ...table(rows), ...remarks, ''].join('\n');
    writeFileSync(path.join(import.meta.dirname, 'results.md'), text);
    const results = {
      at: new Date().toISOString(),
      mode,
      isQuick,
      machine: machine(),
      seconds: seconds(),
      rows,
      notes,
    };
    writeFileSync(path.join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
    return text;
  }

  return {
    progress,
    add: ({ goal, ...row }) => {
      rows.push({ ...row, ...(goal && { goal: goal.text, verdict: verdict(goal) }) });
      const compared = row.comparedWith === undefined ? '' : `; ${row.comparedWith}`;
      const ratio = row.ratio === undefined ? '' : `; ${row.ratio}`;
      const judged = goal ? `; goal ${goal.text}: ${verdict(goal)}` : '';
      progress(`${row.part}: ${row.measured}: ${row.result}${compared}${ratio}${judged}`);
      write();
    },
    note: text => {
      notes.push(text);
      progress(text);
    },
    finish: () => {
      process.stdout.write(`\n${write()}\n`);
      progress('done; written to bench/results.md and bench/results.json');
    },
  };
}

function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'CPU'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

function table(rows: readonly PrintedRow[]): string[] {
  const titles = COLUMNS.map(({ title }) => title);
  const cells = rows.map(row => COLUMNS.map(({ name }) => row[name] ?? ''));
  return [titles, COLUMNS.map(() => '---'), ...cells].map(line => `| ${line.join(' | ')} |`);
}
