// How near the service comes to what the database allows: the statements that it says, said by the driver alone on as many
// connections. And whether its memory stays where it is.
import { chargeRequest } from '../bodies.ts';
import { megabytes, times } from '../figures.ts';
import { get, type LoadResult, load } from '../load.ts';
import { openPlayer, type Player } from '../player.ts';
import { placedQueries, type Query, targetOf } from '../queries.ts';
import { residentBytes, runTrilho } from '../running.ts';
import { seededDatabase } from '../seed.ts';
import { addShare } from '../share.ts';
import { record } from '../tape.ts';
import { measureCharges } from './limit-charges.ts';
import type { Needs } from './part.ts';

const MOST_GROWTH = 1.2;
const NO_LIMIT_SECONDS = 300;
/** Where the machine is slow, memory is read after fewer requests, and the table says so. */
const MEMORY_LIMIT_SECONDS = 360;
/** A list is said from a tape of so many, over and over. */
const TAPE_LISTS = 500;
/** In the load under which memory is watched, one request in so many is a charge. */
const CHARGE_EVERY = 10;

export async function measureLimit(needs: Needs): Promise<void> {
  const orders = await seededDatabase(needs, needs.options.rows[0]!);
  await measureLists(needs, orders);
  await measureCharges(needs);
  await measureMemory(needs, orders);
  needs.report.note('limit: a ratio is the median of the turns. The times of the driver are those of transactions.');
}

const listRequests = (queries: readonly Query[]) => {
  const requests = queries.map(query => get(targetOf(query)));
  return (turn: number) => requests[turn % requests.length]!;
};

async function measureLists({ stage, report, options }: Needs, database: string): Promise<void> {
  report.say('lists, beside their own statements');
  const { listConnections: connections, roundSeconds: seconds } = options;
  const tape = await record(stage, database, {
    drive: async ({ url }) => {
      const request = listRequests(await placedQueries(url));
      return (await load({ url, connections, request, seconds: NO_LIMIT_SECONDS, requests: TAPE_LISTS })).count;
    },
  });
  const [said] = tape.turns();
  const service = await runTrilho(stage, database);
  let player: Player | undefined;
  const [ours, limit]: [LoadResult[], LoadResult[]] = [[], []];
  try {
    player = await openPlayer(stage.url(database), tape);
    const request = listRequests(await placedQueries(service.url));
    await load({ url: service.url, connections, request, seconds: 1 });
    for (let round = 0; round < options.rounds; round++) {
      ours.push(await load({ url: service.url, connections, request, seconds }));
      limit.push(await player.play(said!.during, said!.requests, seconds));
    }
  } finally {
    await Promise.all([service.stop(), player?.close()]);
  }
  addShare(report, `GET /crypto/transactions, ${connections} connections`, ours, limit);
}

async function measureMemory({ stage, report, options }: Needs, orders: string): Promise<void> {
  const [early, late] = options.memoryAfter;
  report.say(`memory over ${late} requests`);
  await stage.create('memory', orders);
  const service = await runTrilho(stage, 'memory');
  try {
    const list = listRequests(await placedQueries(service.url));
    const request = (turn: number) => (turn % CHARGE_EVERY === 0 ? chargeRequest() : list(turn));
    const { url } = service;
    const drive = (requests: number) =>
      load({ url, connections: options.listConnections, request, seconds: MEMORY_LIMIT_SECONDS, requests });
    const first = (await drive(early)).count;
    const before = await residentBytes(service);
    const second = first + (await drive(late - early)).count;
    const after = await residentBytes(service);
    report.add({
      part: 'limit',
      what: `resident memory after ${second} requests`,
      figure: megabytes(after),
      beside: `${megabytes(before)} after ${first}`,
      ratio: times(after / before),
      goal: `≤ ${MOST_GROWTH} ×`,
      met: after / before <= MOST_GROWTH,
    });
  } finally {
    await service.stop();
  }
  await stage.drop('memory');
}
