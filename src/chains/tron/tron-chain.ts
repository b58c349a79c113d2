// Tron as a chain: TRX and TRC-20 tokens. It has no nonces, so the service counts slots itself, and a slot that is not used
// blocks no other. See `expiry.ts` for what keeps a payout from being paid twice.
import type { Clock } from '../../lib/clock.ts';
import { activeOf } from '../active-senders.ts';
import type { AssetSymbol } from '../asset.ts';
import type { Attempt, Block, Chain, ChainHealth, Sighting, Transfer } from '../chain.ts';
import type { SentSymbol } from '../networks.ts';
import { openAbsenceProof } from './absence.ts';
import { assetOf, MAINNET_TOKENS, tokensAt } from './assets.ts';
import { type AttemptFacts, attemptFacts } from './attempt-bytes.ts';
import { balanceOf } from './balance.ts';
import { checkTransfer, fundsOf } from './call-transfer.ts';
import { DEFAULT_FEE_CAP } from './fees.ts';
import { historyOf } from './history.ts';
import { lookUp, SOLID_DEPTH } from './lookup.ts';
import { tron } from './network.ts';
import { firstAnswer, type Node, nodeOf } from './nodes.ts';
import { isShownBy, ownTransfersOf } from './own-transfers.ts';
import { connectProvider, type ProviderSettings } from './provider.ts';
import { readTransferIn } from './read-transfer.ts';
import { signTransfer } from './sign.ts';
import {
  MAINNET_GENESIS,
  type StartCheck,
  type StartDeps,
  startCheck,
  type TronSender,
  type Unchecked,
  untilChecked,
} from './start-check.ts';

export type TronSettings = {
  readonly providers: readonly ProviderSettings[];
  /** The first takes new slots, and so do those that are active. */
  readonly senders: readonly [TronSender, ...TronSender[]];
  readonly window?: number;
  /** The most that one call of a token may cost, in sun; 30 TRX when absent. */
  readonly feeCap?: bigint;
  /** Another network in place of the main one. */
  readonly test?: { readonly tokens: { readonly [S in AssetSymbol]?: string } };
};

type TronChain = { readonly chain: Chain; readonly start: StartCheck };

const NETWORK = tron.id;
const { blockMs } = tron;
/** Slots do not wait for each other here; this bounds what a wrong setting can send before a person looks. */
const DEFAULT_WINDOW = 32;
/** An attempt that expires costs nothing. */
const MAX_ATTEMPTS = 20;
const LOOKUP_AFTER_MS = 10_000;

/**
 * Opens the chain and asks its nodes what must be right before the first transfer. Never throws for what a node does.
 *
 * @example
 * const { chain, start } = await openTronChain({ providers: [{ name: 'grid', url }], senders: [{ address, signer }] }, { clock });
 */
export async function openTronChain(settings: TronSettings, { clock }: { clock: Clock }): Promise<TronChain> {
  const { senders, test, feeCap = DEFAULT_FEE_CAP } = settings;
  const tokens = test ? tokensAt(test.tokens) : MAINNET_TOKENS;
  const nodes = settings.providers.map(provider =>
    nodeOf(connectProvider(provider, clock), clock, test ? undefined : MAINNET_GENESIS),
  );
  const plan = { nodes, tokens, isTest: test !== undefined, senders };
  const start = await startCheck(plan);
  const unchecked = untilChecked(plan, start, clock);
  const chain = chainAt({ ...plan, window: settings.window ?? DEFAULT_WINDOW, feeCap, clock, unchecked });
  return { chain, start };
}

type Plan = StartDeps & {
  readonly window: number;
  readonly feeCap: bigint;
  readonly clock: Clock;
  /** Why nothing may be signed yet. */
  readonly unchecked: () => Promise<Unchecked | undefined>;
};

