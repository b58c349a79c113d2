// What a run prints: failures as they come, then the slowest files, what was skipped and why, and the count.
import type { FileResult } from './pool.ts';

type Totals = { readonly passed: number; readonly failed: number; readonly skipped: number };

const SLOWEST = 10;

export function failuresOf({ file, results, output }: FileResult): string {
  const failures = results.filter(({ failure }) => failure !== undefined);
  if (failures.length === 0) return '';
  const lines = failures.map(({ name, failure }) => `✖ ${file} › ${name}\n${indent(failure ?? '')}`);
  return `${lines.join('\n')}\n${output === '' ? '' : `  It printed:\n${indent(output)}\n`}`;
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '    ');
}

/** Files over the budget of their tier. They are named and fail nothing: the same file takes half as much again on a busy machine. */
export function overBudget(files: readonly FileResult[], budgetMs: number | undefined): string[] {
  if (budgetMs === undefined) return [];
  const over = files.filter(({ cpuMs }) => cpuMs > budgetMs);
  return over.map(
    ({ file, cpuMs }) =>
      `${file} took ${seconds(cpuMs)} of processor time; a file of this tier may take ${seconds(budgetMs)}. ` +
      'Make it cheaper, split it, or move what is not needed at each change into a .deep.test.ts.',
  );
}

export function summaryOf(files: readonly FileResult[], wallMs: number): { text: string; totals: Totals } {
  const results = files.flatMap(file => file.results);
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const skips = Map.groupBy(
    results.filter(({ skip }) => skip !== undefined),
    ({ skip }) => skip,
  );
  const skipped = [...skips.values()].reduce((sum, list) => sum + list.length, 0);
  const slowest = files.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, SLOWEST);
  const cpuMs = files.reduce((sum, file) => sum + file.cpuMs, 0);
  const lines = [
    `The slowest of ${files.length} files, by processor time:`,
    ...slowest.map(
      file => `  ${seconds(file.cpuMs).padStart(8)}  in ${seconds(file.wallMs).padStart(8)}  ${file.file}`,
    ),
    `${seconds(cpuMs)} of processor time in ${seconds(wallMs)}, PostgreSQL not counted.`,
    ...[...skips].flatMap(([reason, list]) => [
      `Skipped ${list.length}: ${reason}`,
      ...list.map(({ name }) => `  - ${name}`),
    ]),
  ];
  const totals = { passed: results.length - failed - skipped, failed, skipped };
  return { text: `${lines.join('\n')}\n`, totals };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
