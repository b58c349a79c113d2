#!/usr/bin/env node
// Starts the command line with a Node that can run it: this one, or the one the project brought with it.
// Plain JavaScript, since an old Node must be able to read it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 18];
const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
const at = place => fileURLToPath(new URL(place, import.meta.url));

// A checkout runs its sources, a published package what was built from them.
const main = ['../src/main.ts', '../dist/main.js'].find(place => existsSync(at(place)));
// What was compiled once is kept beside the packages, which halves the next start; where that may not be written, it is not.
const compiled = at('../node_modules/.cache/compiled');
const brought = ['../node_modules/.bin/node', '../../.bin/node'].map(at).find(existsSync);

if (isNewEnough) {
  module.enableCompileCache?.(compiled);
  await import(main);
} else if (brought) {
  const child = spawn(brought, [at(main), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: compiled, ...process.env, LAUNCHED_BY_TRILHO: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', () => refuse());
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
} else {
  refuse();
}

function refuse() {
  console.error(`Trilho needs Node ${NEEDED.join('.')} or later; this is ${process.versions.node}.`);
  process.exit(2);
}
