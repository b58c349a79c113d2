// Which file imports which, read from the text of the sources.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGES = path.join(import.meta.dirname, '../../packages');
/** The packages of this repository begin with it. */
const OURS = '@trilho/';

/** The files of this repository that a file imports, statically or dynamically, as paths from `root`. */
export function importsOf(root: string, file: string): string[] {
  return specifiersOf(root, file).flatMap(specifier => {
    if (specifier.startsWith('.')) return path.normalize(path.join(path.dirname(file), specifier));
    if (!specifier.startsWith(OURS)) return [];
    const [name = '', part = 'index'] = specifier.slice(OURS.length).split('/');
    return path.relative(root, path.join(PACKAGES, name, 'src', `${part}.ts`));
  });
}

/** All that a file imports, as it is written there. */
export function specifiersOf(root: string, file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gms);
  return [...found].map(match => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Of `files`, those that are among the changed ones or import one of them, directly or by others. */
export function reachedBy(root: string, files: readonly string[], changed: ReadonlySet<string>): string[] {
  const known = new Map<string, boolean>();
  const isReached = (file: string): boolean => {
    const answer = known.get(file);
    if (answer !== undefined) return answer;
    // A circle adds nothing.
    known.set(file, false);
    const is = changed.has(file) || (file.endsWith('.ts') && importsOf(root, file).some(isReached));
    known.set(file, is);
    return is;
  };
  return files.filter(isReached);
}
