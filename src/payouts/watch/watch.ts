// Judges the alarms of each network once a minute, on one node. An alarm is raised once and cleared once: each change is a row,
// an event and a line of the log.
import { NETWORKS, type Network } from '../../chains/asset.ts';
import type { Chain, Chains } from '../../chains/chain.ts';
import { insertEvents } from '../../events/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { whenDue } from '../../storage/leases.ts';
import { haltIfLost } from '../compare/check-books.ts';
import { usedElsewhereMessage } from '../line/foreign-slots.ts';
import { networksInUse } from '../line/networks-in-use.ts';
import type { OwnerRecords } from '../owner.ts';
import type { PayoutLimits } from '../policy/limits.ts';
import { pausedSymbols } from '../policy/pause.ts';
import {
  clearAlarm,
  insertAlarm,
  isWatchDue,
  noteWatch,
  oldestUnsettledAt,
  readContradicted,
  readHaltedSenders,
  readOpenAlarms,
} from '../store/alarms.ts';
import { findGap } from '../store/gaps.ts';
import { readPauses } from '../store/pauses.ts';
import { type HaltedSender, haltUsedElsewhere, readHalts } from '../store/senders.ts';
import { readUnsignedSlots } from '../store/unsigned.ts';
import { ALARM_EVENT_TYPES, type Alarm, alarmView, changesOf, isToldByNodes } from './alarm.ts';
import { type AlarmRules, askNetwork, judgeNetwork, type UnsignedSlot } from './judge-network.ts';

export type WatchPayoutsDeps = {
  readonly db: Database;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly log: Log;
  readonly payoutOwner: OwnerRecords;
  readonly payoutLimits: PayoutLimits;
  readonly alarmRules: AlarmRules;
  /** The account of the alarm events. */
  readonly operatorAccountId: string;
  readonly heartbeats?: Heartbeats | undefined;
};

const WATCH_EVERY_MS = 60_000;
const PAUSE_MS = 5_000;
/** Several lookups happen in this time, so a node that lags for a moment raises no alarm. */
const CONTRADICTED_MS = 60_000;

export function startWatchingPayouts(deps: WatchPayoutsDeps): { stop(): Promise<void> } {
  return startLoop({
    name: 'watching payouts',
    task: async () => {
      await watchPayouts(deps);
    },
    pauseMs: PAUSE_MS,
    pauseAfterFailureMs: WATCH_EVERY_MS,
    heartbeats: deps.heartbeats,
    log: deps.log,
  });
}

/** Judges every network that is due, and returns how many alarms changed. Compares what this process has sent with the books each time. */
export async function watchPayouts(deps: WatchPayoutsDeps): Promise<number> {
  await Promise.all(Object.values(deps.chains).map(chain => haltIfLost(deps, chain)));
  const named = Object.values(deps.chains).map(chain => ({ chain, network: chain.network }));
  const watched: Watched[] = [...named, ...(await readUnnamed(deps))];
  const changes = await Promise.all(watched.map(one => watchNetwork(deps, one)));
  return changes.reduce((sum, count) => sum + count, 0);
}

type Watched = {
  readonly network: Network;
  /** Absent when the settings do not name the network; then only its open work matters. */
  readonly chain?: Chain;
  readonly isInUse?: boolean;
};

/** Networks without a chain that have open work or a raised alarm. */
async function readUnnamed(deps: WatchPayoutsDeps): Promise<Watched[]> {
  const unnamed = NETWORKS.filter(network => !deps.chains[network]);
  if (unnamed.length === 0) return [];
  const used = await networksInUse(deps, unnamed);
  const alarmed = new Set((await readOpenAlarms(deps.db)).map(({ network }) => network));
  return unnamed
    .map(network => ({ network, isInUse: used.includes(network) }))
    .filter(({ network, isInUse }) => isInUse || alarmed.has(network));
}

async function watchNetwork(deps: WatchPayoutsDeps, watched: Watched): Promise<number> {
  const { db, clock } = deps;
  const { network } = watched;
  const changed = await whenDue(
    db,
    `watch ${network}`,
    () => isWatchDue(db, network, clock.now()),
    (_due, lost) => judgeAlarms(deps, watched, clock.now(), lost),
  );
  return changed ?? 0;
}

