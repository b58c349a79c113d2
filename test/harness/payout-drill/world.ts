// A chain as a drill sees it: blocks on demand, faults that begin and end, and transfers counted on the chain itself.
import type { Network } from '../../../src/chains/asset.ts';
import type { Random } from '../random.ts';
import type { ChainSpec } from './chain-of.ts';

export const WORLDS = ['evm', 'tron', 'simulated'] as const;
export type WorldName = (typeof WORLDS)[number];

/** What arrived at an address: how many transfers of our sender, and their sum. */
type Landed = { readonly times: number; readonly units: bigint };

/**
 * `lost replies`: calls are carried out and not answered, or not carried out. `lies`: one node denies what it has and drops what
 * it accepts. `denied payee`: a node answers that a transfer to the first address would revert. `lagging`: one node is some
 * blocks behind. `load-balanced`: each call reaches another node, some of them behind.
 */
const FAULTS = [
  'lost replies',
  'only sends lose their replies',
  'lies',
  'lagging',
  'load-balanced',
  'high fees',
  'empty wallet',
  'foreign use of the key',
  'reverting token',
  'keeping token',
  'denied payee',
] as const;
export type Fault = (typeof FAULTS)[number];

export type World = {
  readonly name: WorldName;
  readonly network: Network;
  readonly spec: ChainSpec;
  readonly blockMs: number;
  /** The time that blocks and ages follow. */
  now(): Date;
  /** An address that has received nothing yet. */
  newAddress(random: Random): string;
  /** Time passes on the chain, and `blocks` are mined. */
  pass(blocks: number, ms: number): Promise<void>;
  /** False where the chain knows no such fault. */
  begin(fault: Fault, random: Random): Promise<boolean>;
  /** Ends every fault. */
  mend(): Promise<void>;
  /** Replaces the last blocks; their transactions are forgotten. */
  reorganise(depth: number): Promise<void>;
  landed(address: string): Promise<Landed>;
  /** How many transfers our sender made, to any address. */
  outgoing(): Promise<number>;
  stop(): Promise<void>;
};

/** Where a chain keeps its state in the database of the service, or moves with its clock. */
export type WorldDeps = {
  readonly sql: <R extends object>(text: string, values?: unknown[]) => Promise<R[]>;
  readonly control: (change: Record<string, unknown>) => Promise<unknown>;
};
