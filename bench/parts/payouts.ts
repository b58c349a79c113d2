// Orders paid out on a real EVM node with blocks of one second and a depth of two. First many wait in line while the node is
// stopped; then it continues, and the rate is that of all of them until the last is fulfilled. Service, database and node share
// the machine.
import type pg from 'pg';
import { type Caller, createCallers } from '../callers.ts';
import { withClient } from '../database-server.ts';
import { startFarNode } from '../far-node.ts';
import { formatMs, formatPercent, formatRate, median, percentileOf } from '../figures.ts';
import { createMigrated } from '../orders.ts';
import { buyMany, createWallet, openBuyer, startPriceSource, untilTrue, watchFulfilled } from '../paid-orders.ts';
import { startProcessorMeter } from '../processor-time.ts';
import type { RunningProgram } from '../programs.ts';
import { startTestNetwork, type TestNetwork } from '../test-networks.ts';
import { startTrilho } from '../trilho.ts';
import { waitForWorkers } from '../wait-for-workers.ts';
import type { PartDeps } from './part.ts';

const DATABASE = 'payouts';
const MIN_RATE = 150;
const MIN_FAR_RATE = 60;
const MAX_LOSS = 0.1;
const FAR_MS = 100;
const WINDOW = 1_000;
const BUYERS = 32;
/** Payouts that are open on the silent network, and orders that wait there beside them. */
const SILENT_OPEN = 60;
const SILENT_WAITING = 140;
const LIMIT_MS = 300_000;

type Case = 'alone' | 'far' | 'beside silent';
type Result = { readonly rate: number; readonly times: readonly number[]; readonly processor: string };

export async function measurePayouts(deps: PartDeps): Promise<void> {
  const { report, options } = deps;
  const results = new Map<Case, Result[]>();
  for (let round = 0; round < options.payoutRounds; round++) {
    for (const one of ['alone', 'beside silent'] as const) {
      results.set(one, [...(results.get(one) ?? []), await measureLine(deps, one)]);
    }
  }
  results.set('far', [await measureLine(deps, 'far')]);
  const rateOf = (one: Case) => median((results.get(one) ?? []).map(({ rate }) => rate));
  const add = (one: Case, measured: string, goal: { text: string; isMet: boolean }, more: object = {}) => {
    const all = results.get(one) ?? [];
    const times = all.flatMap(result => result.times);
    const [p50, p99] = [formatMs(percentileOf(times, 0.5)), formatMs(percentileOf(times, 0.99))];
    const result = `${formatRate(rateOf(one))}, from slot to done p50 ${p50}, p99 ${p99}`;
    report.add({ part: 'payouts', measured, result, goal, ...more });
    for (const { rate, processor } of all) report.note(`payouts, ${one}: ${formatRate(rate)}; ${processor}.`);
  };
  const line = `${options.payouts} orders in line`;
  add('alone', `${line}, one network`, { text: `≥ ${MIN_RATE}/s`, isMet: rateOf('alone') >= MIN_RATE });
  add('far', `${line}, ${FAR_MS} ms added to each request to the node`, {
    text: `≥ ${MIN_FAR_RATE}/s`,
    isMet: rateOf('far') >= MIN_FAR_RATE,
  });
  const loss = 1 - rateOf('beside silent') / rateOf('alone');
  add(
    'beside silent',
    `${line}, beside a network that is silent with ${SILENT_OPEN} open payouts`,
    { text: `< ${formatPercent(MAX_LOSS)} lost`, isMet: loss < MAX_LOSS },
    { comparedWith: `alone ${formatRate(rateOf('alone'))}`, ratio: `${formatPercent(loss)} lost` },
  );
  await measureWay(deps);
}

type Setting = {
  readonly client: pg.Client;
  readonly caller: Caller;
  readonly service: RunningProgram;
  readonly main: TestNetwork;
  readonly silent: TestNetwork | undefined;
};

