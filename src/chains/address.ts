// Reads addresses of each network. A transfer to a wrong address is lost, so every detectable mistake is refused here,
// each with its own code, and an accepted address has exactly one spelling.
import { NETWORKS, type Network } from './asset.ts';
import { FAMILIES, type Family } from './families.ts';
import type { AddressReading, AddressRefusal } from './family.ts';
import { familyNamed, familyOf, NETWORK_FACTS } from './networks.ts';

const BODY_BYTES = 20;

/** Common burn addresses, by their twenty bytes, that no rule below detects. The last one is of Tron. */
const BURNS = [
  'dead000000000000000000000000000000000000',
  'dead000000000000000042069420694206942069',
  '77944d19c052b73ee2286823aa83f8138cb7032f',
];

/** Tokens of every network: people paste an address of one network into a wallet of another. */
const TOKEN_CONTRACTS: ReadonlySet<string> = new Set(
  NETWORKS.flatMap(network => [
    ...Object.values(NETWORK_FACTS[network].tokens).map(({ address }) => address),
    ...Object.values(NETWORK_FACTS[network].otherTokens),
  ]),
);

/** Addresses that the settings name: the senders, and the token contracts of test nodes. */
export type OwnAddresses = { readonly senders: readonly string[]; readonly tokens: readonly string[] };

const NO_OWN: OwnAddresses = { senders: [], tokens: [] };

/** Reads a destination address: valid on the network, no burn address, no token, and not an address of the service. */
export function readPayee(network: Network, text: string, own: OwnAddresses = NO_OWN): AddressReading {
  const reading = readAddress(network, text);
  if (reading.refusal) return reading;
  const body = bodyOf(reading.address);
  if (/^0+$/.test(body)) return refuse('zero_address', 'is the zero address: no one has its key');
  if (isBurn(body)) return refuse('burn_address', 'is a burn address: no one has its key');
  if (TOKEN_CONTRACTS.has(reading.address) || own.tokens.includes(reading.address)) {
    return refuse('token_contract', 'is the contract of a token, not a wallet: what is sent there is lost');
  }
  if (own.senders.includes(reading.address)) return refuse('own_address', 'is the address that payouts are sent from');
  return reading;
}

/** Reads an address of a network into its canonical spelling, and checks its checksum. */
export function readAddress(network: Network, text: string): AddressReading {
  const { addresses } = familyOf(network);
  if (!addresses.pattern.test(text)) return refuse('not_an_address', shapeFault(network, text));
  return addresses.read(text);
}

/** The family whose addresses are written like this text. */
export function familyOfAddress(text: string): (typeof FAMILIES)[number] | undefined {
  return FAMILIES.find(({ addresses }) => addresses.pattern.test(text));
}

/** The address of twenty bytes. */
export function addressOf(kind: Family, body: Uint8Array): string {
  if (body.length !== BODY_BYTES) throw new RangeError('an address has twenty bytes');
  return familyNamed(kind).addresses.fromBody(body);
}

/** The most helpful message about a malformed address. */
function shapeFault(network: Network, text: string): string {
  const { addresses } = familyOf(network);
  const bare = text.trim();
  if (bare !== text && addresses.pattern.test(bare)) return 'has blanks around it: send it without them';
  const other = familyOfAddress(bare)?.addresses;
  if (other) return `is an address of ${other.of}; on ${network} it must be ${addresses.form}`;
  return addresses.mistake(bare) ?? `must be ${addresses.form}`;
}

/**
 * The twenty bytes of a canonical address, as lower-case hexadecimal digits. One key has the same on Tron and on EVM
 * networks.
 */
export function bodyOf(address: string): string {
  const body = familyOfAddress(address)?.addresses.bodyOf(address);
  if (body === undefined) throw new RangeError('not an address of a supported network');
  return body;
}

/** Addresses below 2^16 (precompiled contracts, `…dEaD`), one digit repeated forty times, and the listed ones. */
function isBurn(body: string): boolean {
  return /^0{36}/.test(body) || /^(.)\1+$/.test(body) || BURNS.includes(body);
}

function refuse(code: AddressRefusal['code'], message: string): AddressReading {
  return { refusal: { code, message } };
}
