// Orders that are created and paid by requests, and watched in the database until they are fulfilled.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { EvmNetwork } from '../src/chains/evm/networks/list.ts';
import type { Caller } from './callers.ts';
import { openConnection, post } from './http-load.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };
const COST = 541;
const LOOK_MS = 100;
const BUSY_MS = 1_000;
let references = 0;

/** A price source for a live service. */
export async function startPriceSource(): Promise<{ readonly setting: string; stop(): void }> {
  const server = createServer((_, response) => response.end('{"price":"5.41"}'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const source = { name: 'bench', url: `http://127.0.0.1:${port}/{symbol}/{currency}`, price: 'price' };
  return {
    setting: JSON.stringify([source]),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function createWallet(url: string, caller: Caller, network: EvmNetwork): Promise<string> {
  const { accountId, headers } = caller;
  const connection = await openConnection(url);
  const body = JSON.stringify({ accountId, name: 'Treasury', network, address: ADDRESS });
  const answer = await connection.send(post('/wallets', body, headers));
  connection.close();
  if (answer.status !== 201) throw new Error(`POST /wallets was answered with ${answer.status}: ${answer.body()}`);
  return JSON.parse(answer.body()).id;
}

type Buyer = {
  /** Creates an order and pays it; returns its id. */
  buy(): Promise<string>;
  close(): void;
};

export async function openBuyer(url: string, caller: Caller, network: EvmNetwork, walletId: string): Promise<Buyer> {
  const { accountId, headers } = caller;
  const connection = await openConnection(url);
  const order = { accountId, walletId, network, symbol: 'usdt', currency: 'BRL', cost: COST, settlementSchedule: 'D0' };
  const body = JSON.stringify({ ...order, charge: { customer: CUSTOMER, methods: ['pix'] } });
  const send = async (target: string, text: string) => {
    let answer = await connection.send(post(target, text, headers));
    // Orders are created faster than a busy machine may accept them; a refusal with 503 has changed nothing.
    while (answer.status === 503) {
      await wait(BUSY_MS);
      answer = await connection.send(post(target, text, headers));
    }
    if (answer.status >= 300) throw new Error(`POST ${target} was answered with ${answer.status}: ${answer.body()}`);
    return JSON.parse(answer.body());
  };
  return {
    buy: async () => {
      const { transactionId, charge } = await send('/crypto/transactions', body);
      const reference = `E99999999202611161200${String(++references).padStart(11, '0')}`;
      await send(`/charges/${charge.id}/payments`, JSON.stringify({ amountCents: COST * 100, reference }));
      return transactionId;
    },
    close: () => connection.close(),
  };
}

/** Creates and pays `count` orders, some at a time. */
export async function buyMany(open: () => Promise<Buyer>, count: number, atOnce: number): Promise<void> {
  let left = count;
  const buyers = await Promise.all(Array.from({ length: atOnce }, open));
  await Promise.all(
    buyers.map(async buyer => {
      while (left-- > 0) await buyer.buy();
      buyer.close();
    }),
  );
}

/** Waits until a query answers true. */
export async function untilTrue(client: pg.Client, what: string, sql: string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    const { rows } = await client.query<{ holds: boolean }>(sql);
    if (rows[0]?.holds) return;
    await wait(LOOK_MS);
  }
  throw new Error(`timed out waiting for ${what}`);
}

/** Reports when each order is fulfilled, with one query for all of them. */
export function watchFulfilled(client: pg.Client): { until(id: string): Promise<void>; stop(): Promise<void> } {
  const waiting = new Map<string, () => void>();
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      const ids = [...waiting.keys()];
      const { rows } = await client.query<{ id: string }>(
        `select id from orders where id = any($1) and status = 'fulfilled'`,
        [ids],
      );
      for (const { id } of rows) {
        waiting.get(id)?.();
        waiting.delete(id);
      }
      await wait(LOOK_MS);
    }
  })();
  return {
    until: id => new Promise(resolve => waiting.set(id, resolve)),
    stop: async () => {
      isOver = true;
      await loop;
    },
  };
}