/** A service of its own for each measurement, on an empty database. */
async function withService<T>(
  { server, options }: PartDeps,
  one: Case,
  work: (setting: Setting) => Promise<T>,
): Promise<T> {
  const stops: (() => unknown)[] = [];
  try {
    await createMigrated(server, DATABASE);
    stops.push(() => server.drop(DATABASE));
    const [caller] = await createCallers(server.url(DATABASE), options.mode, ['acme']);
    const main = await startTestNetwork('ethereum', server.dir, { blockSeconds: 1 });
    stops.push(() => main.node.stop());
    const far = one === 'far' ? await startFarNode(main.node.url, FAR_MS) : undefined;
    stops.push(() => far?.stop());
    const silent = one === 'beside silent' ? await startTestNetwork('polygon', server.dir) : undefined;
    stops.push(async () => {
      if (!silent) return;
      // A process that is stopped takes no other signal.
      silent.node.resume();
      await silent.node.stop();
    });
    const prices = await startPriceSource();
    stops.push(() => prices.stop());
    const chains = [
      main.chainAt(far?.url ?? main.node.url, WINDOW),
      ...(silent ? [silent.chainAt(silent.node.url, SILENT_OPEN)] : []),
    ];
    const service = await startTrilho(server, DATABASE, {
      mode: options.mode,
      env: {
        TRILHO_CHAINS: JSON.stringify(chains),
        TRILHO_SIGNERS: JSON.stringify([main.signer, ...(silent ? [silent.signer] : [])]),
        ...(options.mode === 'live' && { TRILHO_PRICE_SOURCES: prices.setting }),
      },
    });
    stops.push(() => service.stop());
    return await withClient(server.url(DATABASE), client => work({ client, caller: caller!, service, main, silent }));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

function measureLine(deps: PartDeps, one: Case): Promise<Result> {
  const { server, report, options } = deps;
  return withService(deps, one, async ({ client, caller, service, main, silent }) => {
    if (silent) await silence(client, caller, service, silent);
    const wallet = await createWallet(service.url, caller, main.network);
    main.node.pause();
    try {
      report.progress(`payouts, ${one}: making ${options.payouts} orders`);
      const open = () => openBuyer(service.url, caller, main.network, wallet);
      await buyMany(open, options.payouts, BUYERS);
      const waiting = `count(*) filter (where network = 'ethereum' and waits_since is not null)`;
      await untilTrue(client, 'a line', `select ${waiting} = ${options.payouts} as holds from orders`, LIMIT_MS);
      await waitForWorkers(server.url(DATABASE));
      await client.query('vacuum analyze');
      await server.checkpoint();
    } finally {
      main.node.resume();
    }
    const isBegun = `select exists (select from payouts where network = 'ethereum') as holds`;
    await untilTrue(client, 'a payout', isBegun, LIMIT_MS);
    const meter = startProcessorMeter(service.pid, server.postmasterPid());
    const isDone = `select count(*) = ${options.payouts} as holds from orders where status = 'fulfilled'`;
    await untilTrue(client, 'orders to be fulfilled', isDone, LIMIT_MS);
    const processor = meter.perRequest(options.payouts);
    const { rows } = await client.query<{ ms: number; from_ms: number; to_ms: number }>(
      `select extract(epoch from e.occurred_at - p.created_at)::float8 * 1000 as ms,
              extract(epoch from p.created_at)::float8 * 1000 as from_ms,
              extract(epoch from e.occurred_at)::float8 * 1000 as to_ms
         from payouts p join events e on e.object_id = p.order_id and e.type = 'crypto_transaction.fulfilled'
        where p.network = 'ethereum'`,
    );
    const from = Math.min(...rows.map(row => row.from_ms));
    const to = Math.max(...rows.map(row => row.to_ms));
    return { rate: (rows.length / (to - from)) * 1000, times: rows.map(({ ms }) => ms), processor };
  });
}

/** Opens payouts on a network that mines no blocks, lets others wait behind them, and stops its node. */
async function silence(
  client: pg.Client,
  caller: Caller,
  service: RunningProgram,
  { network, node }: TestNetwork,
): Promise<void> {
  const wallet = await createWallet(service.url, caller, network);
  await buyMany(() => openBuyer(service.url, caller, network, wallet), SILENT_OPEN + SILENT_WAITING, BUYERS);
  const isOpen = `select count(*) >= ${SILENT_OPEN} as holds from payout_attempts`;
  await untilTrue(client, 'payouts on the network that will be silent', isOpen, LIMIT_MS);
  node.pause();
}

/** Buyers who order, pay, and order again when the order is fulfilled. */
function measureWay(deps: PartDeps): Promise<void> {
  const { report, options } = deps;
  return withService(deps, 'alone', async ({ client, caller, service, main }) => {
    const wallet = await createWallet(service.url, caller, main.network);
    const watched = watchFulfilled(client);
    const times: number[] = [];
    const startedAt = performance.now();
    const endsAt = startedAt + options.waySeconds * 1000;
    const buyers = Array.from({ length: 4 * BUYERS }, async () => {
      const buyer = await openBuyer(service.url, caller, main.network, wallet);
      while (performance.now() < endsAt) {
        const beganAt = performance.now();
        await watched.until(await buyer.buy());
        times.push(performance.now() - beganAt);
      }
      buyer.close();
    });
    await Promise.all(buyers);
    const rate = (times.length / (performance.now() - startedAt)) * 1000;
    await watched.stop();
    report.add({
      part: 'payouts',
      measured: `ordered, paid, fulfilled; ${buyers.length} buyers`,
      result: `${formatRate(rate)}, p50 ${formatMs(percentileOf(times, 0.5))}, p99 ${formatMs(percentileOf(times, 0.99))}`,
    });
  });
}
