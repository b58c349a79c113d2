// Tron as a chain: TRX and TRC-20 tokens. It has no nonces, so the service counts slots itself, and a slot that is not used
// blocks no other. See `expiry.ts` for what keeps a payout from being paid twice.
import type { Clock } from '../../lib/clock.ts';
import type { Attempt, Block, Chain, ChainHealth, Sighting, Transfer } from '../chain.ts';
import { NETWORK_FACTS } from '../networks.ts';
import type { DigestSigner } from '../signer/signer.ts';
import { assetOf, MAINNET_TOKENS, type TronTokens } from './assets.ts';
import { type AttemptFacts, attemptFacts } from './attempt-bytes.ts';
import { checkTransfer, fundsOf } from './call-transfer.ts';
import { DEFAULT_FEE_CAP } from './fees.ts';
import { lookUp, SOLID_DEPTH } from './lookup.ts';
import { firstAnswer, type Node, nodeOf } from './nodes.ts';
import { connectProvider, type ProviderSettings } from './provider.ts';
import { signTransfer } from './sign.ts';

export type TronSender = {
  readonly address: string;
  /** A former sender may be looked after without its key. */
  readonly signer?: DigestSigner;
};

export type TronOptions = {
  readonly providers: readonly [ProviderSettings, ...ProviderSettings[]];
  /** The first takes new slots. */
  readonly senders: readonly [TronSender, ...TronSender[]];
  /** Those of the main network when absent. */
  readonly tokens?: TronTokens;
  /** The most that one call of a token may cost, in sun; 30 TRX when absent. */
  readonly feeCap?: bigint;
  readonly window?: number;
  readonly clock: Clock;
};

const NETWORK = 'tron';
const { blockMs } = NETWORK_FACTS[NETWORK];
/** Slots do not wait for each other here; it bounds what a wrong setting can send before somebody looks. */
const DEFAULT_WINDOW = 32;
/** An attempt that expires costs nothing. */
const MAX_ATTEMPTS = 20;
const LOOKUP_AFTER_MS = 10_000;

/**
 * @example
 * const chain = tronChain({ providers: [{ name: 'trongrid', url: 'https://api.trongrid.io' }], senders: [{ address, signer }], clock });
 */
export function tronChain(options: TronOptions): Chain {
  const { senders, tokens = MAINNET_TOKENS, feeCap = DEFAULT_FEE_CAP, clock } = options;
  const nodes = options.providers.map(settings => nodeOf(connectProvider(settings, clock), clock));
  const [first, ...former] = senders;

  async function lookup(transfer: Transfer, attempts: readonly Attempt[], seen?: Block): Promise<Sighting> {
    const facts = attempts.map(attemptFacts);
    if (!facts.every(isRead))
      return { kind: 'unknown', words: 'the saved bytes of an attempt are not those of its hash' };
    return lookUp(nodes, { transfer, asset: assetOf(transfer.symbol, tokens), attempts: facts, seen });
  }

  return {
    name: NETWORK,
    network: NETWORK,
    senders: [first.address, ...former.map(({ address }) => address)],
    depth: SOLID_DEPTH,
    window: options.window ?? DEFAULT_WINDOW,
    maxAttempts: MAX_ATTEMPTS,
    nextNonce: async () => 0n,
    isContract: async address => {
      const account = await firstAnswer(nodes, node => node.account(address));
      return account.failure === undefined ? account.value.isContract : undefined;
    },
    check: intent => checkTransfer(nodes, intent, assetOf(intent.symbol, tokens), feeCap),
    funds: (sender, symbol) => fundsOf(nodes, sender, assetOf(symbol, tokens), feeCap),
    sign: async (transfer, before) => {
      const { sender } = transfer.slot;
      const signer = senders.find(({ address }) => address === sender)?.signer;
      if (!signer) return { kind: 'refused', words: `there is no signer for the sender ${sender}` };
      const asset = assetOf(transfer.symbol, tokens);
      return signTransfer({ nodes, signer, clock, feeCap, lookup }, transfer, asset, before);
    },
    broadcast: ({ raw }) => sendToAll(nodes, raw),
    lookup,
    nextLookupAt: (sighting, now) => new Date(now.getTime() + delayMs(sighting)),
    health: () => healthOf(nodes),
  };
}

const isRead = (facts: AttemptFacts | undefined): facts is AttemptFacts => facts !== undefined;

/** A refusal as a duplicate is no sign that the node took it before: the id is noted before the checks. */
async function sendToAll(nodes: readonly Node[], raw: string): ReturnType<Chain['broadcast']> {
  const replies = await Promise.all(
    nodes.map(async node => {
      const asked = await node.broadcast(raw);
      if (asked.failure !== undefined) return { isTaken: false, words: asked.failure };
      return { isTaken: asked.value.isTaken, words: `${node.name} says ${asked.value.words}` };
    }),
  );
  const refusals = replies.filter(({ isTaken }) => !isTaken).map(({ words }) => words);
  const isSent = replies.some(({ isTaken }) => isTaken);
  return { isSent, ...(refusals.length > 0 && { words: refusals.join('; ') }) };
}

function delayMs(sighting: Sighting): number {
  if (sighting.kind === 'unknown') return LOOKUP_AFTER_MS;
  if (sighting.kind !== 'mined') return blockMs;
  return Math.max(SOLID_DEPTH - sighting.confirmations + 1, 1) * blockMs;
}

async function healthOf(nodes: readonly Node[]): Promise<ChainHealth> {
  const asked = await Promise.all(nodes.map(async node => ({ name: node.name, heads: await node.heads() })));
  const answered = asked.flatMap(({ heads }) => (heads.failure === undefined ? [heads.value] : []));
  const newest = answered.toSorted((a, b) => b.head.number - a.head.number)[0];
  return {
    ...(newest && {
      head: BigInt(newest.head.number),
      finalityLagMs: newest.head.timeMs - newest.solid.timeMs,
    }),
    providers: asked.map(({ name, heads }) =>
      heads.failure === undefined ? { name, isAnswering: true } : { name, isAnswering: false, words: heads.failure },
    ),
  };
}
