// The service beside other programs on the same database server, under the same load, in turn: a plain implementation of the
// two operations, and a product that people use.
import { type Caller, createCallers } from '../callers.ts';
import { type ChargeRequests, chargeRequests } from '../charge-requests.ts';
import { withClient } from '../database-server.ts';
import { summary } from '../driver-share.ts';
import { formatCount, formatRatio, median } from '../figures.ts';
import { get, type LoadResult, openConnection, runLoad } from '../http-load.ts';
import { listTarget, placeQueries, type Query } from '../list-queries.ts';
import { requireOrders } from '../orders.ts';
import { type Peer, totalOfPage } from '../peer.ts';
import { startDirectus } from '../peer-directus.ts';
import { startPrisma } from '../peer-prisma.ts';
import { startTrilho } from '../trilho.ts';
import { waitForWorkers } from '../wait-for-workers.ts';
import type { PartDeps } from './part.ts';

/** How many times as fast the service must be; charges with workers on. */
const GOALS: Record<string, { readonly lists: number; readonly charges: number }> = {
  'Express and Prisma': { lists: 10, charges: 5 },
  Directus: { lists: 100, charges: 15 },
};
const DATABASE = 'peers';

export async function measurePeers(deps: PartDeps): Promise<void> {
  const { server, report, options } = deps;
  const { mode } = options;
  const orders = await requireOrders(deps, options.peerRows, mode);
  // A copy, because charges are written into it.
  await server.create(DATABASE, orders.database);
  const charges = chargeRequests(mode, await createCallers(server.url(DATABASE), mode));
  const peers: Peer[] = [];
  try {
    for (const start of [startPrisma, startDirectus]) peers.push(...(await tryPeer(deps, start, charges)));
    peers.unshift(await startService(deps, charges, orders.caller, true));
    await compareLists(deps, peers, orders.caller);
    await compareCharges(deps, peers, 'ours with workers');
    // The peers have no workers, so this compares like with like.
    await peers.shift()!.program.stop();
    peers.unshift(await startService(deps, charges, orders.caller, false));
    await compareCharges(deps, peers, 'ours without workers');
    for (const { name, writes } of peers) report.note(`peers: for a charge ${name} writes ${writes}.`);
  } finally {
    for (const { program } of peers) await program.stop();
  }
  await server.drop(DATABASE);
}

async function startService(
  { server, options }: PartDeps,
  charges: ChargeRequests,
  lister: Caller | undefined,
  workers: boolean,
): Promise<Peer> {
  return {
    name: 'Trilho',
    program: await startTrilho(server, DATABASE, { mode: options.mode, workers }),
    database: DATABASE,
    lists: [
      {
        name: 'with a total',
        request: query => get(listTarget(query), lister?.headers),
        totalOf: totalOfPage,
      },
    ],
    nextCharge: charges.nextRequest,
    writes:
      'the charge, a row for each method, an event, two timers, an audit line, its change of the list counts and a share of a job; its workers then register each method and write a second event',
    // Registration that is left over would slow down the next side.
    settle: workers ? () => waitForWorkers(server.url(DATABASE)) : async () => {},
  };
}

type StartPeer = (deps: PartDeps, charges: ChargeRequests) => Promise<Peer>;

/** A peer that does not start here is named in the report, and the others are measured. */
async function tryPeer(deps: PartDeps, start: StartPeer, charges: ChargeRequests): Promise<Peer[]> {
  try {
    return [await start(deps, charges)];
  } catch (error) {
    deps.report.note(`${start.name.replace('start', '')} could not be started: ${(error as Error).message}`);
    return [];
  }
}