function chainAt({ nodes, tokens, isTest, senders, window, feeCap, clock, unchecked }: Plan): Chain {
  const [first, ...others] = senders;
  const addresses = [first.address, ...others.map(({ address }) => address)] as const;
  const absence = openAbsenceProof();
  const signerOf = (sender: string) => senders.find(({ address, signer }) => address === sender && signer)?.signer;

  async function lookup(transfer: Transfer, attempts: readonly Attempt[], seen?: Block): Promise<Sighting> {
    const asset = assetOf(transfer.symbol, tokens);
    if (!asset) return { kind: 'unknown', message: noAsset(transfer.symbol) };
    const facts = attempts.map(attemptFacts);
    if (!facts.every(isRead)) {
      return { kind: 'unknown', message: 'the saved bytes of an attempt are not those of its hash' };
    }
    return lookUp(nodes, { transfer, asset, attempts: facts, seen }, absence);
  }

  return {
    name: NETWORK,
    network: NETWORK,
    senders: addresses,
    activeSenders: activeOf(senders),
    canSign: sender => signerOf(sender) !== undefined,
    depth: SOLID_DEPTH,
    window,
    maxAttempts: MAX_ATTEMPTS,
    placeOf: symbol => {
      const asset = assetOf(symbol, tokens);
      return { isTest, ...(asset?.kind === 'token' && { token: asset.contract }) };
    },
    nextNonce: async () => 0n,
    isContract: async address => {
      const account = await firstAnswer(nodes, node => node.account(address));
      return account.failure === undefined ? account.value.isContract : undefined;
    },
    check: async intent => {
      const asset = assetOf(intent.symbol, tokens);
      const trouble = await unchecked();
      if (trouble) return { kind: 'unknown', ...(trouble.fault !== undefined && { message: trouble.fault }) };
      if (!asset) return { kind: 'unknown' };
      return checkTransfer(nodes, intent, asset, feeCap);
    },
    funds: async (sender, symbol) => {
      const asset = assetOf(symbol, tokens);
      return asset && fundsOf(nodes, sender, asset, feeCap);
    },
    balance: async (sender, symbol) => {
      const asset = assetOf(symbol === 'coin' ? 'trx' : symbol, tokens);
      return asset && balanceOf(nodes, sender, asset);
    },
    sign: async (transfer, before) => {
      const { sender } = transfer.slot;
      const signer = signerOf(sender);
      if (!signer) return { kind: 'refused', message: `there is no signer for the sender ${sender}` };
      const asset = assetOf(transfer.symbol, tokens);
      const message = asset ? (await unchecked())?.message : noAsset(transfer.symbol);
      if (!asset || message !== undefined) return { kind: 'unknown', ...(message !== undefined && { message }) };
      return signTransfer({ nodes, signer, clock, feeCap, lookup }, transfer, asset, before);
    },
    broadcast: ({ raw }) => sendToAll(nodes, raw),
    lookup,
    readTransfer: hash => readTransferIn(nodes, tokens, hash),
    history: (sender, since) => historyOf(nodes, tokens, sender, since),
    ownTransfers: ownTransfersOf(nodes, tokens, addresses),
    isShown: hash => isShownBy(nodes, hash),
    maxLookupWaitMs: MAX_LOOKUP_WAIT_MS,
    nextLookupAt: (sighting, now) => new Date(now.getTime() + delayMs(sighting)),
    health: async () => {
      const [answers, trouble] = await Promise.all([healthOf(nodes), unchecked()]);
      return { ...answers, ...(trouble?.fault !== undefined && { fault: trouble.fault }) };
    },
  };
}

/** Attempts expire after minutes; an expired one is signed again as soon as a lookup finds it. */
const MAX_LOOKUP_WAIT_MS = 60_000;

const noAsset = (symbol: SentSymbol) => `there is no contract of ${symbol} here`;
const isRead = (facts: AttemptFacts | undefined): facts is AttemptFacts => facts !== undefined;

/**
 * Done as soon as one node has taken the bytes; the others get them all the same. A refusal as a duplicate does not prove that the node
 * accepted them before: it notes the id before its checks.
 */
async function sendToAll(nodes: readonly Node[], raw: string): ReturnType<Chain['broadcast']> {
  const replies = nodes.map(async node => ({ node, asked: await node.broadcast(raw) }));
  const taken = replies.map(async reply => {
    const { asked } = await reply;
    if (asked.failure !== undefined || !asked.value.isTaken) throw new Error('not taken');
  });
  const isSent = await Promise.any(taken).then(
    () => true,
    () => false,
  );
  if (isSent) return { isSent };
  const answers = (await Promise.all(replies)).map(
    ({ node, asked }) => asked.failure ?? `${node.name} says ${asked.value.message}`,
  );
  return { isSent, message: answers.join('; ') };
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
