// A drill on the simulated chain of the sandbox, which lives in the database of the service and moves with its clock.
import { addressOf } from '../../../src/chains/address.ts';
import { NETWORK_FACTS } from '../../../src/chains/networks.ts';
import type { ChainFault } from '../../../src/sandbox/chains/simulation.ts';
import { testClock } from '../clock.ts';
import type { Fault, World, WorldDeps } from './world.ts';

const NETWORK = 'polygon';
const KINDS: { readonly [F in Fault]?: ChainFault } = {
  'lost replies': 'rpc_timeout',
  'only sends lose their replies': 'rpc_timeout',
  lagging: 'lagging',
  'empty wallet': 'empty',
  'foreign use of the key': 'foreign_use',
  'reverting token': 'reverting',
  'keeping token': 'keeps_part',
};

const LANDED = `
  select count(*)::int as times, coalesce(sum(units - kept_units), 0)::text as units from sandbox_chain_transactions
   where network = $1 and destination is not null and not reverts`;

export async function openSimulatedWorld(start: string, { sql, control }: WorldDeps): Promise<World> {
  const clock = testClock(start);
  const count = async (more: string, values: unknown[]) => {
    const [row] = await sql<{ times: number; units: string }>(LANDED + more, [NETWORK, ...values]);
    return { times: row?.times ?? 0, units: BigInt(row?.units ?? 0) };
  };
  return {
    name: 'simulated',
    network: NETWORK,
    spec: { kind: 'simulated' },
    blockMs: NETWORK_FACTS[NETWORK].blockMs,
    now: clock.now,
    newAddress: random =>
      addressOf(
        'evm',
        Uint8Array.from({ length: 20 }, () => 1 + random.below(255)),
      ),
    pass: async (_, ms) => clock.advanceMs(ms),
    begin: async fault => {
      const kind = KINDS[fault];
      if (kind) await control({ fault: kind });
      return kind !== undefined;
    },
    mend: async () => {
      await control({ fault: 'none' });
    },
    reorganise: async depth => {
      await control({ reorganise: depth });
    },
    landed: address => count(' and destination = $2', [address]),
    outgoing: async () => (await count('', [])).times,
    stop: async () => {},
  };
}