async function compareLists(deps: PartDeps, peers: readonly Peer[], lister: Caller | undefined): Promise<void> {
  const { report, options } = deps;
  const size = formatCount(options.peerRows);
  report.progress(`lists over ${size} orders, in turn`);
  const queries = await placeQueries(peers[0]!.program.url, lister);
  for (const peer of peers) await checkTotals(peer, queries);
  const sides = peers.flatMap(({ name, program, database, lists }) =>
    lists.map(list => {
      const requests = queries.map(list.request);
      const request = (index: number) => requests[index % requests.length]!;
      return {
        name: `${name} ${list.name}`,
        hasTotal: list.totalOf !== undefined,
        goals: GOALS[name],
        url: program.url,
        database,
        request,
      };
    }),
  );
  const [own, ...others] = await loadInTurn(deps, sides, options.listConnections);
  for (const [index, rounds] of others.entries()) {
    const { name, hasTotal, goals } = sides[index + 1]!;
    // The service always answers with a total.
    const minRatio = hasTotal ? goals?.lists : undefined;
    addComparison(deps, { measured: `GET lists, ${size} rows`, own: own!, peer: name, rounds, minRatio });
  }
}

/** All sides answer the same question: those that count must count the same. */
async function checkTotals({ name, program, lists }: Peer, queries: readonly Query[]): Promise<void> {
  const connection = await openConnection(program.url);
  for (const { request, totalOf } of lists) {
    for (const query of totalOf ? queries : []) {
      const answer = await connection.send(request(query));
      const total = answer.status === 200 ? totalOf!(JSON.parse(answer.body())) : answer.status;
      if (total !== query.total) throw new Error(`${name} counts ${total} of ${query.name}, not ${query.total}`);
    }
  }
  connection.close();
}

async function compareCharges(deps: PartDeps, peers: readonly Peer[], variant: string): Promise<void> {
  const { report, options } = deps;
  report.progress(`charges, in turn, ${variant}`);
  const sides = peers.map(({ program, database, nextCharge, settle }) => ({
    url: program.url,
    database,
    request: nextCharge,
    ...(settle && { settle }),
  }));
  const [own, ...others] = await loadInTurn(deps, sides, options.chargeConnections);
  for (const [index, rounds] of others.entries()) {
    const { name } = peers[index + 1]!;
    const minRatio = variant === 'ours with workers' ? GOALS[name]?.charges : undefined;
    const measured = `POST charges, ${options.chargeConnections} connections, ${variant}`;
    addComparison(deps, { measured, own: own!, peer: name, rounds, minRatio });
  }
}

type Side = {
  readonly url: string;
  readonly database: string;
  request(index: number): string;
  settle?(): Promise<void>;
};

/** Node optimises the code of our service over the first tens of thousands of charges. */
const WARM_UP_SECONDS = 15;

async function loadInTurn(
  { server, options }: PartDeps,
  sides: readonly Side[],
  connections: number,
): Promise<LoadResult[][]> {
  const results = sides.map((): LoadResult[] => []);
  for (const side of sides) {
    await runLoad({ ...side, connections, seconds: Math.min(WARM_UP_SECONDS, 3 * options.roundSeconds) });
    await side.settle?.();
    // As the server does by itself within a minute: plans for empty tables are replaced.
    await withClient(server.url(side.database), client => client.query('analyze'));
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, side] of sides.entries()) {
      await server.checkpoint();
      results[index]!.push(await runLoad({ ...side, connections, seconds: options.roundSeconds }));
      await side.settle?.();
    }
  }
  return results;
}

type Comparison = {
  readonly measured: string;
  readonly own: readonly LoadResult[];
  readonly peer: string;
  readonly rounds: readonly LoadResult[];
  readonly minRatio: number | undefined;
};

function addComparison({ report }: PartDeps, { measured, own, peer, rounds, minRatio }: Comparison): void {
  const [rate, peerRate] = [own, rounds].map(side => median(side.map(result => result.rate))) as [number, number];
  const ratio = rate / peerRate;
  report.add({
    part: 'peers',
    measured,
    result: summary(own),
    comparedWith: `${summary(rounds)} by ${peer}`,
    ratio: formatRatio(ratio),
    ...(minRatio !== undefined && { goal: { text: `≥ ${minRatio} ×`, isMet: ratio >= minRatio } }),
  });
}
