// Other programs with the same two operations, measured beside the service. They are installed when a run first needs them,
// never by the project's own install.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Query } from './list-queries.ts';
import type { RunningProgram } from './programs.ts';
import type { Report } from './report.ts';

export type Peer = {
  readonly name: string;
  readonly program: RunningProgram;
  readonly database: string;
  /** Lists that it can answer, each with a name. */
  readonly lists: readonly PeerList[];
  /** The next request that creates a charge. */
  nextCharge(): string;
  /** What it writes for a charge, for the remarks below the table. */
  readonly writes: string;
  /** Returns when its background work is done. */
  settle?(): Promise<void>;
};

type PeerList = {
  readonly name: string;
  request(query: Query): string;
  /** Absent where the answer has no total. */
  totalOf?(answer: unknown): number;
};

export function totalOfPage(answer: unknown): number {
  return (answer as { total: number }).total;
}

const PEERS = path.join(import.meta.dirname, 'peers');
const OUTPUT_TAIL = 2_000;

export function peerFolder(name: string): string {
  return path.join(PEERS, name);
}

/** Installs a peer unless it is installed. Fails with the end of the installer's output. */
export async function installPeer({ report }: { readonly report: Report }, name: string): Promise<void> {
  const folder = peerFolder(name);
  if (existsSync(path.join(folder, 'node_modules', '.built'))) return;
  report.progress(`installing ${name}; the first time takes minutes`);
  const child = spawn(path.join(folder, 'install'), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output = (output + chunk).slice(-OUTPUT_TAIL);
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`bench/peers/${name}/install failed:\n${output}`);
}
