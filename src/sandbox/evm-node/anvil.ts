// Foundry's anvil as a child process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ChainOptions, RunningNode } from './running-node.ts';

/** The state is also written at this interval, for a node that is killed. */
const STATE_SECONDS = 5;

/** Throws an Error with its message when it does not start. */
export async function startAnvil(file: string, options: ChainOptions): Promise<RunningNode> {
  const { chainId, blockSeconds, port, slotsInEpoch, stateFile } = options;
  const args = [
    ...['--port', String(port), '--chain-id', String(chainId), '--accounts', '1'],
    ...['--slots-in-an-epoch', String(slotsInEpoch)],
    ...(blockSeconds === undefined ? ['--no-mining'] : ['--block-time', String(blockSeconds)]),
    ...(stateFile === undefined ? [] : ['--state', stateFile, '--state-interval', String(STATE_SECONDS)]),
  ];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(() => {});
  const url = `http://${await listeningAt(child)}`;
  return {
    url,
    ended,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function listeningAt(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('anvil has no output.');
  let output = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output = (output + chunk).slice(-MAX_OUTPUT_LENGTH);
  });
  for await (const line of createInterface(stdout)) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    // What it prints later is read and dropped, or it would wait for a reader.
    stdout.resume();
    return address;
  }
  throw new Error(`anvil ended before it listened. ${output.trim()}`);
}

const MAX_OUTPUT_LENGTH = 1_000;
