// The lockfile works on every platform that it names: each package has its hash, and npm skips no package because of its own Node.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

type Package = {
  /** Of this repository: a link and its folder. */
  readonly link?: true;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
};

const root = path.join(import.meta.dirname, '..');
const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
const lockfile: { readonly packages: Readonly<Record<string, Package>> } = JSON.parse(text);
const all = Object.entries(lockfile.packages);
const own = all.flatMap(([, { link, resolved = '' }]) => (link ? [resolved] : []));
const packages = all.filter(([name, { link }]) => name !== '' && !link && !own.includes(name));

test('the packages of this repository are links to their folders', () => {
  const folders = globSync('packages/*/package.json', { cwd: root }).map(file => path.posix.dirname(file));
  assert.deepEqual(own.toSorted(), folders.toSorted());
});

test('the packages of this repository have the version of the service, which names exactly that one', () => {
  const manifestOf = (folder: string) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  const service = manifestOf('.');
  const named = { ...service.dependencies, ...service.devDependencies };
  for (const { name, version } of own.map(manifestOf)) {
    assert.equal(version, service.version, name);
    assert.equal(named[name], version, name);
  }
});

test('every package has its hash', () => {
  assert.ok(packages.length > 100);
  assert.deepEqual(
    packages.filter(([, { integrity }]) => integrity === undefined).map(([name]) => name),
    [],
  );
});

test('no optional package requires more than Node 20, since npm would silently skip it there', () => {
  const asked = packages.flatMap(([name, { optional, engines }]) => {
    const least = Number(/\d+/.exec(engines?.node ?? '')?.[0] ?? 0);
    return optional && least > 20 ? [`${name}: remove its engines from package-lock.json`] : [];
  });
  assert.deepEqual(asked, []);
});
