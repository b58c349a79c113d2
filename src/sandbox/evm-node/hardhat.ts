// Hardhat's EVM as a node in this process: JSON-RPC over HTTP before a chain.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HardhatChain, openHardhatChain } from './hardhat-chain.ts';
import type { ChainOptions, RunningNode } from './running-node.ts';

/** Throws an Error when the port is taken, or the chain that it kept cannot be made again. */
export async function startHardhat(options: ChainOptions): Promise<RunningNode> {
  const chain = await openHardhatChain(options);
  let pausing: PromiseWithResolvers<void> | undefined;
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await textOf(request));
    await pausing?.promise;
    const answers = await answersTo(chain, Array.isArray(body) ? body : [body]);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const miner =
    options.blockSeconds === undefined
      ? undefined
      : setInterval(() => void chain.call('anvil_mine', []), options.blockSeconds * 1_000);
  return {
    url: `http://127.0.0.1:${port}`,
    ended: once(server, 'close').then(() => {}),
    pause: () => {
      pausing ??= Promise.withResolvers();
    },
    goOn: () => {
      pausing?.resolve();
      pausing = undefined;
    },
    async stop() {
      clearInterval(miner);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await chain.close();
    },
  };
}

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };

async function answersTo({ call }: HardhatChain, calls: readonly Call[]): Promise<object[]> {
  const answers: object[] = [];
  for (const { id, method, params = [] } of calls)
    answers.push({ jsonrpc: '2.0', id, ...(await call(method, params)) });
  return answers;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
