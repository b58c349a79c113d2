// Which alarms of a network are on. Its nodes are asked first; the judgement is pure.
import { type AssetSymbol, symbolsOn } from '../../chains/asset.ts';
import { activeSendersOf, type Chain, type Funds } from '../../chains/chain.ts';
import { coinOf, decimalsOf } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import { firstUnused, gapMessage } from '../line/gap.ts';
import type { Unheld } from '../owner.ts';
import type { UnsignedReason } from '../payout.ts';
import type { PayoutSettings } from '../payout-settings.ts';
import { limitsOf, type PayoutLimits } from '../policy/limits.ts';
import type { Contradicted } from '../store/alarms.ts';
import type { AlarmReason, Judgement } from './alarm.ts';

export type AlarmRules = {
  /** How long a payout may be open, one in line may wait without a reason, and a network may not answer; and how long until finality. */
  readonly stuckMs: number;
  readonly finalityLagMs: number;
};

const DEFAULT_MINUTES = 60;
const MINUTE_MS = 60_000;

export function openAlarmRules({ alarms = {} }: PayoutSettings): AlarmRules {
  const { stuckMinutes = DEFAULT_MINUTES, finalityLagMinutes = DEFAULT_MINUTES } = alarms;
  return { stuckMs: stuckMinutes * MINUTE_MS, finalityLagMs: finalityLagMinutes * MINUTE_MS };
}

/** The answers of the nodes; undefined where no node answered. */
type NetworkAnswers = {
  readonly isSilent: boolean;
  readonly finalityLagMs: number | undefined;
  /** Senders that take new slots. */
  readonly senders: readonly SenderAnswers[];
};

type SenderAnswers = {
  readonly sender: string;
  readonly usedSlots: bigint | undefined;
  /** The first slot that no provider counts as used; undefined where too few answer, or unused slots block no others. */
  readonly firstUnused: bigint | undefined;
  readonly funds: ReadonlyMap<AssetSymbol, Funds | undefined>;
};

/** The facts from the database. */
type NetworkRecords = {
  readonly silentSince: Date | undefined;
  /** The first in line that should have a slot. */
  readonly waiting: Unheld | undefined;
  readonly oldestUnsettledAt: Date | undefined;
  readonly contradicted: Contradicted | undefined;
  /** With the reason of each halt. */
  readonly haltedSenders: ReadonlyMap<string, string | undefined>;
  /** Slots for which no transfer may be signed, or which have been unsigned for longer than `stuckMs`. */
  readonly unsigned: readonly UnsignedSlot[];
  readonly isFeeTooHigh: boolean;
  /** Skipped slots of each sender that takes new ones. */
  readonly gaps: ReadonlyMap<string, readonly bigint[]>;
};

export type UnsignedSlot = {
  readonly payoutId: string;
  readonly ownerId?: string;
  readonly sender: string;
  readonly nonce: bigint;
  readonly reason?: UnsignedReason;
  readonly isGivenUp: boolean;
  readonly since: Date;
  readonly lastError?: string;
};

/** Asks for the funds of the assets with limits, and of at least one asset, since its answer includes the coin. */
export async function askNetwork(chain: Chain, limits: PayoutLimits): Promise<NetworkAnswers> {
  const { network } = chain;
  const symbols = symbolsOn(network);
  const limited = symbols.filter(symbol => {
    const { lowFunds, ceiling } = limitsOf(limits, { symbol, network });
    return lowFunds !== undefined || ceiling !== undefined;
  });
  const asked = limited.length > 0 ? limited : symbols.slice(0, 1);
  const [{ head, finalityLagMs }, ...senders] = await Promise.all([
    chain.health(),
    ...activeSendersOf(chain).map(sender => askSender(chain, sender, asked)),
  ]);
  return { isSilent: head === undefined, finalityLagMs, senders };
}

