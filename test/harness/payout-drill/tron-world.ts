// A drill on the simulated Tron network, which applies java-tron's rules, at two addresses.
import { addressOf } from '../../../src/chains/address.ts';
import { addressesOf } from '../../../src/chains/signer/recoverable.ts';
import type { NodeFault } from '../../../src/sandbox/tron-node/faults.ts';
import { startTronNode } from '../../../src/sandbox/tron-node/start.ts';
import { testClock } from '../clock.ts';
import { SLOT_MS, USDT } from '../tron.ts';
import { type Keys, signerOf } from './chain-of.ts';
import type { Fault, World } from './world.ts';

const SUN = 10_000_000_000n;
const TOKENS = 1_000_000n * 10n ** 6n;
const ENERGY_FEE = 100n;

export async function openTronWorld(start: string, keys: Keys, seed: number): Promise<World> {
  const clock = testClock(start);
  const senders = keys.map(key => addressesOf(signerOf(key).publicKey).tron);
  const [last = ''] = senders.toReversed();
  const node = await startTronNode({ clock, endpoints: 2, seed });
  const { endpoints, parameters } = node;
  const fund = () => {
    for (const sender of senders) {
      node.setBalance(sender, SUN);
      node.setToken(USDT, { balances: { [sender]: TOKENS }, behaviour: 'normal' });
    }
  };
  fund();
  const both = (fault: NodeFault) => {
    for (const endpoint of endpoints) endpoint.setFault(fault);
  };
  return {
    name: 'tron',
    network: 'tron',
    spec: { kind: 'tron', urls: endpoints.map(({ url }) => url), keys },
    blockMs: SLOT_MS,
    now: clock.now,
    newAddress: random =>
      addressOf(
        'tron',
        Uint8Array.from({ length: 20 }, () => 1 + random.below(255)),
      ),
    pass: async (_, ms) => clock.advanceMs(ms),
    begin: async (fault, random) => {
      const [first] = endpoints;
      const rules: { readonly [F in Fault]?: () => void } = {
        'lost replies': () => {
          both({ kind: 'lost_reply', probability: 0.2 });
          both({ kind: 'cut', probability: 0.15 });
          both({ kind: 'status', status: 429, probability: 0.1 });
        },
        'only sends lose their replies': () => both({ kind: 'lost_reply', on: 'wallet/broadcast' }),
        lies: () => {
          first.setFault({ kind: 'dropping', on: 'wallet/broadcast', probability: 0.5 });
          first.setFault({ kind: random.chance(0.5) ? 'hiding' : 'forging', probability: 0.5 });
        },
        lagging: () => first.setFault({ kind: 'lagging', blocks: 1 + random.below(30) }),
        'load-balanced': () => both({ kind: 'lagging', blocks: 1 + random.below(20), probability: 0.5 }),
        'high fees': () => {
          parameters.energyFee = random.pick([200n, 1_000n]);
        },
        'empty wallet': () => {
          if (random.chance(0.5)) node.setBalance(last, 0n);
          else node.setToken(USDT, { balances: { [last]: 0n } });
        },
        'reverting token': () => node.setToken(USDT, { behaviour: 'reverting_in_blocks' }),
        'keeping token': () => node.setToken(USDT, { behaviour: 'keeping' }),
      };
      const rule = rules[fault];
      rule?.();
      return rule !== undefined;
    },
    mend: async () => {
      for (const endpoint of endpoints) endpoint.clearFaults();
      parameters.energyFee = ENERGY_FEE;
      fund();
    },
    reorganise: async depth => node.fork(depth, 'forgotten'),
    landed: async address => {
      const found = node.transfers().filter(({ from, to }) => senders.includes(from) && to === address);
      return { times: found.length, units: found.reduce((sum, { units }) => sum + units, 0n) };
    },
    outgoing: async () => node.transfers().filter(({ from }) => senders.includes(from)).length,
    stop: () => node.stop(),
  };
}
