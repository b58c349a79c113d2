// The families of chains that the service knows. Whatever depends on a family asks its entry here.
import { evm } from './evm/family.ts';
import { tron } from './tron/family.ts';

export const FAMILIES = [evm, tron] as const;

export type Family = (typeof FAMILIES)[number]['kind'];
export type Network = (typeof FAMILIES)[number]['networks'][number]['id'];
