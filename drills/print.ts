// The common output of the drills: a figure in a line, the five figures of each drill, and the memory of a program.
import { readFileSync } from 'node:fs';
import { runTrilho } from '../bench/programs.ts';

export function print(what: string, value: number | string): void {
  process.stdout.write(`${what.padEnd(40)} ${String(value).padStart(14)}\n`);
}

type Result = {
  readonly faultsInjected: number;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly longestGapMs: number;
};

/** The five figures of each drill that writes. */
export function printResult({ faultsInjected, acknowledged, lost, doubled, longestGapMs }: Result): void {
  print('faults injected', faultsInjected);
  print('writes acknowledged', acknowledged);
  print('lost', lost.length);
  print('doubled', doubled.length);
  print('longest gap without a write, s', (longestGapMs / 1_000).toFixed(1));
}

const MAX_SHOWN = 20;

/** The first faults, each in a line. */
export function printWrong(wrong: readonly string[]): void {
  for (const line of wrong.slice(0, MAX_SHOWN)) process.stdout.write(`${line}\n`);
  if (wrong.length > MAX_SHOWN) process.stdout.write(`and ${wrong.length - MAX_SHOWN} more\n`);
}

/** Runs `ledger check` and `audit verify`, prints how each ended, and returns the output of those that failed. */
export async function printChecks(env: Readonly<Record<string, string>>, archive?: string): Promise<string[]> {
  const failed: string[] = [];
  for (const name of ['ledger check', 'audit verify']) {
    const more = name === 'audit verify' && archive !== undefined ? ['--archive', archive] : [];
    const { code, lines } = await runTrilho([...name.split(' '), ...more], env);
    print(`${name}: ${lines.at(-1)}`, `exit ${code}`);
    if (code !== 0) failed.push(...lines);
  }
  return failed;
}

/** Resident, in MiB. */
export function memoryOf({ pid }: { readonly pid: number }): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}
