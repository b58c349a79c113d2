// The scenarios of a drill: what goes wrong, and when. Each kind has variants; together with the seed a variant decides every
// choice, so that a scenario that failed can be run again.
import { setTimeout as wait } from 'node:timers/promises';
import { type Drill, type DrillOptions, openDrill, type PaidOrder, type Verdict } from './drill.ts';
import type { Fault, WorldName } from './world.ts';

type Kind = {
  readonly name: string;
  /** How many variants there are on each chain; 0 where it does not apply. */
  readonly variants: Readonly<Record<WorldName, number>>;
  readonly options?: DrillOptions;
  run(drill: Drill, variant: number): Promise<void>;
};

const MAX_ORDERS = 3;
const ROUNDS = 6;
const MAX_ROUND_MS = 20_000;
const MAX_KILL_MS = 1_500;
const MINE_EVERY_MS = 100;
const PAUSES = 3;
const SENDERS = 3;
const TOP_UPS = 4;
const AHEAD_MS = 30 * 60_000;
/** In units of the asset: one order of a drill fits, and seldom two. */
const LIMIT = '190';
const DAY_MS = 86_400_000;
const DAYS = 2 * MAX_ORDERS;

/** Some rounds of blocks and time, by chance. */
async function passRounds(drill: Drill, rounds = ROUNDS): Promise<void> {
  const { random } = drill;
  for (let round = 0; round < rounds; round++) await drill.pass(random.below(3), 1_000 + random.below(MAX_ROUND_MS));
}

const someOrders = ({ random }: Drill) => 1 + random.below(MAX_ORDERS);

/** Three processes work on the orders until each is killed, while blocks are mined. */
async function withThreeNodes(drill: Drill, beside: () => Promise<void> = async () => {}): Promise<void> {
  const { random, world } = drill;
  const nodes = await Promise.all([drill.work(), drill.work(), drill.work()]);
  const kills = nodes.map(async node => {
    await wait(random.below(MAX_KILL_MS));
    node.kill('SIGKILL');
    drill.injected.push('kill');
  });
  let isOver = false;
  const mining = (async () => {
    while (!isOver) {
      await world.pass(1, world.blockMs);
      await wait(MINE_EVERY_MS);
    }
  })();
  await Promise.all([...kills, beside()]);
  isOver = true;
  await mining;
}

/** Reports a failure when only one sender has sent. */
async function severalSent(drill: Drill): Promise<void> {
  const count = await drill.countSenders();
  if (count < 2) drill.seenWrong.push(`${count} of ${SENDERS} senders have payouts`);
}

/** Reports a failure when an order was sent whose payout was stopped before anything was signed. */
async function nothingSent(drill: Drill, orders: readonly PaidOrder[]): Promise<void> {
  for (const order of orders) {
    const { times } = await drill.world.landed(order.address);
    if (times + (await drill.countTransfers(order)) > 0)
      drill.seenWrong.push(`${order.id} was sent after it was stopped`);
  }
}

/** Everything from the payment on happens while the fault lasts. */
function duringFault(name: string, fault: Fault, variants: Kind['variants']): Kind {
  return {
    name,
    variants,
    run: async drill => {
      const { random } = drill;
      const isEarly = random.chance(0.5);
      if (isEarly) await drill.begin(fault);
      await drill.pay(someOrders(drill));
      await drill.runJobs();
      if (!isEarly) {
        await drill.pass(random.below(3));
        await drill.begin(fault);
      }
      await passRounds(drill);
      if (random.chance(0.3)) await drill.reorganise(1 + random.below(3));
      await passRounds(drill, 2);
    },
  };
}

/** `after`: the fault begins when the transfers are sent and not mined, too late for any check. */
function tokenFault(name: string, fault: Fault, when: 'before' | 'after', variants: Kind['variants']): Kind {
  return {
    name,
    variants,
    run: async drill => {
      // The simulated chain decides the fate of a transfer when it arrives.
      const isBefore = when === 'before' || drill.world.name === 'simulated';
      if (isBefore) await drill.begin(fault);
      await drill.pay(someOrders(drill));
      await drill.runJobs();
      if (!isBefore) await drill.begin(fault);
      await passRounds(drill);
    },
  };
}

