// Which sender each payout in line is sent from, decided before anything is locked: one with a free slot, enough funds, and a transfer that
// would be carried out.
import type { AssetSymbol } from '../../chains/asset.ts';
import type { Chain, CheckReason } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';
import { intentOf, type PayoutRequest } from '../payout.ts';
import type { CheckFacts, Source } from '../policy/gate.ts';
import { hasFreeSlot, judgeFunds } from '../policy/judge-payout.ts';
import { countUnsigned, type Sender } from '../store/senders.ts';

export type Draft = {
  readonly sources: readonly Source[];
  /** By owner: the sender of each payout that may get a slot, and of each that lacks funds. */
  readonly senderOf: ReadonlyMap<PayoutRequest['ownerId'], string>;
  readonly checks: CheckFacts;
};

/** A source while payouts are assigned to it. */
type Filling = Source & {
  readonly claimed: PayoutRequest[];
  readonly ahead: PayoutRequest[];
  readonly unsigned: number;
};

/**
 * Goes through the line until no sender has a free slot. A payout that no sender can fund is assigned to the one that lacks least, and
 * nothing behind it takes those funds: a small payout does not overtake a large one there.
 */
export async function chooseSources(
  db: Sql,
  chain: Chain,
  senders: readonly Sender[],
  line: readonly PayoutRequest[],
): Promise<Draft> {
  const sources = await openSources(db, chain, senders, line);
  const chosen = new Map<PayoutRequest['ownerId'], Filling>();
  const going: PayoutRequest[] = [];
  for (const request of line) {
    if (!sources.some(source => hasFreeSlot(chain, source))) break;
    const able = sources.filter(source => judgeFunds(request, source).kind === 'go');
    const source = bestOf(able.filter(one => hasFreeSlot(chain, one)));
    if (source) {
      source.claimed.push(request);
      going.push(request);
      chosen.set(request.ownerId, source);
      continue;
    }
    // A sender could pay for it but has no free slot: the payout waits for that one, with its funds reserved.
    const keeper = able[0] ?? nearestOf(request, sources);
    keeper?.ahead.push(request);
    if (keeper && able.length === 0) chosen.set(request.ownerId, keeper);
  }
  const checks = await checkAll(chain, sources, chosen, going);
  return {
    sources: sources.map(({ sender, funds }) => ({ sender, funds, claimed: [], ahead: [] })),
    senderOf: new Map([...chosen].map(([id, { sender }]) => [id, sender.sender])),
    checks,
  };
}

/** The funds of each sender, asked once for each asset. */
async function openSources(
  db: Sql,
  chain: Chain,
  senders: readonly Sender[],
  line: readonly PayoutRequest[],
): Promise<Filling[]> {
  const symbols = [...new Set(line.map(({ symbol }) => symbol))];
  const unsigned = senders.length > 1 ? await countUnsigned(db, chain.network) : new Map<string, number>();
  return Promise.all(
    senders.map(async sender => {
      const asked = symbols.map(async symbol => [symbol, await chain.funds(sender.sender, symbol)] as const);
      const funds = new Map(await Promise.all(asked));
      return { sender, funds, claimed: [], ahead: [], unsigned: unsigned.get(sender.sender) ?? 0 };
    }),
  );
}

/** The one with the fewest unsigned slots, which may wait long, then with the fewest open ones, then the first of the settings. */
function bestOf(sources: readonly Filling[]): Filling | undefined {
  const open = ({ sender, claimed }: Filling) => sender.openSlots + claimed.length;
  return sources.toSorted((a, b) => a.unsigned - b.unsigned || open(a) - open(b))[0];
}

/**
 * Among those whose coin pays the fees, the one with most of the asset left, so that the missing amount only shrinks. One whose funds are
 * unknown comes first: they may suffice.
 */
function nearestOf(request: PayoutRequest, sources: readonly Filling[]): Filling | undefined {
  const unknown = sources.find(({ funds }) => !funds.get(request.symbol));
  if (unknown) return unknown;
  const paysFees = (source: Filling) => (judgeFunds({ ...request, units: 0n }, source).kind === 'go' ? 0 : 1);
  return sources.toSorted(
    (a, b) => paysFees(a) - paysFees(b) || (leftOf(request.symbol, a) < leftOf(request.symbol, b) ? 1 : -1),
  )[0];
}

function leftOf(symbol: AssetSymbol, { sender, funds, claimed, ahead }: Source): bigint {
  const taken = [...claimed, ...ahead].reduce((sum, one) => (one.symbol === symbol ? sum + one.units : sum), 0n);
  return (funds.get(symbol)?.asset ?? 0n) - (sender.openUnits[symbol] ?? 0n) - taken;
}

/** Refusals that may be due to the sender and not the payee: the issuer of a token can block either. */
const OF_SENDER: readonly CheckReason[] = ['blocked', 'no_funds', 'would_revert'];

/** Whether each transfer could be carried out now. A refused one is tried from the other senders with a slot and funds for it. */
async function checkAll(
  chain: Chain,
  sources: readonly Filling[],
  chosen: Map<PayoutRequest['ownerId'], Filling>,
  going: readonly PayoutRequest[],
): Promise<CheckFacts> {
  const checks = new Map<PayoutRequest['ownerId'], CheckOf>();
  const tried = new Map<PayoutRequest['ownerId'], Filling[]>();
  let next = going;
  for (let tries = 0; tries < sources.length && next.length > 0; tries++) {
    const asked = await Promise.all(next.map(request => checkFrom(chain, request, chosen.get(request.ownerId)!)));
    next = asked.flatMap(({ request, check }) => {
      const { ownerId } = request;
      const before = chosen.get(ownerId)!;
      checks.set(ownerId, { request, check });
      if (check.kind !== 'refused' || !OF_SENDER.includes(check.reason)) return [];
      const others = [...(tried.get(ownerId) ?? []), before];
      tried.set(ownerId, others);
      const able = sources.filter(
        one => !others.includes(one) && hasFreeSlot(chain, one) && judgeFunds(request, one).kind === 'go',
      );
      const another = bestOf(able);
      if (!another) return [];
      before.claimed.splice(before.claimed.indexOf(request), 1);
      another.claimed.push(request);
      chosen.set(ownerId, another);
      return [request];
    });
  }
  return checks;
}

type CheckOf = CheckFacts extends ReadonlyMap<string, infer Of> ? Of : never;

async function checkFrom(chain: Chain, request: PayoutRequest, { sender }: Filling): Promise<CheckOf> {
  return { request, check: await chain.check(intentOf(request, sender.sender)) };
}
