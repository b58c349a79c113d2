// One address of the simulated network: an HTTP server with its own faults and its own memory of ids. All addresses share one chain, like
// nodes that relay to each other.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Blocks, type NodeBlock, SLOT_MS, SOLID_LAG } from './blocks.ts';
import { createNodeFaults, faultOf, type NodeFault } from './faults.ts';
import { randomFrom } from './random.ts';
import { Refusal } from './refusal.ts';
import { BadCall, type Broadcast, findRoute, type Json, type Sight } from './routes.ts';
import type { Parameters } from './state.ts';
import { readTransaction } from './transaction.ts';
import { Malformed } from './wire.ts';

export type Endpoint = {
  readonly url: string;
  setFault(fault: NodeFault): void;
  clearFaults(): void;
  /** The paths of all calls, oldest first. */
  calls(): readonly string[];
  stop(): Promise<void>;
};

type EndpointOptions = {
  readonly blocks: Blocks;
  readonly parameters: Parameters;
  readonly genesis: NodeBlock;
  /** Brings the chain up to the clock before a call. */
  readonly refresh: () => void;
  readonly apiKey?: string | undefined;
  readonly port?: number | undefined;
  readonly seed: number;
};

type Reply = { readonly status: number; readonly text: string };

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_CALLS = 100_000;

export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { blocks, parameters, genesis, refresh, apiKey } = options;
  const faults = createNodeFaults(randomFrom(options.seed));
  const noted = new Set<string>();
  const calls: string[] = [];

  function sightOf(side: string, hit: readonly NodeFault[]): Sight {
    const lag = faultOf(hit, 'lagging')?.blocks ?? 0;
    const lowest = blocks.head().number - (faultOf(hit, 'pruned')?.blocks ?? Number.POSITIVE_INFINITY);
    const number = blocks.head().number - lag - (side === 'walletsolidity' ? SOLID_LAG : 0);
    const top: NodeBlock = blocks.at(number) ?? blocks.solid();
    const isForging = faultOf(hit, 'forging') !== undefined;
    const forges = (id: string) => isForging && noted.has(id) && !blocks.find(id);
    return { blocks, parameters, genesis, top, lowest, hides: faultOf(hit, 'hiding') !== undefined, forges };
  }

  /** The order of `Wallet.broadcastTransaction`: the id is noted before anything is checked. */
  const broadcastAt =
    (hit: readonly NodeFault[]): Broadcast =>
    bytes => {
      const transaction = readTransaction(bytes);
      const { id } = transaction;
      const refusing = faultOf(hit, 'refusing');
      if (refusing) return { id, refusal: new Refusal(refusing.code, 'Server busy.') };
      if (noted.has(id)) return { id, refusal: new Refusal('DUP_TRANSACTION_ERROR', 'Transaction already exists.') };
      noted.add(id);
      if (faultOf(hit, 'dropping')) return { id };
      try {
        if (transaction.expiration < blocks.head().timeMs + SLOT_MS) {
          throw new Refusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
        }
        blocks.push(transaction);
        return { id };
      } catch (error) {
        if (error instanceof Refusal) return { id, refusal: error };
        throw error;
      }
    };

  function carryOut(path: string, text: string, hit: readonly NodeFault[]): Reply {
    const [side = '', name = ''] = path.split('/');
    const route = findRoute(side, name);
    if (!route) return { status: 404, text: 'Not Found' };
    try {
      const body = text === '' ? {} : (JSON.parse(text) as Json);
      return { status: 200, text: JSON.stringify(route(sightOf(side, hit), body, broadcastAt(hit))) };
    } catch (error) {
      // java-tron answers 200 with an error for what it cannot read.
      if (!(error instanceof BadCall || error instanceof Malformed || error instanceof SyntaxError)) throw error;
      return { status: 200, text: JSON.stringify({ Error: error.message }) };
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').slice(1);
    const text = await readBody(request);
    if (calls.push(path) > MAX_CALLS) calls.shift();
    const hit = faults.onCall(path);
    if (faultOf(hit, 'silent')) return;
    if (faultOf(hit, 'cut')) return void request.socket.destroy();
    const instead = faultOf(hit, 'status');
    if (instead) return write(response, { status: instead.status, text: instead.text ?? '' });
    if (apiKey !== undefined && request.headers['tron-pro-api-key'] !== apiKey) {
      return write(response, { status: 401, text: '{"Error":"ApiKey not exists"}' });
    }
    if (request.method !== 'POST') return write(response, { status: 405, text: 'Method Not Allowed' });
    refresh();
    const reply = carryOut(path, text, hit);
    if (faultOf(hit, 'lost_reply')) return void request.socket.destroy();
    write(response, reply);
  }

  const server = http.createServer((request, response) => {
    answer(request, response).catch(error => {
      // A bug of the simulation, which a test must see.
      process.emitWarning(error as Error);
      request.socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    setFault: faults.set,
    clearFaults: faults.clear,
    calls: () => [...calls],
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RangeError('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function write(response: ServerResponse, { status, text }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