async function askSender(chain: Chain, sender: string, symbols: readonly AssetSymbol[]): Promise<SenderAnswers> {
  const [usedSlots, counts, ...funds] = await Promise.all([
    chain.usedSlots?.(sender),
    chain.slotCounts?.(sender),
    ...symbols.map(async symbol => [symbol, await chain.funds(sender, symbol)] as const),
  ]);
  return { sender, usedSlots, firstUnused: counts && firstUnused(counts), funds: new Map(funds) };
}

type Rules = AlarmRules & {
  readonly limits: PayoutLimits;
  /** The noun of an owner, for messages. */
  readonly noun: string;
  readonly now: Date;
};

/** `asked`: undefined for a network that is not in the settings; what only nodes can answer is not judged there. */
export function judgeNetwork(
  asked: { readonly chain: Chain; readonly answers: NetworkAnswers } | undefined,
  records: NetworkRecords,
  rules: Rules,
): Judgement[] {
  const { contradicted, haltedSenders, isFeeTooHigh, unsigned } = records;
  return [
    ...(asked
      ? [...judgeAnswers(asked.chain, asked.answers, rules), ...judgeGaps(asked.chain, asked.answers, records)]
      : []),
    ...judgeTimes(asked?.chain, records, rules),
    judged('payout_contradicted', contradicted !== undefined, contradicted ? contradictedMessage(contradicted) : ''),
    judged('fee_too_high', isFeeTooHigh, 'The fee of the network is above the cap, and payouts wait.'),
    ...[...haltedSenders].map(([sender, words]) =>
      judged('slot_taken', true, words ?? `The key of ${sender} was used elsewhere; it takes no slots.`, sender),
    ),
    ...unsigned.map(slot => judged('slot_unsigned', true, unsignedMessage(slot, rules), slot.payoutId)),
  ];
}

function judgeAnswers(chain: Chain, answers: NetworkAnswers, rules: Rules): Judgement[] {
  const { finalityLagMs: lagMs } = answers;
  return [
    ...answers.senders.flatMap(one => judgeFunds(chain, one, rules)),
    lagMs === undefined
      ? unknown('finality_lag')
      : judged('finality_lag', lagMs > rules.finalityLagMs, `Final blocks are ${minutes(lagMs)} behind.`),
  ];
}

function judgeGaps({ network, slotCounts }: Chain, { senders }: NetworkAnswers, { gaps }: NetworkRecords): Judgement[] {
  if (!slotCounts) return [];
  return senders.map(({ sender, firstUnused: unused }) => {
    if (unused === undefined) return unknown('nonce_gap', sender);
    const gap = gaps.get(sender) ?? [];
    return judged('nonce_gap', gap.length > 0, gap.length > 0 ? `${gapMessage(network, sender, gap)}.` : '', sender);
  });
}

/** What takes too long. */
function judgeTimes(chain: Chain | undefined, records: NetworkRecords, rules: Rules): Judgement[] {
  const { now, stuckMs } = rules;
  const { silentSince, oldestUnsettledAt, waiting, haltedSenders } = records;
  const since = (at: Date | undefined) => (at ? now.getTime() - at.getTime() : 0);
  const [silentMs, openMs, waitMs] = [since(silentSince), since(oldestUnsettledAt), since(waiting?.waitsSince)];
  const silence = chain
    ? `No node has answered for ${minutes(silentMs)}.`
    : `Payouts have waited, open or in line, for ${minutes(silentMs)}: chains in TRILHO_CONFIG does not name the network.`;
  // Halted senders wait for a person, which is another alarm.
  const isHalted = chain !== undefined && activeSendersOf(chain).every(sender => haltedSenders.has(sender));
  return [
    judged('network_silent', silentMs > stuckMs, silence),
    judged('orders_waiting', !isHalted && waitMs > stuckMs, waiting ? waitingMessage(waiting, waitMs, rules) : ''),
    judged('payout_stuck', openMs > stuckMs, `A payout has been open for ${minutes(openMs)}.`),
  ];
}

function waitingMessage({ ownerId, lastError }: Unheld, waitMs: number, { noun }: Rules): string {
  const message = `The payout of ${noun} ${ownerId} has been in line for ${minutes(waitMs)}, and nothing holds it`;
  return lastError === undefined ? `${message}.` : `${message}: ${lastError}`;
}

