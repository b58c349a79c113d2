// The signed bytes of a sandbox chain: a transfer, or a void, and its fee bid in a canonical encoding. Pure.
import { sha256 } from '@noble/hashes/sha2.js';
import { readAddress } from '../../chains/address.ts';
import type { Network } from '../../chains/asset.ts';
import type { Signed, Slot, Transfer } from '../../chains/chain.ts';
import { hashForm, sentSymbolsOn } from '../../chains/networks.ts';
import { divideUp } from '../../lib/decimals.ts';

/** The decoded bytes, with their fee bid and their hash. A void moves nothing. */
export type SignedTransaction = {
  readonly slot: Slot;
  readonly bid: bigint;
  readonly hash: string;
  readonly moves?: Omit<Transfer, 'slot'>;
};

const FIRST_BID = 1_000_000n;
export const MAX_ATTEMPTS = 100;
const MAX_RAW_LENGTH = 4_096;
const NONCE = /^(0|[1-9]\d{0,14})$/;
/** The number of digits of a 256-bit integer. */
const UNITS = /^[1-9]\d{0,77}$/;

/** The bytes of an attempt and their hash; deterministic. Refuses what is not valid on the network. */
export function signed(slot: Slot, moves: SignedTransaction['moves'], number: number): Signed {
  const raw = encoded(slot, moves, number);
  const read = decoded(slot.network, [slot.sender], raw);
  if (!read) return { kind: 'refused', message: `This transfer is not valid on ${slot.network}.` };
  return { kind: 'signed', raw, hash: read.hash };
}

/** The bytes of a transaction on the chain; undefined when none of our senders could have signed it. */
export function rawOf({ slot, moves, bid, hash }: SignedTransaction): string | undefined {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (bidOf(attempt) < bid) continue;
    const raw = encoded(slot, moves, attempt);
    return hashOf(slot.network, raw) === hash ? raw : undefined;
  }
  return undefined;
}

/** Decodes bytes; undefined unless they are exactly what one of these senders signs for this network. */
export function decoded(network: Network, senders: readonly string[], raw: string): SignedTransaction | undefined {
  if (raw.length > MAX_RAW_LENGTH || !/^([0-9a-f]{2})+$/.test(raw)) return undefined;
  const fields = fieldsIn(Buffer.from(raw, 'hex').toString('utf8'));
  const { nonce, attempt } = fields;
  const sender = senders.find(known => known === fields['sender']);
  if (sender === undefined || typeof nonce !== 'string' || !NONCE.test(nonce)) return undefined;
  if (!Number.isInteger(attempt) || Number(attempt) < 1 || Number(attempt) > MAX_ATTEMPTS) return undefined;
  const moves = 'to' in fields ? movesIn(network, fields) : undefined;
  if ('to' in fields && !moves) return undefined;
  const slot = { network, sender, nonce: BigInt(nonce) };
  if (encoded(slot, moves, Number(attempt)) !== raw) return undefined;
  return { slot, bid: bidOf(Number(attempt)), hash: hashOf(network, raw), ...(moves && { moves }) };
}

function movesIn(network: Network, { to, symbol: name, units }: Fields): SignedTransaction['moves'] {
  const symbol = sentSymbolsOn(network).find(known => known === name);
  if (typeof to !== 'string' || readAddress(network, to).address !== to) return undefined;
  if (!symbol) return undefined;
  if (typeof units !== 'string' || !UNITS.test(units)) return undefined;
  return { to, symbol, units: BigInt(units) };
}

function encoded(slot: Slot, moves: SignedTransaction['moves'], attempt: number): string {
  const { network, sender, nonce } = slot;
  const moved = moves && { to: moves.to, symbol: moves.symbol, units: String(moves.units) };
  const fields = { network, sender, nonce: String(nonce), ...moved, attempt, bid: String(bidOf(attempt)) };
  return Buffer.from(JSON.stringify(fields), 'utf8').toString('hex');
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(text: string): Fields {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

/** Each attempt bids an eighth more than the one before it. */
export function bidOf(attempt: number): bigint {
  let bid = FIRST_BID;
  for (let number = 1; number < Math.min(attempt, MAX_ATTEMPTS); number++) bid = divideUp(bid * 9n, 8n);
  return bid;
}

export function hashOf(network: Network, raw: string): string {
  return hashForm(network).fromDigits(Buffer.from(sha256(Buffer.from(raw, 'hex'))).toString('hex'));
}
