// A provider between the service and a node, which a test makes slow, silent, late or wrong.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { callNode } from '../../src/sandbox/evm-node/evm-node.ts';
import type { NodeReply } from '../../src/sandbox/evm-node/running-node.ts';

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };
/** What it does with a call: `undefined` passes it on, `silence` never answers, `cut` ends the connection, a reply is sent back. */
export type Rule = (call: {
  readonly method: string;
  readonly params: readonly unknown[];
  /** What the node itself answers. */
  readonly pass: () => Promise<NodeReply>;
}) => Promise<Ruled> | Ruled;

type Ruled = NodeReply | 'silence' | 'cut' | undefined;

export type RpcProxy = {
  readonly url: string;
  /** Every received call, by its method. */
  readonly calls: string[];
  /** How many requests were received; a batch is one. */
  requests(): number;
  /** From now on. */
  rule: Rule;
  status: number;
  delayMs: number;
  takesBatches: boolean;
  stop(): Promise<void>;
};

export async function startRpcProxy(nodeUrl: string): Promise<RpcProxy> {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    const body: unknown = JSON.parse(await textOf(request));
    const given: readonly Call[] = Array.isArray(body) ? body : [body];
    proxy.calls.push(...given.map(({ method }) => method));
    if (proxy.delayMs > 0) await wait(proxy.delayMs);
    if (proxy.status !== 200) return response.writeHead(proxy.status).end('{}');
    if (Array.isArray(body) && !proxy.takesBatches) {
      const error = { code: -32600, message: 'batches are not enabled' };
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    }
    const answers = await Promise.all(given.map(call => answerOf(nodeUrl, proxy.rule, call)));
    if (answers.includes('silence')) return undefined;
    if (answers.includes('cut')) return request.socket.destroy();
    return response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    requests: () => requests,
    rule: () => undefined,
    status: 200,
    delayMs: 0,
    takesBatches: true,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

async function answerOf(nodeUrl: string, rule: Rule, { id, method, params }: Call): Promise<unknown> {
  const pass = () => callNode(nodeUrl, method, params);
  const reply = await rule({ method, params, pass });
  if (reply === 'silence' || reply === 'cut') return reply;
  return { ...(reply ?? (await pass())), jsonrpc: '2.0', id };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
