// The nodes of the drill: started, moved in time by their distance from the machine's clock, killed and started again.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Node = { readonly url: string; move(offsetMs: number): Promise<void>; kill(): Promise<void> };

export type Nodes = {
  /** The address of each node. */
  urls(): readonly string[];
  move(offsetMs: number): Promise<void>;
  /** Kills one, and starts another in its place. */
  replace(index: number, offsetMs: number): Promise<void>;
  kill(): Promise<void>;
};

const PROGRAM = fileURLToPath(new URL('node.ts', import.meta.url));

/** One node for each environment. */
export async function startNodes(
  environments: readonly Readonly<Record<string, string>>[],
  offsetMs: number,
): Promise<Nodes> {
  const nodes: Node[] = [];
  for (const env of environments) nodes.push(await startNode(env, offsetMs));
  return {
    urls: () => nodes.map(({ url }) => url),
    move: async to => void (await Promise.all(nodes.map(node => node.move(to)))),
    replace: async (index, to) => {
      await nodes[index]!.kill();
      nodes[index] = await startNode(environments[index]!, to);
    },
    kill: async () => void (await Promise.all(nodes.map(node => node.kill()))),
  };
}

async function startNode(env: Readonly<Record<string, string>>, offsetMs: number): Promise<Node> {
  const child = fork(PROGRAM, [String(offsetMs)], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const answer = async (): Promise<unknown> => {
    const [text] = await Promise.race([once(child, 'message'), ended]);
    return text;
  };
  const url = await answer();
  assert.ok(typeof url === 'string', 'a node did not start');
  return {
    url,
    move: async to => {
      const moved = answer();
      child.send(to);
      await moved;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