async function judgeAlarms(deps: WatchPayoutsDeps, watched: Watched, now: Date, lost: AbortSignal): Promise<number> {
  const { db, payoutLimits, payoutOwner } = deps;
  const { network, chain } = watched;
  const asked = chain && { chain, answers: await askNetwork(chain, payoutLimits) };
  const isSilent = asked ? asked.answers.isSilent : watched.isInUse === true;
  const nextAt = new Date(now.getTime() + WATCH_EVERY_MS);
  lost.throwIfAborted();
  const changed = await db.transaction(async tx => {
    // Slots are given out before they are used, and the books are read after the chain: a count above theirs means another program.
    const judged = (asked?.answers.senders ?? []).toSorted((a, b) => (a.sender < b.sender ? -1 : 1));
    const gaps = new Map<string, readonly bigint[]>();
    for (const { sender, usedSlots, firstUnused: unused } of judged) {
      if (usedSlots !== undefined) {
        await haltUsedElsewhere(tx, network, sender, usedSlots, now, usedElsewhereMessage(usedSlots));
      }
      if (unused !== undefined) gaps.set(sender, await findGap(tx, network, sender, unused));
    }
    const records = {
      silentSince: await noteWatch(tx, network, { isSilent, at: now, nextAt }),
      waiting: await payoutOwner.firstUnheld(tx, network, {
        paused: pausedSymbols(await readPauses(tx), network),
        madeAfter: chain && lastHalt(await readHalts(tx), chain),
      }),
      oldestUnsettledAt: await oldestUnsettledAt(tx, network),
      contradicted: await readContradicted(tx, network, new Date(now.getTime() - CONTRADICTED_MS)),
      haltedSenders: await readHaltedSenders(tx, network),
      unsigned: await readUnsigned(deps, tx, network, now),
      isFeeTooHigh: await payoutOwner.hasHeld(tx, network, 'fee_too_high'),
      gaps,
    };
    const judgements = judgeNetwork(asked, records, {
      ...deps.alarmRules,
      limits: payoutLimits,
      noun: payoutOwner.noun,
      now,
    });
    // An alarm that only nodes can judge stays unchanged while no node can be asked.
    const open = (await readOpenAlarms(tx, network)).filter(({ reason }) => !watched.isInUse || !isToldByNodes(reason));
    return writeChanges(deps, tx, network, changesOf(open, judgements), now);
  });
  for (const alarm of changed) tell(deps.log, alarm);
  return changed.length;
}

/** Each with the last error of its owner, which says what the signature waits for. */
async function readUnsigned(
  { payoutOwner, alarmRules }: WatchPayoutsDeps,
  tx: Sql,
  network: Network,
  now: Date,
): Promise<UnsignedSlot[]> {
  const slots = await readUnsignedSlots(tx, network, new Date(now.getTime() - alarmRules.stuckMs));
  const ids = slots.flatMap(({ ownerId }) => ownerId ?? []);
  const errors = ids.length === 0 ? new Map<string, string>() : await payoutOwner.readLastErrors(tx, ids);
  return slots.map(slot => {
    const lastError = slot.ownerId === undefined ? undefined : errors.get(slot.ownerId);
    return { ...slot, ...(lastError !== undefined && { lastError }) };
  });
}

/** Owners made before it wait for a person, even if there are other senders. */
function lastHalt(halts: readonly HaltedSender[], { network, senders }: Chain): Date | undefined {
  const own = halts.filter(one => one.network === network && senders.includes(one.sender));
  return own.at(-1)?.haltedAt;
}

/** Returns the alarms that were raised or cleared. */
async function writeChanges(
  { operatorAccountId: accountId }: WatchPayoutsDeps,
  tx: Sql,
  network: Network,
  { raised, cleared }: ReturnType<typeof changesOf>,
  now: Date,
): Promise<Alarm[]> {
  const changed: Alarm[] = [];
  for (const { reason, subject, words } of raised) {
    const alarm: Alarm = { id: uuidV7(now), reason, network, subject, words, raisedAt: now };
    if (await insertAlarm(tx, alarm)) changed.push(alarm);
  }
  for (const alarm of cleared) if (await clearAlarm(tx, alarm, now)) changed.push({ ...alarm, clearedAt: now });
  const [raisedType, clearedType] = ALARM_EVENT_TYPES;
  await insertEvents(
    tx,
    changed.map(alarm => ({
      id: uuidV7(now),
      accountId,
      type: alarm.clearedAt ? clearedType : raisedType,
      objectId: alarm.id,
      sequence: alarm.clearedAt ? 2 : 1,
      occurredAt: now,
      object: alarmView(alarm),
    })),
  );
  return changed;
}

function tell(log: Log, { reason, network, clearedAt }: Alarm): void {
  if (clearedAt) log.info('an alarm of payouts is cleared', { network, reason });
  else log.error('ALARM of payouts; trilho chains says more', { network, reason });
}
