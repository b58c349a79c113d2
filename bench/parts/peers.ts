// The service beside others on the same database server, under the same load, in turn: an ordinary implementation of the two
// operations, and a product that people use.
import { chargeRequest } from '../bodies.ts';
import { median, ms, perSecond, times } from '../figures.ts';
import { get, type LoadResult, load, openLine } from '../load.ts';
import { sizeWords } from '../options.ts';
import { type Peer, totalOfPage } from '../peer.ts';
import { startDirectus } from '../peer-directus.ts';
import { startTextbook } from '../peer-textbook.ts';
import { placedQueries, type Query, targetOf } from '../queries.ts';
import { runTrilho } from '../running.ts';
import { seededDatabase } from '../seed.ts';
import { type Stage, withClient } from '../stage.ts';
import { untilQuiet } from '../waiting.ts';
import type { Needs } from './part.ts';

/** How many times faster the service is to be. */
const GOALS: Record<string, { readonly lists: number; readonly charges: number }> = {
  'Express and Prisma': { lists: 10, charges: 3 },
  Directus: { lists: 100, charges: 20 },
};
const DATABASE = 'peers';

export async function measurePeers(needs: Needs): Promise<void> {
  const { stage, options } = needs;
  const orders = await seededDatabase(needs, options.peerRows);
  const peers: Peer[] = [];
  try {
    for (const start of [startTextbook, startDirectus]) peers.push(...(await tryPeer(needs, start)));
    // A copy, since charges are written into it.
    await stage.create(DATABASE, orders);
    peers.unshift(await startOurs(stage, { workers: true }));
    await compareLists(needs, peers);
    await compareCharges(needs, peers, 'registering ours at the same time');
    // The others register nothing: what they do is taking charges alone.
    await peers.shift()!.running.stop();
    peers.unshift(await startOurs(stage, { workers: false }));
    await compareCharges(needs, peers, 'taking them alone');
  } finally {
    for (const { running } of peers) await running.stop();
  }
  await stage.drop(DATABASE);
}

async function startOurs(stage: Stage, { workers }: { workers: boolean }): Promise<Peer> {
  return {
    name: 'Trilho',
    running: await runTrilho(stage, DATABASE, { workers }),
    database: DATABASE,
    lists: [{ what: 'with a total', request: query => get(targetOf(query)), totalOf: totalOfPage }],
    charge: chargeRequest,
    // What is left to be registered would be a load on the others.
    calm: workers ? () => untilQuiet(stage.url(DATABASE)) : async () => {},
  };
}

/** One that cannot be had here is named, and the others are measured. */
async function tryPeer(needs: Needs, start: (needs: Needs) => Promise<Peer>): Promise<Peer[]> {
  try {
    return [await start(needs)];
  } catch (error) {
    needs.report.note(`${start.name.replace('start', '')} could not be had: ${(error as Error).message}`);
    return [];
  }
}

async function compareLists(needs: Needs, peers: readonly Peer[]): Promise<void> {
  const { report, options } = needs;
  report.say(`lists over ${sizeWords(options.peerRows)} orders, in turn`);
  const queries = await placedQueries(peers[0]!.running.url);
  for (const peer of peers) await checkTotals(peer, queries);
  const sides = peers.flatMap(({ name, running, database, lists }) =>
    lists.map(({ what, request }) => {
      const requests = queries.map(request);
      return { name, what, url: running.url, database, request: (turn: number) => requests[turn % requests.length]! };
    }),
  );
  const results = await inTurn(needs, sides, options.listConnections);
  for (const [index, { name, what }] of sides.entries()) {
    if (index === 0) continue;
    // Only a list with a total is what the service answers.
    const goal = what === 'without a total' ? undefined : GOALS[name]?.lists;
    addBeside(
      needs,
      `GET lists, ${sizeWords(options.peerRows)} rows`,
      results[0]!,
      `${name} ${what}`,
      results[index]!,
      goal,
    );
  }
}

/** All answer the same question: whoever counts, counts the same. */
async function checkTotals({ name, running, lists }: Peer, queries: readonly Query[]): Promise<void> {
  const { hostname, port } = new URL(running.url);
  const line = await openLine(hostname, Number(port));
  for (const { request, totalOf } of lists) {
    for (const query of totalOf ? queries : []) {
      const answer = await line.ask(request(query));
      const total = answer.status === 200 ? totalOf!(JSON.parse(answer.body())) : answer.status;
      if (total !== query.total) throw new Error(`${name} counts ${total} of ${query.name}, not ${query.total}`);
    }
  }
  line.close();
}

async function compareCharges(needs: Needs, peers: readonly Peer[], words: string): Promise<void> {
  const { report, options } = needs;
  report.say(`charges, in turn, ${words}`);
  const sides = peers.map(({ running, database, charge, calm }) => ({
    url: running.url,
    database,
    request: charge,
    ...(calm && { calm }),
  }));
  const results = await inTurn(needs, sides, options.chargeConnections);
  for (const [index, { name }] of peers.entries()) {
    if (index === 0) continue;
    addBeside(needs, `POST charges, ${words}`, results[0]!, name, results[index]!, GOALS[name]?.charges);
  }
}

type Side = { readonly url: string; readonly database: string; request(turn: number): string; calm?(): Promise<void> };

/** Long enough for a service to be warm: ours goes on getting faster over the first tens of thousands of charges. */
const WARM_UP_SECONDS = 15;

async function inTurn({ stage, options }: Needs, sides: readonly Side[], connections: number): Promise<LoadResult[][]> {
  const results = sides.map((): LoadResult[] => []);
  for (const side of sides) {
    await load({ ...side, connections, seconds: Math.min(WARM_UP_SECONDS, 3 * options.roundSeconds) });
    await side.calm?.();
    // As the server does by itself within a minute: plans that were made for an empty table are made anew.
    await withClient(stage.url(side.database), client => client.query('analyze'));
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, side] of sides.entries()) {
      await stage.calm();
      results[index]!.push(await load({ ...side, connections, seconds: options.roundSeconds }));
      await side.calm?.();
    }
  }
  return results;
}

function addBeside(
  { report }: Needs,
  what: string,
  ours: readonly LoadResult[],
  name: string,
  theirs: readonly LoadResult[],
  goal: number | undefined,
): void {
  const [rate, other] = [ours, theirs].map(side => median(side.map(result => result.rate))) as [number, number];
  const [p99, late] = [ours, theirs].map(side => median(side.map(result => result.p99))) as [number, number];
  report.add({
    part: 'peers',
    what,
    figure: `${perSecond(rate)}, p99 ${ms(p99)}`,
    beside: `${perSecond(other)}, p99 ${ms(late)} by ${name}`,
    ratio: times(rate / other),
    ...(goal !== undefined && { goal: `≥ ${goal} ×`, met: rate / other >= goal }),
  });
}
