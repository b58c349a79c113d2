// node scripts/build-packages.ts [folder]: compiles each package into a folder that npm can pack, by default packages/<name>/dist.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const COPIED = ['README.md', 'LICENSE'];

type Paths = Readonly<Record<string, string>>;
type Manifest = { readonly private?: true; readonly bin?: Paths; readonly exports: Paths };

/** `src/x.ts` is `lib/x.js` when compiled. */
const compiled = (source: string, ending: string) => source.replace('src/', 'lib/').replace(/\.ts$/, ending);
const each = <T>(paths: Paths, change: (source: string) => T) =>
  Object.fromEntries(Object.entries(paths).map(([name, source]) => [name, change(source)]));

/** As it is published: its paths name the compiled files. */
function publishedOf({ private: _, bin, exports, ...rest }: Manifest): object {
  return {
    ...rest,
    ...(bin && { bin: each(bin, source => compiled(source, '.js')) }),
    exports: each(exports, source => ({ types: compiled(source, '.d.ts'), default: compiled(source, '.js') })),
  };
}

function build(source: string, target: string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  execFileSync(process.execPath, [TSC, '-p', source, '--outDir', path.join(target, 'lib')], { stdio: 'inherit' });
  const manifest: Manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(publishedOf(manifest), undefined, 2)}\n`);
  for (const file of COPIED) copyFileSync(path.join(source, file), path.join(target, file));
}

const [, , folder] = process.argv;
for (const manifest of globSync('packages/*/package.json', { cwd: ROOT })) {
  const source = path.join(ROOT, path.dirname(manifest));
  build(source, folder === undefined ? path.join(source, 'dist') : path.resolve(folder, path.basename(source)));
}
