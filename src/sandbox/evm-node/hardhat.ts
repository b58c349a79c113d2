// Hardhat's EVM as a node in this process: JSON-RPC over HTTP in front of a chain.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HardhatChain, openHardhatChain } from './hardhat-chain.ts';
import type { ChainOptions, RunningNode } from './running-node.ts';

/** Throws an Error when the port is taken, or the stored chain cannot be restored. */
export async function startHardhat(options: ChainOptions): Promise<RunningNode> {
  const chain = await openHardhatChain(options);
  let pausing: PromiseWithResolvers<void> | undefined;
  const server = createServer(async (request, response) => {
    const body = parse(await textOf(request));
    await pausing?.promise;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(body) ? await answersTo(chain, body) : await answerTo(chain, body)));
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
    resume: () => {
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

/** Undefined when it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function answersTo(chain: HardhatChain, calls: readonly unknown[]): Promise<object[]> {
  const answers: object[] = [];
  for (const call of calls) answers.push(await answerTo(chain, call));
  return answers;
}

async function answerTo(chain: HardhatChain, call: unknown): Promise<object> {
  const { id = null, method, params = [] } = Object(call) as { id?: unknown; method?: unknown; params?: unknown };
  if (typeof method !== 'string' || !Array.isArray(params)) {
    return { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: 'The body is not a JSON-RPC call.' } };
  }
  return { jsonrpc: '2.0', id, ...(await chain.call(method, params)) };
}

/** By JSON-RPC. */
const INVALID_REQUEST = -32_600;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
