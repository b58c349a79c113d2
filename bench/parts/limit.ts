// How near the service comes to what the database allows: the statements that it says, said by the driver alone on as many
// connections. And whether its memory stays where it is.
import { chargeText } from '../bodies.ts';
import { median, megabytes, ms, percent, perSecond, times } from '../figures.ts';
import { get, type LoadResult, load, post } from '../load.ts';
import { openPlayer, type Player } from '../player.ts';
import { placedQueries, type Query, targetOf } from '../queries.ts';
import { type Running, residentBytes, runTrilho } from '../running.ts';
import { emptyDatabase, seededDatabase } from '../seed.ts';
import { withClient } from '../stage.ts';
import { record } from '../tape.ts';
import { countRegistered, untilRegistered } from '../waiting.ts';
import type { Needs } from './part.ts';

const LEAST_SHARE = 0.6;
const MOST_GROWTH = 1.2;
const NO_LIMIT_SECONDS = 300;
/** Where the machine is slow, memory is read after fewer requests, and the table says so. */
const MEMORY_LIMIT_SECONDS = 180;
/** A list is said from a tape of so many, over and over. */
const TAPE_LISTS = 500;
/** The service takes a third less processor time for a charge when its code is warm, which takes so many. */
const WARM_UP_CHARGES = 40_000;
/** In the load under which memory is watched, one request in so many is a charge. */
const CHARGE_EVERY = 10;

export async function measureLimit(needs: Needs): Promise<void> {
  const orders = await seededDatabase(needs, needs.options.rows[0]!);
  await measureLists(needs, orders);
  await measureCharges(needs);
  await measureMemory(needs, orders);
}

const listRequests = (queries: readonly Query[]) => {
  const requests = queries.map(query => get(targetOf(query)));
  return (turn: number) => requests[turn % requests.length]!;
};

export const chargeRequest = () => post('/charges', chargeText());

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
  const player = await openPlayer(stage.url(database), tape);
  const service = await runTrilho(stage, database);
  const [ours, limit]: [LoadResult[], LoadResult[]] = [[], []];
  try {
    const request = listRequests(await placedQueries(service.url));
    await load({ url: service.url, connections, request, seconds: 1 });
    for (let round = 0; round < options.rounds; round++) {
      ours.push(await load({ url: service.url, connections, request, seconds }));
      limit.push(await player.play(said!.during, said!.requests, seconds));
    }
  } finally {
    await Promise.all([service.stop(), player.close()]);
  }
  addShare({ report }, `GET /crypto/transactions, ${connections} connections`, ours, limit);
}

/** As users run it, with workers that register the charges at the same time, and taking them alone. */
const CHARGE_RUNS = [
  { workers: true, words: 'registering them at the same time' },
  { workers: false, words: 'taking them alone' },
] as const;

/** The goal is held against the statements as a driver says them. What more could be had of the database is shown beside it. */
const LIMITS = [
  { way: {}, words: '', isGoal: true },
  { way: { isWhole: true }, words: '; the driver taught to send transactions whole', isGoal: false },
  { way: { isWhole: true, connections: 4 }, words: '; the driver so taught, on 4 connections', isGoal: false },
] as const;

async function measureCharges(needs: Needs): Promise<void> {
  const { stage, report } = needs;
  report.say('charges, beside their own statements');
  await someCharges(needs);
  for (const run of CHARGE_RUNS) await measureChargeRun(needs, run);
  await stage.drop('some_charges');
}

/** Where every side begins: on an empty table the database makes plans that serve a full one badly, for whoever drives it. */
async function someCharges({ stage, options }: Needs): Promise<void> {
  await emptyDatabase(stage, 'some_charges');
  const url = stage.url('some_charges');
  const service = await runTrilho(stage, 'some_charges', { workers: true });
  try {
    await load({
      url: service.url,
      connections: options.chargeConnections,
      request: chargeRequest,
      seconds: NO_LIMIT_SECONDS,
      requests: options.charges,
    });
    await untilRegistered(url);
  } finally {
    await service.stop();
  }
  await withClient(url, client => client.query('vacuum analyze'));
}

