// Private places that outgoing requests may reach by the settings: networks, addresses, and hosts by name and port.
import { BlockList, isIP, isIPv4 } from 'node:net';

/** A network or a single address, at one port or at any; or a name at one port. */
export type AllowedPlace =
  | { readonly network: string; readonly prefix: number; readonly port?: number }
  | { readonly name: string; readonly port: number };

/** The target of a URL, before a DNS lookup. */
export type Target = { readonly host: string; readonly port: number };

export type AllowList = {
  /** Whether a name at this port is listed. */
  hasName(target: Target): boolean;
  /** Whether any address is listed: then names are looked up and judged by their addresses. */
  readonly hasNetworks: boolean;
  /** Whether a request for this target may go to this address. */
  has(target: Target, address: string): boolean;
};

/** Wider ones would expose more than one private network. */
const SHORTEST_PREFIX = { 4: 8, 6: 7 } as const;
const BITS = { 4: 32, 6: 128 } as const;

/** What a listed name may lead to. Link-local addresses, where clouds keep their metadata, must be listed as a network. */
const PRIVATE = listOf(
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
);

/** Reads one entry: `10.0.0.0/8`, `10.0.0.5`, `10.0.0.5:8080`, `[fd00::5]:8080`, `receiver.internal:8080`. */
export function parseAllowedPlace(entry: string): AllowedPlace | undefined {
  const [, network = '', prefix] = /^([\da-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(network);
  if (family === 4 || family === 6) {
    const length = prefix === undefined ? BITS[family] : Number(prefix);
    return length >= SHORTEST_PREFIX[family] && length <= BITS[family] ? { network, prefix: length } : undefined;
  }
  const [, given = '', digits = ''] = /^(\[[\da-fA-F.:]+\]|[\w.-]+):(\d{1,5})$/.exec(entry) ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535 || !URL.canParse(`http://${given}`)) return undefined;
  const host = new URL(`http://${given}`).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const ofHost = isIP(host);
  if (ofHost !== 4 && ofHost !== 6) return { name: host, port };
  // A disguised number, such as 0x7f.1, is not a name.
  return ofHost === 4 && host !== given ? undefined : { network: host, prefix: BITS[ofHost], port };
}

export function allowListOf(places: readonly AllowedPlace[]): AllowList {
  const names = new Set<string>();
  const networks: { readonly list: BlockList; readonly port: number | undefined }[] = [];
  for (const place of places) {
    if ('name' in place) names.add(`${place.name}:${place.port}`);
    else networks.push({ list: listOf([place.network, place.prefix]), port: place.port });
  }
  const hasName = ({ host, port }: Target) => names.has(`${host}:${port}`);
  return {
    hasName,
    hasNetworks: networks.length > 0,
    has: (target, address) =>
      (hasName(target) && contains(PRIVATE, address)) ||
      networks.some(({ list, port }) => (port ?? target.port) === target.port && contains(list, address)),
  };
}

export const NOTHING_LISTED = allowListOf([]);

function contains(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function listOf(...networks: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6');
  return list;
}
