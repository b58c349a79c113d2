// Reads addresses of each network. A transfer to a wrong address is lost, so every detectable mistake is refused here,
// each with its own code, and an accepted address has exactly one spelling.
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createBase58check } from '@scure/base';
import { NETWORKS, type Network } from './asset.ts';
import { NETWORK_FACTS, type NetworkFacts } from './networks.ts';
import { OTHER_TOKENS } from './token-contracts.ts';

type Kind = NetworkFacts['kind'];

export type AddressRefusal = {
  readonly code:
    | 'not_an_address'
    | 'wrong_checksum'
    | 'zero_address'
    | 'burn_address'
    | 'token_contract'
    | 'own_address';
  readonly message: string;
};

/** An address in its canonical spelling, or why it is refused. */
export type AddressReading =
  | { readonly address: string; readonly refusal?: undefined }
  | { readonly address?: undefined; readonly refusal: AddressRefusal };

const FORMS = {
  evm: '0x and 40 hexadecimal digits',
  tron: 'T and 33 further characters of base58',
} as const satisfies Record<Kind, string>;

const EVM = /^0x[0-9a-fA-F]{40}$/;
const TRON = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const TRON_VERSION = 0x41;
const BODY_BYTES = 20;

const base58check = createBase58check(sha256);

/** Common burn addresses, by their twenty bytes, that no rule below detects. The last one is of Tron. */
const BURNS = [
  'dead000000000000000000000000000000000000',
  'dead000000000000000042069420694206942069',
  '77944d19c052b73ee2286823aa83f8138cb7032f',
];

/** Of every network: people paste an address of one network into a wallet of another. */
const TOKEN_CONTRACTS: ReadonlySet<string> = new Set(
  NETWORKS.flatMap(network => [
    ...Object.values(NETWORK_FACTS[network].tokens).map(({ address }) => address),
    ...Object.values(OTHER_TOKENS[network]),
  ]),
);

/** Addresses that the settings name: those that are sent from, and the contracts of tokens of test nodes. */
export type OwnAddresses = { readonly senders: readonly string[]; readonly tokens: readonly string[] };

const NO_OWN: OwnAddresses = { senders: [], tokens: [] };

/** Reads a destination address: valid on the network, no burn address, no token, and not an address of the service. */
export function readPayee(network: Network, text: string, own: OwnAddresses = NO_OWN): AddressReading {
  const reading = readAddress(network, text);
  if (reading.refusal) return reading;
  const body = bodyOf(reading.address);
  if (/^0+$/.test(body)) return refuse('zero_address', 'is the zero address: nobody has its key');
  if (isBurn(body)) return refuse('burn_address', 'is an address that burns: nobody has its key');
  if (TOKEN_CONTRACTS.has(reading.address) || own.tokens.includes(reading.address)) {
    return refuse('token_contract', 'is the contract of a token, not a wallet: what is sent there is lost');
  }
  if (own.senders.includes(reading.address)) return refuse('own_address', 'is the address that payouts are sent from');
  return reading;
}

/**
 * Reads an address of a network into its canonical spelling. EVM: checks EIP-55, unless all letters have the same case,
 * which means no checksum. Tron: checks base58check. https://eips.ethereum.org/EIPS/eip-55
 */
export function readAddress(network: Network, text: string): AddressReading {
  const { kind } = NETWORK_FACTS[network];
  if (!(kind === 'evm' ? EVM : TRON).test(text)) return refuse('not_an_address', shapeFault(network, kind, text));
  return kind === 'evm' ? readEvm(text) : readTron(text);
}

/** The address of twenty bytes. */
export function addressOf(kind: Kind, body: Uint8Array): string {
  if (body.length !== BODY_BYTES) throw new RangeError('an address has twenty bytes');
  if (kind === 'tron') return base58check.encode(Uint8Array.of(TRON_VERSION, ...body));
  return checksummed(Buffer.from(body).toString('hex'));
}

function readEvm(text: string): AddressReading {
  const digits = text.slice(2);
  const address = checksummed(digits.toLowerCase());
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isPlain || text === address) return { address };
  return refuse('wrong_checksum', 'has capital letters that do not fit its checksum (EIP-55): a character is wrong');
}

function readTron(text: string): AddressReading {
  const bytes = decoded(text);
  if (!bytes) return refuse('wrong_checksum', 'does not fit its checksum: a character is wrong');
  if (bytes.length !== BODY_BYTES + 1 || bytes[0] !== TRON_VERSION) {
    return refuse('not_an_address', 'is not an address of Tron, though it looks like one');
  }
  return { address: text };
}

function decoded(text: string): Uint8Array | undefined {
  try {
    return base58check.decode(text);
  } catch {
    return undefined;
  }
}

/** EIP-55: a letter is upper case where the hash of the lower-case address has a digit of 8 or more. */
function checksummed(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex');
  return `0x${[...digits].map((digit, at) => (hash[at]! >= '8' ? digit.toUpperCase() : digit)).join('')}`;
}

/** The most helpful message about a malformed address. */
function shapeFault(network: Network, kind: Kind, text: string): string {
  const bare = text.trim();
  const form = `must be ${FORMS[kind]}`;
  if (bare !== text && (kind === 'evm' ? EVM : TRON).test(bare)) return 'has blanks around it: send it without them';
  if (kind === 'tron') {
    if (EVM.test(bare)) return `is an address of Ethereum and its kin; on ${network} it ${form}`;
    if (/^(0x)?41[0-9a-fA-F]{40}$/.test(bare)) return `is written in hexadecimal digits; it ${form}`;
  } else {
    if (TRON.test(bare)) return `is an address of Tron; on ${network} it ${form}`;
    if (/^(0X)?[0-9a-fA-F]{40}$/.test(bare)) return 'must begin with 0x';
  }
  return form;
}

/**
 * The twenty bytes of a canonical address, as lower-case hexadecimal digits. One key has the same on Tron and on EVM
 * networks.
 */
export function bodyOf(address: string): string {
  if (EVM.test(address)) return address.slice(2).toLowerCase();
  return Buffer.from(base58check.decode(address).subarray(1)).toString('hex');
}

/** Addresses below 2^16 (precompiled contracts, `…dEaD`), one digit repeated forty times, and the listed ones. */
function isBurn(body: string): boolean {
  return /^0{36}/.test(body) || /^(.)\1+$/.test(body) || BURNS.includes(body);
}

function refuse(code: AddressRefusal['code'], message: string): AddressReading {
  return { refusal: { code, message } };
}