/** Each side has a database of its own. They take turns of a few seconds, so that the machine is much the same for all. */
async function measureChargeRun(
  { stage, report, options }: Needs,
  { workers, words }: (typeof CHARGE_RUNS)[number],
): Promise<void> {
  const { chargeConnections: connections, charges: requests, chargeTurns: turns } = options;
  const drive = ({ url }: Running, count: number) =>
    load({ url, connections, request: chargeRequest, seconds: NO_LIMIT_SECONDS, requests: count });
  const sides = ['ours', ...LIMITS.map((_, index) => `limit_${index}`)].map(side => `charges_${side}`);
  const [ourUrl, limitUrl] = sides.map(stage.url) as [string, string];
  const settle = async () => (workers ? untilRegistered(ourUrl) : undefined);
  const warmUp = async (service: Running) => {
    await drive(service, Math.min(WARM_UP_CHARGES, 4 * requests));
    await settle();
    await stage.calm();
  };
  await stage.create('charges_ours', 'some_charges');
  const tape = await record(stage, 'charges_ours', {
    workers,
    turns,
    warmUp,
    drive: async service => (await drive(service, requests)).count,
    settle,
  });
  for (const side of sides) await stage.create(side, 'some_charges');

  const ours: LoadResult[] = [];
  const limits = LIMITS.map((): LoadResult[] => []);
  const registered = { ours: 0, limit: 0 };
  const said = { statements: 0, transactions: 0 };
  const players: Player[] = [];
  const service = await runTrilho(stage, 'charges_ours', { workers });
  try {
    for (const [index, { way }] of LIMITS.entries()) {
      players.push(await openPlayer(stage.url(sides[index + 1]!), { ...tape, ...way }));
    }
    await warmUp(service);
    for (const turn of tape.turns()) {
      registered.ours -= await countRegistered(ourUrl);
      ours.push(await drive(service, requests));
      registered.ours += await countRegistered(ourUrl);
      await settle();
      registered.limit -= await countRegistered(limitUrl);
      for (const [index, player] of players.entries()) {
        limits[index]!.push(await player.play(turn.during, turn.requests));
        if (index === 0) registered.limit += await countRegistered(limitUrl);
        await player.play(turn.after, 0);
      }
      said.transactions += turn.during.length;
      said.statements += turn.during.reduce((sum, unit) => sum + ('together' in unit ? unit.together : unit).length, 0);
    }
  } finally {
    await Promise.all([service.stop(), ...players.map(player => player.close())]);
  }
  for (const side of sides) await stage.drop(side);

  for (const [index, { words: how, isGoal }] of LIMITS.entries()) {
    addShare({ report }, `POST /charges, ${connections} connections, ${words}${how}`, ours, limits[index]!, isGoal);
  }
  const all = requests * turns;
  const [statements, transactions] = [said.statements, said.transactions].map(count => (count / all).toFixed(2));
  report.note(
    `${words}: ${statements} statements in ${transactions} transactions a charge, on ${tape.connections} connections.`,
  );
  if (!workers) return;
  const [our, its] = [registered.ours, registered.limit].map(count => percent(count / all));
  report.note(`${words}: the service registered ${our} of the charges before the last was taken, the driver ${its}.`);
}

/** The share is the median of the shares of the turns: whatever the machine does, it does to two that follow each other. */
function addShare(
  { report }: Pick<Needs, 'report'>,
  what: string,
  ours: readonly LoadResult[],
  limit: readonly LoadResult[],
  isGoal = true,
): void {
  const [rate, most] = [ours, limit].map(side => median(side.map(result => result.rate))) as [number, number];
  const [p99, least] = [ours, limit].map(side => median(side.map(result => result.p99))) as [number, number];
  const shares = ours.map((result, turn) => result.rate / limit[turn]!.rate);
  const share = median(shares);
  report.say(`shares of the turns: ${shares.map(percent).join(', ')}`);
  report.add({
    part: 'limit',
    what,
    figure: `${perSecond(rate)}, p99 ${ms(p99)}`,
    beside: `${perSecond(most)}, p99 ${ms(least)} by the driver alone`,
    ratio: percent(share),
    ...(isGoal && { goal: `≥ ${percent(LEAST_SHARE)}`, met: share >= LEAST_SHARE }),
  });
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
