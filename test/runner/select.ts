// Which test files a run has: those of a tier, or those that changed files reach.
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { importsOf, reachedBy } from './import-graph.ts';

export const ROOT = path.join(import.meta.dirname, '../..');

/** `first` is what `npm test` runs; `deep` has kills, processes, browsers, embedded servers and volumes. */
export type Tier = 'first' | 'deep';

/** Files that scale their volumes with it run in both tiers, whole in the deep one. */
const SCALE = path.join('test', 'harness', 'scale.ts');

export function filesOf(tier: Tier): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
  if (tier === 'first') return files.filter(file => !isDeep(file));
  return files.filter(file => isDeep(file) || importsOf(ROOT, file).includes(SCALE));
}

export function isDeep(file: string): boolean {
  return file.endsWith('.deep.test.ts');
}

/** Files of the first tier that a change since `base` reaches, and files of the deep tier that it changed. */
export function filesChangedSince(base: string): string[] {
  const changed = changedSince(base);
  const first = filesOf('first');
  const deep = globSync('test/**/*.deep.test.ts', { cwd: ROOT }).filter(file => changed.has(file));
  // Migrations, settings, packages: a file that no import names may affect every test.
  const isForAll = [...changed].some(file => !/\.(ts|md|png)$/.test(file));
  return [...(isForAll ? first : reachedBy(ROOT, first, withReaders(changed))), ...deep].sort();
}

function changedSince(base: string): Set<string> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  return new Set([
    ...git('diff', '--name-only', '-z', base, '--'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]);
}

/** These read files instead of importing them. */
function withReaders(changed: ReadonlySet<string>): Set<string> {
  const readers = changed.size > 0 ? ['test/house.test.ts', 'test/docs.test.ts'] : [];
  return new Set([...changed, ...readers]);
}