export const KINDS: readonly Kind[] = [
  {
    name: 'killed after each step of sending',
    variants: { evm: 36, tron: 36, simulated: 36 },
    run: async (drill, variant) => {
      await drill.pay(2);
      await drill.run('send', variant + 1);
      await passRounds(drill, 2);
    },
  },
  {
    name: 'killed after each step of looking',
    variants: { evm: 24, tron: 24, simulated: 24 },
    run: async (drill, variant) => {
      await drill.pay(2);
      await drill.runJobs();
      await drill.world.pass(1 + (variant % 3), drill.world.blockMs);
      await drill.run('look', variant + 1);
    },
  },
  {
    name: 'killed after each step of giving up',
    variants: { evm: 20, tron: 12, simulated: 12 },
    run: async (drill, variant) => {
      await drill.pay(2);
      await drill.runJobs();
      if (drill.random.chance(0.3)) await drill.world.pass(1, drill.world.blockMs);
      await drill.run('void', variant + 1);
      await passRounds(drill, 2);
    },
  },
  {
    name: 'three nodes, killed at random',
    variants: { evm: 20, tron: 20, simulated: 20 },
    run: async drill => {
      await drill.pay(MAX_ORDERS);
      await withThreeNodes(drill);
    },
  },
  duringFault('replies and calls are lost', 'lost replies', { evm: 24, tron: 24, simulated: 24 }),
  duringFault('replies to sends are lost', 'only sends lose their replies', { evm: 8, tron: 8, simulated: 0 }),
  duringFault('a node lies', 'lies', { evm: 20, tron: 20, simulated: 0 }),
  duringFault('a node lags', 'lagging', { evm: 16, tron: 16, simulated: 16 }),
  duringFault('nodes behind one address differ', 'load-balanced', { evm: 16, tron: 16, simulated: 0 }),
  {
    name: 'a reorganisation at each depth',
    variants: { evm: 28, tron: 20, simulated: 28 },
    run: async (drill, variant) => {
      await drill.pay(someOrders(drill));
      await drill.runJobs();
      if (variant % 2 === 1) await drill.begin('lagging');
      const confirmations = 1 + (variant % 7);
      for (let block = 0; block < confirmations; block++) await drill.pass(1);
      await drill.reorganise(1 + Math.floor(variant / 4));
      if (drill.random.chance(0.5)) await drill.reorganise(1 + drill.random.below(2));
    },
  },
  duringFault('fees rise', 'high fees', { evm: 12, tron: 8, simulated: 0 }),
  duringFault('the wallet is empty', 'empty wallet', { evm: 8, tron: 8, simulated: 6 }),
  duringFault('the key is used elsewhere', 'foreign use of the key', { evm: 12, tron: 0, simulated: 6 }),
  tokenFault('the token reverts', 'reverting token', 'after', { evm: 8, tron: 8, simulated: 6 }),
  tokenFault('the token keeps a part', 'keeping token', 'before', { evm: 8, tron: 8, simulated: 6 }),
  {
    name: 'given up while it is mined',
    variants: { evm: 16, tron: 8, simulated: 8 },
    run: async drill => {
      const { random, world } = drill;
      const orders = await drill.pay(someOrders(drill));
      if (random.chance(0.4)) await drill.begin('only sends lose their replies');
      await drill.runJobs();
      if (random.chance(0.5)) await world.pass(1, world.blockMs);
      await Promise.all([
        ...orders.map(order => drill.act(order, 'void')),
        world.pass(random.below(2), world.blockMs),
        drill.runJobs(),
      ]);
      drill.injected.push('void');
      await passRounds(drill, 3);
    },
  },
  {
    name: 'pauses while three nodes claim',
    variants: { evm: 8, tron: 8, simulated: 4 },
    run: async drill => {
      await drill.pay(MAX_ORDERS);
      await withThreeNodes(drill, async () => {
        for (let times = 0; times < PAUSES; times++) {
          await wait(drill.random.below(MAX_KILL_MS / PAUSES));
          await drill.pause(true);
          const before = await drill.countPayouts();
          await wait(drill.random.below(MAX_KILL_MS / PAUSES));
          const after = await drill.countPayouts();
          if (after > before) drill.seenWrong.push(`${after - before} slots were taken during a pause`);
          await drill.pause(false);
          drill.injected.push('pause');
        }
      });
    },
  },
  {
    name: 'three senders, one of them poor',
    variants: { evm: 8, tron: 8, simulated: 0 },
    options: { senders: SENDERS },
    run: async drill => {
      await drill.begin('empty wallet');
      await drill.pay(2 * MAX_ORDERS);
      await withThreeNodes(drill);
      await passRounds(drill);
      await severalSent(drill);
    },
  },
  {
    name: 'three senders, the key of one is used elsewhere',
    variants: { evm: 10, tron: 10, simulated: 0 },
    options: { senders: SENDERS },
    run: async drill => {
      await drill.pay(2 * MAX_ORDERS);
      await withThreeNodes(drill, async () => {
        await wait(drill.random.below(MAX_KILL_MS));
        await drill.useElsewhere(drill.random.pick(drill.chain.senders));
      });
      // The first of them is how the service finds out; later ones do not wait for a person.
      const before = await drill.pay(1);
      await passRounds(drill, 2);
      // The clocks of nodes run ahead in a drill, and so may the moment of the halt.
      await drill.pass(3, AHEAD_MS);
      const all = await drill.pay(MAX_ORDERS);
      await withThreeNodes(drill);
      for (let round = 0; round < ROUNDS; round++) await drill.pass(3, MAX_ROUND_MS);
      for (const { id, address } of all.slice(before.length)) {
        const { times } = await drill.world.landed(address);
        if (times !== 1) drill.seenWrong.push(`${id} was made after the halt of another sender, and waits`);
      }
      await severalSent(drill);
    },
  },
  {
    name: 'three nodes claim beside a limit',
    variants: { evm: 8, tron: 8, simulated: 4 },
    options: { perDay: LIMIT },
    run: async drill => {
      await drill.pay(2 * MAX_ORDERS);
      await withThreeNodes(drill);
      drill.injected.push('limit');
      await drill.mend();
      // What does not fit is sent on the days that follow.
      for (let day = 0; day < DAYS; day++) {
        await passRounds(drill, 2);
        await drill.pass(3, DAY_MS);
      }
    },
  },
  {
    name: 'blocked or paused before the first signature, killed after each step',
    variants: { evm: 24, tron: 16, simulated: 16 },
    run: async (drill, variant) => {
      const [first, ...others] = await drill.pay(2);
      if (!first) return;
      await drill.run('open');
      const isPause = variant % 2 === 1;
      const stopped = isPause ? [first, ...others] : [first];
      const stop = (isOn: boolean) => (isPause ? drill.pause(isOn) : drill.block(first, isOn));
      await stop(true);
      if (isPause) drill.injected.push('pause');
      await drill.run('look', 1 + Math.floor(variant / 2));
      if (drill.random.chance(0.5)) await passRounds(drill, 3);
      await nothingSent(drill, stopped);
      await stop(false);
      await passRounds(drill, 2);
    },
  },
  {
    name: 'blocks and pauses while three nodes send',
    variants: { evm: 10, tron: 6, simulated: 6 },
    run: async drill => {
      const orders = await drill.pay(2 * MAX_ORDERS);
      const { random } = drill;
      await withThreeNodes(drill, async () => {
        for (let times = 0; times < PAUSES; times++) {
          await wait(random.below(MAX_KILL_MS / PAUSES));
          const payee = random.chance(0.5) ? random.pick(orders) : undefined;
          const stop = (isOn: boolean) => (payee ? drill.block(payee, isOn) : drill.pause(isOn));
          await stop(true);
          const before = await drill.countTransfers(payee);
          await wait(random.below(MAX_KILL_MS / PAUSES));
          const after = await drill.countTransfers(payee);
          if (after > before) drill.seenWrong.push(`${after - before} first transfers were saved after a stop`);
          await stop(false);
        }
      });
      drill.injected.push('pause');
    },
  },
  {
    name: 'a payee is denied after its slot was taken',
    variants: { evm: 6, tron: 0, simulated: 0 },
    run: async drill => {
      const [denied, ...others] = await drill.pay(2);
      await drill.run('open');
      await drill.begin('denied payee');
      for (let times = 0; times < ROUNDS; times++) await drill.pass(3, 30_000);
      for (const { id, address } of others) {
        const { times } = await drill.world.landed(address);
        if (times !== 1) drill.seenWrong.push(`${id} waits behind a slot that is denied`);
      }
      if (denied) await nothingSent(drill, [denied]);
    },
  },
  {
    name: 'three senders top each other up, one of them poor',
    variants: { evm: 8, tron: 8, simulated: 0 },
    options: { senders: SENDERS },
    run: async drill => {
      const { random } = drill;
      await drill.begin('empty wallet');
      await drill.pay(MAX_ORDERS);
      await withThreeNodes(drill, async () => {
        for (let times = 0; times < TOP_UPS; times++) {
          await wait(random.below(MAX_KILL_MS / TOP_UPS));
          drill.seenWrong.push(...(await drill.topUps.ask()));
        }
      });
      await passRounds(drill);
      if (random.chance(0.3)) await drill.reorganise(1 + random.below(3));
      drill.seenWrong.push(...(await drill.topUps.ask()));
      await passRounds(drill, 2);
      if (drill.topUps.made() === 0) drill.seenWrong.push('no top-up was sent');
    },
  },
];

export type Scenario = { readonly world: WorldName; readonly kind: string; readonly index: number };

export type Outcome = Scenario & { readonly verdict: Verdict; readonly injected: readonly string[] };

/** All scenarios of a chain, or the first `ofEach` of each kind. */
export function scenariosOf(world: WorldName, ofEach = Number.POSITIVE_INFINITY): Scenario[] {
  return KINDS.flatMap(({ name, variants }) =>
    Array.from({ length: Math.min(variants[world], ofEach) }, (_, index) => ({ world, kind: name, index })),
  );
}

const MAX_OPERATIONS = 4;

export async function runScenario({ world, kind, index }: Scenario, seed: number): Promise<Outcome> {
  const number = KINDS.findIndex(({ name }) => name === kind);
  const drill = await openDrill(world, seed, number * 1_000 + index, KINDS[number]?.options);
  try {
    await KINDS[number]?.run(drill, index);
    await drill.mend();
    await drill.rest();
    for (let times = 0; times < MAX_OPERATIONS && (await drill.operate()); times++) await drill.rest();
    return { world, kind, index, verdict: await drill.judge(), injected: drill.injected };
  } finally {
    await drill.close();
  }
}
