// How near taking charges comes to what the database allows.
import { chargeRequest } from '../bodies.ts';
import { percent } from '../figures.ts';
import { get, type LoadResult, load } from '../load.ts';
import { openPlayer, type Player } from '../player.ts';
import { type Running, runTrilho } from '../running.ts';
import { emptyDatabase } from '../seed.ts';
import { addShare } from '../share.ts';
import { withClient } from '../stage.ts';
import { record } from '../tape.ts';
import { countRegistered, untilQuiet } from '../waiting.ts';
import type { Needs } from './part.ts';

const NO_LIMIT_SECONDS = 300;
const GREETING = get('/livez');
/** The service takes a third less processor time for a charge when its code is warm, which takes so many. */
const WARM_UP_CHARGES = 40_000;

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
  { way: { connections: 1 }, words: '; the driver on 1 connection', isGoal: false },
] as const;

export async function measureCharges(needs: Needs): Promise<void> {
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
    await untilQuiet(url);
  } finally {
    await service.stop();
  }
  await withClient(url, client => client.query('vacuum analyze'));
}

const OURS = 'charges_ours';
const databaseOf = (limit: number) => `charges_limit_${limit}`;

/** One of the limits, and what it and the service took in the turns that they had beside each other. */
type Side = (typeof LIMITS)[number] & {
  readonly database: string;
  readonly player: Player;
  readonly ours: LoadResult[];
  readonly limit: LoadResult[];
};

/**
 * Each side has a database of its own. They take turns of a few seconds, so that the machine is much the same for all. What is
 * shown beside the goal has turns of its own, after those: what it wrote would be cleared up in the turns that count. It begins
 * them on a table without what was written before.
 */
async function measureChargeRun(needs: Needs, { workers, words }: (typeof CHARGE_RUNS)[number]): Promise<void> {
  const { stage, report, options } = needs;
  const { chargeConnections: connections, charges: requests, chargeTurns, besideTurns } = options;
  const say = (step: string) => report.say(`charges, ${words}: ${step}`);
  const ourUrl = stage.url(OURS);
  const drive = ({ url }: Running, count = requests) =>
    load({ url, connections, request: chargeRequest, greeting: GREETING, seconds: NO_LIMIT_SECONDS, requests: count });
  const allTurns = chargeTurns + besideTurns;
  const settle = async () => (workers ? untilQuiet(ourUrl) : undefined);
  const warmUp = async (service: Running) => {
    await drive(service, Math.min(WARM_UP_CHARGES, 4 * requests));
    await settle();
    await stage.calm();
  };
  const counted = async (database: string, isGoal: boolean) =>
    workers && isGoal ? countRegistered(stage.url(database)) : 0;

  say('what the service says is written down');
  await stage.create(OURS, 'some_charges');
  const tape = await record(stage, OURS, {
    workers,
    turns: allTurns,
    warmUp,
    drive: async service => (await drive(service)).count,
    settle,
  });

  await stage.create(OURS, 'some_charges');
  const service = await runTrilho(stage, OURS, { workers });
  const sides: Side[] = [];
  const registered = { ours: 0, limit: 0 };
  const said = { statements: 0, transactions: 0 };
  try {
    for (const [index, limit] of LIMITS.entries()) {
      const database = databaseOf(index);
      await stage.create(database, 'some_charges');
      const player = await openPlayer(stage.url(database), { ...tape, ...limit.way });
      sides.push({ ...limit, database, player, ours: [], limit: [] });
    }
    say('the service is warmed up');
    await warmUp(service);
    let turns = 0;
    for (const turn of tape.turns()) {
      const isGoal = turns++ < chargeTurns;
      registered.ours -= await counted(OURS, isGoal);
      await stage.untilCleared();
      const ours = await drive(service);
      registered.ours += await counted(OURS, isGoal);
      await settle();
      for (const side of sides.filter(one => one.isGoal === isGoal)) {
        registered.limit -= await counted(side.database, isGoal);
        await stage.untilCleared();
        // What the service looks for now and then is on the tape; beside it, it would be done twice.
        service.signal('SIGSTOP');
        side.limit.push(await side.player.play(turn.during, turn.requests));
        service.signal('SIGCONT');
        side.ours.push(ours);
        registered.limit += await counted(side.database, isGoal);
        await side.player.play(turn.after, 0);
        say(`turn ${turns} of ${allTurns}, ${percent(ours.rate / side.limit.at(-1)!.rate)} of the limit${side.words}`);
      }
      said.transactions += turn.during.length;
      said.statements += turn.during.reduce((sum, unit) => sum + ('together' in unit ? unit.together : unit).length, 0);
    }
  } finally {
    // Stopped, it would not hear that it is to end.
    service.signal('SIGCONT');
    await Promise.all([service.stop(), ...sides.map(({ player }) => player.close())]);
  }
  await stage.drop(OURS);
  for (const { database } of sides) await stage.drop(database);

  for (const { words: how, isGoal, ours, limit } of sides) {
    addShare(report, `POST /charges, ${connections} connections, ${words}${how}`, ours, limit, isGoal);
  }
  const all = requests * allTurns;
  const [statements, transactions] = [said.statements, said.transactions].map(count => (count / all).toFixed(2));
  report.note(
    `${words}: ${statements} statements in ${transactions} transactions a charge; connections: ${tape.connections}.`,
  );
  if (!workers) return;
  const [our, its] = [registered.ours, registered.limit].map(count => percent(count / (requests * chargeTurns)));
  report.note(`${words}: the service registered ${our} of the charges before the last was taken, the driver ${its}.`);
}
