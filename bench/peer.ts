// Others that do the same two things, to be held beside the service: installed when they are first asked for, never by the
// project's own install.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Query } from './queries.ts';
import type { Report } from './report.ts';
import type { Running } from './running.ts';

export type Peer = {
  readonly name: string;
  readonly running: Running;
  readonly database: string;
  /** Ways to ask for a list, each with the name of what it answers. */
  readonly lists: readonly PeerList[];
  charge(): string;
  /** Resolves when it does no more of what it was asked for. */
  calm?(): Promise<void>;
};

export type PeerList = {
  readonly what: string;
  request(query: Query): string;
  /** Where the answer has one. */
  totalOf?(answer: unknown): number;
};

export function totalOfPage(answer: unknown): number {
  return (answer as { total: number }).total;
}

const PEERS = path.join(import.meta.dirname, 'peers');

export function peerFolder(name: string): string {
  return path.join(PEERS, name);
}

/** Installs a peer unless it is installed. What it cannot have is said in its output. */
export async function installPeer({ report }: { readonly report: Report }, name: string): Promise<void> {
  const folder = peerFolder(name);
  if (existsSync(path.join(folder, 'node_modules', '.built'))) return;
  report.say(`installing ${name}; the first time takes minutes`);
  const child = spawn(path.join(folder, 'install'), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', piece => {
      words = (words + piece).slice(-2_000);
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`bench/peers/${name}/install failed:\n${words}`);
}
