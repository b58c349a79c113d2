// The checkout for a payer with an old phone on a slow network, and how soon open checkouts show a payment. Always in the
// sandbox, whose payer can be made to pay.
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../test/harness/launch-browser.ts';
import { formatSeconds, median } from '../figures.ts';
import { createMigrated } from '../orders.ts';
import { startTrilho } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const DATABASE = 'pages';
const MAX_BYTES = 20_000;
const MAX_REQUESTS = 4;
const MAX_PAINT_MS = 1_000;
const MAX_UPDATE_MS = 2_000;
const OPEN_CHECKOUTS = 1_000;
const PAYMENTS = 20;
const AT_ONCE = 50;
/** Slow 4G as defined by Lighthouse. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 };
const CPU_SLOWDOWN = 4;

export async function measurePages({ server, report, options }: PartDeps): Promise<void> {
  await createMigrated(server, DATABASE);
  const service = await startTrilho(server, DATABASE, { mode: 'sandbox' });
  const browser = await launchBrowser();
  try {
    const [charge] = await makeCharges(service.url, 1);
    const loads: Load[] = [];
    for (let round = 0; round < options.rounds * 4; round++) loads.push(await loadSlowly(browser, charge!.checkout));
    const [first] = loads;
    const paints = loads.map(({ paintMs }) => paintMs);
    const add = (measured: string, result: string, text: string, isMet: boolean) =>
      report.add({ part: 'pages', measured, result, goal: { text, isMet } });
    const { bytes, requests } = first!;
    add('checkout, bytes on the wire', `${bytes}`, `≤ ${MAX_BYTES}`, bytes <= MAX_BYTES);
    add('checkout, requests', `${requests}`, `≤ ${MAX_REQUESTS}`, requests <= MAX_REQUESTS);
    const paintMs = median(paints);
    add(
      'checkout, largest paint on slow 4G with a CPU at a quarter',
      `${formatSeconds(paintMs)}, best ${formatSeconds(Math.min(...paints))}`,
      `≤ ${formatSeconds(MAX_PAINT_MS)}`,
      paintMs <= MAX_PAINT_MS,
    );
    const updates = await measureUpdates(service.url);
    const slowest = Math.max(...updates);
    add(
      `${OPEN_CHECKOUTS} open checkouts, a payment is shown`,
      `${formatSeconds(median(updates))}, slowest ${formatSeconds(slowest)}`,
      `≤ ${formatSeconds(MAX_UPDATE_MS)}`,
      slowest <= MAX_UPDATE_MS,
    );
  } finally {
    await browser.close();
    await service.stop();
    await server.drop(DATABASE);
  }
}

type Made = { readonly id: string; readonly checkout: string };

async function makeCharges(url: string, count: number): Promise<Made[]> {
  const made: Made[] = [];
  const body = JSON.stringify({
    accountId: 'acme',
    amountCents: 15_990,
    currency: 'BRL',
    methods: ['pix', 'boleto'],
    customer: { name: 'Maria da Silva', document: '52998224725' },
    dueAt: new Date(Date.now() + 7 * 86_400_000).toISOString(),
  });
  const make = async () => {
    const answer = await fetch(`${url}/charges`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const { id } = (await answer.json()) as { id: string };
    const link = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    made.push({ id, checkout: url + new URL(link).pathname });
  };
  while (made.length < count) await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - made.length) }, make));
  // The codes are there once the bank has registered them.
  for (;;) {
    const { total } = (await (await fetch(`${url}/charges?state=CREATING`)).json()) as { total: number };
    if (total === 0) return made;
  }
}

type Load = { readonly bytes: number; readonly requests: number; readonly paintMs: number };

/** One visit with an empty cache. */
async function loadSlowly(browser: Browser, address: string): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let [bytes, requests] = [0, 0];
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests++;
  });
  await page.goto(address, { waitUntil: 'load' });
  const paintMs = await page.evaluate<number>(`new Promise(resolve =>
    new PerformanceObserver(list => resolve(list.getEntries().at(-1).startTime))
      .observe({ type: 'largest-contentful-paint', buffered: true }))`);
  await context.close();
  return { bytes, requests, paintMs };
}

/** Milliseconds from the answer to a payment until the page of its charge is updated, while all the others are open too. */
async function measureUpdates(url: string): Promise<number[]> {
  const charges = await makeCharges(url, OPEN_CHECKOUTS);
  const agent = new Agent({ maxSockets: OPEN_CHECKOUTS });
  const streams = new Map<string, IncomingMessage>();
  for (let at = 0; at < charges.length; at += AT_ONCE) {
    const some = charges.slice(at, at + AT_ONCE);
    await Promise.all(
      some.map(async ({ id, checkout }) => {
        const [stream] = (await once(get(`${checkout}/stream`, { agent }), 'response')) as [IncomingMessage];
        streams.set(id, stream);
        await nextVersion(stream);
      }),
    );
  }
  const updates: number[] = [];
  for (const { id } of charges.slice(0, PAYMENTS)) {
    const version = nextVersion(streams.get(id)!);
    const body = JSON.stringify({ method: 'pix' });
    await fetch(`${url}/sandbox/charges/${id}/pay`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const paidAt = performance.now();
    await version;
    updates.push(performance.now() - paidAt);
  }
  for (const stream of streams.values()) stream.destroy();
  agent.destroy();
  return updates;
}

function nextVersion(stream: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    const look = (chunk: Buffer) => {
      if (!chunk.includes('data:')) return;
      stream.off('data', look);
      resolve();
    };
    stream.on('data', look);
  });
}
