// One database server for the whole suite, with a migrated template that each test copies.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSuiteServer } from './harness/suite-server.ts';

let folder: string;
let server: { stop(): Promise<void> };

export async function globalSetup(): Promise<void> {
  // Every file is a process of its own and loads the same sources.
  process.env['NODE_COMPILE_CACHE'] = path.join(import.meta.dirname, '../node_modules/.cache/compiled');
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-test-'));
  server = await startSuiteServer(folder);
}

export async function globalTeardown(): Promise<void> {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
