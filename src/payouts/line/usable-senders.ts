// Which senders of a network may take slots now. With several, one could pay again what another has paid, since a database that went
// back forgets transfers of any sender. So while one is halted, or the chain may show more of it than the books have, the others send
// only for owners that were created after that began.
import type { Network } from '../../chains/asset.ts';
import { activeSendersOf, type Chain, type SlotCounts } from '../../chains/chain.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../storage/database.ts';
import { doubtBooks, haltIfLost, hashesOf, type SeenOnChain, seeOnChain } from '../compare/check-books.ts';
import { NO_ANSWER } from '../policy/gate.ts';
import { keepDoubts } from '../store/doubts.ts';
import { HALTED, type HaltedSender, noteHaltSeen, readHalts, type Sender } from '../store/senders.ts';
import { mostOf } from './foreign-slots.ts';
import { type JudgeFirst, requireSender } from './open.ts';

type Deps = { readonly db: Database; readonly clock: Clock; readonly log: Log };

export type UsableSenders = {
  /** They may take slots, if they have free ones. */
  readonly usable: readonly Sender[];
  /** The transactions that the books must have when slots are taken, of each sender that is not halted or doubted. */
  readonly sent: readonly SentBy[];
  /** Why payouts wait whose owner was created before a moment, or all of them; absent when no payout has to wait. */
  readonly stop?: { readonly message: string; readonly until?: Date };
  /** Halted senders of the settings, including former ones. */
  readonly halted: readonly string[];
  /** A sender is doubted or unknown: it may be usable again soon. */
  readonly mayChange: boolean;
  /** No node answers about any of them. */
  readonly isSilent: boolean;
};

type SentBy = { readonly network: Network; readonly sender: string; readonly hashes: readonly string[] };

type Look = { readonly address: string; readonly seen: SeenOnChain; readonly sender: Sender | undefined };

type Stop = { readonly message: string; readonly since?: Date };

/** Asks the chain about each sender first, then the books. Halts a sender that needs a person. */
export async function readUsableSenders(deps: Deps, chain: Chain, judgeFirst: JudgeFirst): Promise<UsableSenders> {
  const { network } = chain;
  const active = activeSendersOf(chain);
  const former = chain.senders.filter(sender => !active.includes(sender));
  await haltIfLost(deps, chain, former);
  const looks = await Promise.all(active.map(address => look(deps, chain, address, judgeFirst)));
  const known = looks.flatMap(({ sender, seen }) => (sender && !sender.haltedAt ? [{ sender, seen }] : []));
  const hasFree = known.some(({ sender }) => sender.openSlots < chain.window);
  const found = hasFree
    ? await Promise.all(known.map(({ sender, seen }) => doubtBooks(deps, chain, sender, seen)))
    : [];
  const doubts = known.flatMap(({ sender: { sender } }, index) => {
    const doubt = found[index];
    return doubt ? [{ sender, ...doubt }] : [];
  });
  const unknown = looks.filter(one => !one.sender && !isUnused(one.seen.counts)).map(one => one.address);
  const waits = doubts.filter(({ kind }) => kind === 'wait');
  // A single sender needs no record of doubts: nothing else takes slots. Without a free slot, no doubts were checked.
  const isNoted = active.length > 1 && hasFree;
  const since = isNoted
    ? await sinceWhen(deps, network, [...waits.map(({ sender }) => sender), ...unknown])
    : new Map<string, Date>();
  await renewHalts(deps, chain, looks);
  const halts = await readHalted(deps, chain, looks);
  const stops: Stop[] = [
    // Now, so that every owner is older.
    ...doubts.filter(({ kind }) => kind === 'halt').map(({ message }) => ({ message })),
    ...halts.map(({ haltedAt, words = HALTED }) => ({ since: haltedAt, message: words })),
    ...waits.map(({ sender, message }) => ({ message, ...sinceOf(since, sender) })),
    ...unknown.map(sender => ({ message: NO_ANSWER, ...sinceOf(since, sender) })),
  ];
  const isDoubted = ({ sender }: Sender) => doubts.some(doubt => doubt.sender === sender);
  const usable = known.flatMap(({ sender, seen }) => (isDoubted(sender) ? [] : [{ sender, seen }]));
  const halted = halts.map(({ sender }) => sender);
  return {
    usable: usable.map(({ sender }) => sender),
    sent: [
      ...usable.map(({ sender: { sender }, seen }) => ({ network, sender, hashes: hashesOf(chain, sender, seen) })),
      ...former
        .filter(sender => !halted.includes(sender))
        .map(sender => ({ network, sender, hashes: hashesOf(chain, sender) })),
    ],
    ...strictest(stops),
    halted,
    mayChange: waits.length > 0 || looks.some(({ sender }) => !sender),
    isSilent: looks.every(({ sender }) => !sender),
  };
}

async function look({ db }: Deps, chain: Chain, address: string, judgeFirst: JudgeFirst): Promise<Look> {
  const seen = await seeOnChain(chain, address);
  return { address, seen, sender: await requireSender(db, chain, address, judgeFirst) };
}

/** Whether every provider that answers counts no slot of a sender as used: then it has sent nothing. */
function isUnused(counts: SlotCounts | undefined): boolean {
  return (
    counts !== undefined && counts.said.length > 0 && counts.said.every(({ mined, pooled }) => mined + pooled === 0n)
  );
}

async function sinceWhen(
  { db, clock }: Deps,
  network: Network,
  senders: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const doubts = await keepDoubts(db, network, senders, clock.now());
  return new Map(doubts.map(({ sender, since }) => [sender, since]));
}

function sinceOf(since: ReadonlyMap<string, Date>, sender: string): { readonly since?: Date } {
  const at = since.get(sender);
  return at ? { since: at } : {};
}

/** A database may go back to an old halt of a sender that was resumed since, and has paid owners created after that halt. */
async function renewHalts({ db, clock }: Deps, { network }: Chain, looks: readonly Look[]): Promise<void> {
  for (const { address, seen, sender } of looks) {
    const counted = sender?.haltedAt && seen.counts && mostOf(seen.counts);
    if (counted !== undefined) await noteHaltSeen(db, { network, sender: address }, counted, clock.now());
  }
}

/** Former senders too: they may have paid owners that are in line again. */
async function readHalted({ db }: Deps, { network, senders }: Chain, looks: readonly Look[]): Promise<HaltedSender[]> {
  const isHalted = looks.some(({ sender }) => sender?.haltedAt);
  // A single sender needs no second read.
  if (senders.length === 1 && !isHalted) return [];
  return (await readHalts(db)).filter(one => one.network === network && senders.includes(one.sender));
}

/** The widest: one that stops everything, or everything before the latest moment. */
function strictest(stops: readonly Stop[]): Pick<UsableSenders, 'stop'> {
  const [first] = stops.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return first ? { stop: { message: first.message, ...(first.since && { until: first.since }) } } : {};
}

const timeOf = ({ since }: Stop) => since?.getTime() ?? Number.POSITIVE_INFINITY;
