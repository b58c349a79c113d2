// Reads the network and the asset of a command.
import { type AssetSymbol, NETWORKS, type Network, SYMBOLS } from '../chains/asset.ts';
import { quoted } from './arguments.ts';

/** Undefined when it is not given, or is unknown, which adds a fault. */
export function readNetwork(name: string, given: string | undefined, faults: string[]): Network | undefined {
  return readWord(name, given, NETWORKS, faults);
}

export function readSymbol(name: string, given: string | undefined, faults: string[]): AssetSymbol | undefined {
  return readWord(name, given, SYMBOLS, faults);
}

/** One value of a closed list. */
export function readWord<T extends string>(
  name: string,
  given: string | undefined,
  values: readonly T[],
  faults: string[],
): T | undefined {
  const found = values.find(value => value === given);
  if (given !== undefined && !found) faults.push(`${name} must be one of ${values.join(', ')}, not ${quoted(given)}`);
  return found;
}
