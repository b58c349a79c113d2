// The EVM networks that the service can send on, each in a file of its own.
import { arbitrum } from './arbitrum.ts';
import { base } from './base.ts';
import { bsc } from './bsc.ts';
import { ethereum } from './ethereum.ts';
import { polygon } from './polygon.ts';

export const EVM_NETWORKS = [ethereum, polygon, base, arbitrum, bsc] as const;

export type EvmNetwork = (typeof EVM_NETWORKS)[number]['id'];