function unsignedMessage(slot: UnsignedSlot, { noun, now }: Rules): string {
  const { payoutId, ownerId, sender, nonce, reason, isGivenUp, since, lastError } = slot;
  const whose = ownerId === undefined ? `payout ${payoutId}` : `${noun} ${ownerId}`;
  const end = isGivenUp ? 'It is being given up.' : 'Those behind it wait.';
  if (reason) return `Slot ${nonce} of ${sender} has no transfer, for ${whose}: ${reason}. ${end}`;
  const message = `Slot ${nonce} of ${sender} has had no signature for ${minutes(now.getTime() - since.getTime())}, for ${whose}`;
  const said = lastError === undefined ? '.' : `: ${lastError.replace(/\.$/, '')}.`;
  return `${message}${said} ${end}`;
}

function contradictedMessage({ count, payoutId }: Contradicted): string {
  const which =
    count === 1 ? `Payout ${payoutId} was done` : `${count} payouts were done, the first of them ${payoutId}`;
  return `${which}, and the nodes no longer agree on it: compare with an explorer.`;
}

/** Where several senders take slots, each has its own alarms, whose subject names it. */
function judgeFunds(chain: Chain, { sender, funds }: SenderAnswers, { limits }: Rules): Judgement[] {
  const judgements = judgeOneSender(chain, funds, limits, activeSendersOf(chain).length > 1 ? sender : 'The sender');
  if (activeSendersOf(chain).length === 1) return judgements;
  return judgements.map(one => ({ ...one, subject: `${one.subject} ${sender}` }));
}

function judgeOneSender(
  { network, window }: Chain,
  funds: SenderAnswers['funds'],
  limits: PayoutLimits,
  whose: string,
): Judgement[] {
  const coin = coinOf(network);
  const has = (units: bigint, symbol: string, decimals: number, limit: bigint) =>
    `${whose} has ${formatUnits(units, decimals)} ${symbol}; the limit is ${formatUnits(limit, decimals)}.`;
  const known = [...funds].flatMap(([symbol, found]) => (found ? [{ symbol, ...found }] : []));
  const [any] = known;
  // The maximum cost of a full window of transfers.
  const least = any ? any.worstFee * BigInt(window) : 0n;
  const ofCoin = any
    ? judged('low_funds', any.coin < least, has(any.coin, coin.symbol, coin.decimals, least), coin.symbol)
    : unknown('low_funds', coin.symbol);
  const ofAssets = [...funds.keys()].flatMap(symbol => {
    const { lowFunds, ceiling } = limitsOf(limits, { symbol, network });
    const asset = funds.get(symbol)?.asset;
    const decimals = decimalsOf(symbol, network);
    const judge = (reason: AlarmReason, limit: bigint | undefined, isOn: (units: bigint, of: bigint) => boolean) => {
      if (limit === undefined) return [];
      if (asset === undefined) return [unknown(reason, symbol)];
      return [judged(reason, isOn(asset, limit), has(asset, symbol, decimals, limit), symbol)];
    };
    return [
      ...judge('low_funds', lowFunds, (units, of) => units < of),
      ...judge('above_ceiling', ceiling, (units, of) => units > of),
    ];
  });
  // The coin may be an asset with a limit of its own: one alarm covers both.
  const coinRule = ofAssets.find(({ reason, subject }) => reason === 'low_funds' && subject === coin.symbol);
  return [coinRule?.state === 'on' ? coinRule : ofCoin, ...ofAssets.filter(one => one !== coinRule)];
}

function judged(reason: AlarmReason, isOn: boolean, words: string, subject = ''): Judgement {
  return { reason, subject, state: isOn ? 'on' : 'off', words };
}

function unknown(reason: AlarmReason, subject = ''): Judgement {
  return { reason, subject, state: 'unknown', words: '' };
}

function minutes(ms: number): string {
  return `${Math.floor(ms / MINUTE_MS)} minutes`;
}
