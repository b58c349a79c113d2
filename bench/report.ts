// What a run found: one line for each thing that was measured, as a table for a person and as JSON for a program.
import { writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import path from 'node:path';

export type Line = {
  readonly part: string;
  readonly what: string;
  readonly figure: string;
  /** What it is held against, measured in the same run. */
  readonly beside?: string;
  readonly ratio?: string;
  readonly goal?: string;
  /** Absent where there is no goal. */
  readonly met?: boolean;
};

export type Report = {
  /** A step that was taken, for whoever waits. */
  say(words: string): void;
  add(line: Line): void;
  /** Something that a reader of the figures must know. */
  note(words: string): void;
  /** Prints the table and writes it beside this file. */
  finish(): void;
};

const COLUMNS = ['part', 'what', 'figure', 'beside', 'ratio', 'goal', 'met'] as const;

/** A quick run is not judged by the goals. */
export function startReport({ isQuick }: { readonly isQuick: boolean }): Report {
  const startedAt = performance.now();
  const lines: Line[] = [];
  const notes: string[] = [];
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const say = (words: string) => {
    process.stderr.write(`${String(seconds()).padStart(5)} s  ${words}\n`);
  };

  function write(): string {
    const text = [
      `On ${machine()}.`,
      '',
      ...table(lines),
      ...(notes.length > 0 ? ['', ...notes.map(note => `- ${note}`)] : []),
      '',
    ].join('\n');
    writeFileSync(path.join(import.meta.dirname, 'results.md'), text);
    const results = { at: new Date().toISOString(), machine: machine(), seconds: seconds(), lines, notes };
    writeFileSync(path.join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
    return text;
  }

  return {
    say,
    add: ({ met, ...line }) => {
      lines.push({ ...line, ...(met !== undefined && !isQuick && { met }) });
      const { part, what, figure, beside, ratio } = line;
      say(`${part}: ${what}: ${figure}${beside ? ` beside ${beside}` : ''}${ratio ? `, ${ratio}` : ''}`);
      // A run that is cut short has still found something.
      write();
    },
    note: words => {
      notes.push(words);
      say(words);
    },
    finish: () => {
      process.stdout.write(`\n${write()}\n`);
      say(`done; written to bench/results.md and bench/results.json`);
    },
  };
}

function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'CPU'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

function table(lines: readonly Line[]): string[] {
  const cells = lines.map(line => COLUMNS.map(column => cell(line[column])));
  return [COLUMNS as readonly string[], COLUMNS.map(() => '---'), ...cells].map(row => `| ${row.join(' | ')} |`);
}

function cell(value: string | boolean | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;
}
