// Payers that take charges from start to end: created, paid, and the event of the payment delivered to a receiver of webhooks
// on this machine.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Mode } from '../src/lib/mode.ts';
import type { Caller } from './callers.ts';
import type { ChargeRequests } from './charge-requests.ts';
import { type HttpConnection, openConnection, post } from './http-load.ts';

const DELIVERY_TIMEOUT_MS = 60_000;
type EventType = 'charge.active' | 'charge.paid';

export type Receiver = {
  readonly url: string;
  /** Resolves when the event of the charge was delivered. */
  waitFor(type: EventType, chargeId: string): Promise<void>;
  /** The number of events delivered, of every type. */
  count(): number;
  stop(): void;
};

/** A message of a webhook: an event and, in it, the charge. */
type Message = { readonly type: string; readonly data: { readonly objectId: string } };

/** Answers every delivery with 204. */
export async function startReceiver(): Promise<Receiver> {
  const delivered = new Set<string>();
  const waiting = new Map<string, () => void>();
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    count++;
    const { type, data }: Message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const key = `${type} ${data.objectId}`;
    delivered.add(key);
    waiting.get(key)?.();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    waitFor: async (type, chargeId) => {
      const key = `${type} ${chargeId}`;
      if (delivered.has(key)) return;
      await new Promise<void>((resolve, reject) => {
        const fail = () => reject(new Error(`${key} was not delivered in time`));
        const timer = setTimeout(fail, DELIVERY_TIMEOUT_MS);
        waiting.set(key, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      waiting.delete(key);
    },
    count: () => count,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Subscribes the receiver to every event of the caller's account. */
export async function createWebhook(url: string, { accountId, headers }: Caller, receiver: Receiver): Promise<void> {
  const answer = await fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ url: receiver.url, accountId }),
  });
  if (!answer.ok) throw new Error(`POST /webhooks was answered with ${answer.status}: ${await answer.text()}`);
}

/** A created charge, with what is needed to pay it. */
export type OpenCharge = { readonly id: string; readonly amountCents: number; readonly caller: Caller };

export async function createCharge(connection: HttpConnection, charges: ChargeRequests): Promise<OpenCharge> {
  const { caller, charge } = charges.next();
  const { id } = await sendPost(connection, '/charges', charge, caller);
  return { id, amountCents: charge.amountCents, caller };
}

/** In live an operator records the payment, as for any static pix key; the sandbox has a payer of its own. */
export async function payCharge(connection: HttpConnection, mode: Mode, charge: OpenCharge): Promise<void> {
  const { id, amountCents, caller } = charge;
  const [target, body] =
    mode === 'live'
      ? [`/charges/${id}/payments`, { amountCents, reference: `E${id}` }]
      : [`/sandbox/charges/${id}/pay`, { method: 'pix' }];
  await sendPost(connection, target, body, caller);
}

async function sendPost(
  connection: HttpConnection,
  target: string,
  body: object,
  { headers }: Caller,
): Promise<{ id: string }> {
  const answer = await connection.send(post(target, JSON.stringify(body), headers));
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`POST ${target} was answered with ${answer.status}: ${answer.body()}`);
  }
  return JSON.parse(answer.body());
}

type Payers = {
  readonly url: string;
  readonly mode: Mode;
  readonly charges: ChargeRequests;
  readonly receiver: Receiver;
  /** Payers at the same time, each with one charge at a time. */
  readonly payers: number;
  /** Whether a payer pays only when the event of the registration was delivered. */
  readonly waitsForActive?: boolean;
  readonly seconds: number;
};

/** Milliseconds of the steps of each charge, one after another. */
export type WayTimes = {
  readonly rate: number;
  readonly registering: readonly number[];
  readonly creating: readonly number[];
  readonly paying: readonly number[];
  readonly delivering: readonly number[];
  readonly whole: readonly number[];
};

export async function runPayers(load: Payers): Promise<WayTimes> {
  const { url, mode, charges, receiver, payers, waitsForActive = false, seconds } = load;
  const [creating, registering, paying, delivering, whole] = Array.from({ length: 5 }, (): number[] => []) as Steps;
  const connections = await Promise.all(Array.from({ length: payers }, () => openConnection(url)));
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  await Promise.all(
    connections.map(async connection => {
      while (performance.now() < endsAt) {
        const beganAt = performance.now();
        const charge = await createCharge(connection, charges);
        const createdAt = performance.now();
        if (waitsForActive) await receiver.waitFor('charge.active', charge.id);
        const registeredAt = performance.now();
        await payCharge(connection, mode, charge);
        const paidAt = performance.now();
        await receiver.waitFor('charge.paid', charge.id);
        const deliveredAt = performance.now();
        creating.push(createdAt - beganAt);
        registering.push(registeredAt - createdAt);
        paying.push(paidAt - registeredAt);
        delivering.push(deliveredAt - paidAt);
        whole.push(deliveredAt - beganAt);
      }
    }),
  );
  const tookSeconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  return { rate: whole.length / tookSeconds, creating, registering, paying, delivering, whole };
}

type Steps = [number[], number[], number[], number[], number[]];
