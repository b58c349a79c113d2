// The signed bytes of a sandbox chain: a transfer and its fee bid in a canonical encoding. Pure.
import { sha256 } from '@noble/hashes/sha2.js';
import { readAddress } from '../../chains/address.ts';
import { NETWORKS_OF, type Network, SYMBOLS } from '../../chains/asset.ts';
import type { Attempt, Transfer } from '../../chains/chain.ts';
import { NETWORK_FACTS } from '../../chains/networks.ts';
import { divideUp } from '../../lib/decimals.ts';

/** The decoded bytes: a transfer, its fee bid and its hash. */
export type Signed = Transfer & { readonly bid: bigint; readonly hash: string };

const FIRST_BID = 1_000_000n;
const MAX_ATTEMPTS = 100;
const MAX_RAW_LENGTH = 4_096;
const NONCE = /^(0|[1-9]\d{0,14})$/;
/** The number of digits of a 256-bit integer. */
const UNITS = /^[1-9]\d{0,77}$/;

/** The bytes of an attempt and their hash; deterministic. Refuses a transfer that is not valid on the network. */
export function signed(transfer: Transfer, number: number): Omit<Attempt, 'number'> {
  const raw = encoded(transfer, number);
  const { network, sender } = transfer.slot;
  const read = decoded(network, sender, raw);
  if (!read) throw new RangeError(`this transfer is not valid on ${network}`);
  return { raw, hash: read.hash };
}

/** Decodes bytes; undefined unless they are exactly what this sender signs for this network. */
export function decoded(network: Network, sender: string, raw: string): Signed | undefined {
  if (raw.length > MAX_RAW_LENGTH || !/^([0-9a-f]{2})+$/.test(raw)) return undefined;
  const { nonce, to, symbol: name, units, attempt } = fieldsIn(Buffer.from(raw, 'hex').toString('utf8'));
  const symbol = SYMBOLS.find(known => known === name);
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) return undefined;
  if (typeof to !== 'string' || readAddress(network, to).address !== to) return undefined;
  if (!symbol || !NETWORKS_OF[symbol].some(home => home === network)) return undefined;
  if (typeof units !== 'string' || !UNITS.test(units)) return undefined;
  if (!Number.isInteger(attempt) || Number(attempt) < 1 || Number(attempt) > MAX_ATTEMPTS) return undefined;
  const transfer = { slot: { network, sender, nonce: BigInt(nonce) }, symbol, units: BigInt(units), to };
  if (encoded(transfer, Number(attempt)) !== raw) return undefined;
  return { ...transfer, bid: bidOf(Number(attempt)), hash: hashOf(network, raw) };
}

function encoded({ slot, to, symbol, units }: Transfer, attempt: number): string {
  const { network, sender, nonce } = slot;
  const fields = { network, sender, nonce: String(nonce), to, symbol, units: String(units), attempt };
  return Buffer.from(JSON.stringify({ ...fields, bid: String(bidOf(attempt)) }), 'utf8').toString('hex');
}

function fieldsIn(text: string): Record<'nonce' | 'to' | 'symbol' | 'units' | 'attempt', unknown> {
  const empty = { nonce: undefined, to: undefined, symbol: undefined, units: undefined, attempt: undefined };
  try {
    return { ...empty, ...JSON.parse(text) };
  } catch {
    return empty;
  }
}

/** Each attempt bids an eighth more than the one before it. */
function bidOf(attempt: number): bigint {
  let bid = FIRST_BID;
  for (let number = 1; number < Math.min(attempt, MAX_ATTEMPTS); number++) bid = divideUp(bid * 9n, 8n);
  return bid;
}

function hashOf(network: Network, raw: string): string {
  const digest = Buffer.from(sha256(Buffer.from(raw, 'hex'))).toString('hex');
  return NETWORK_FACTS[network].kind === 'evm' ? `0x${digest}` : digest;
}
