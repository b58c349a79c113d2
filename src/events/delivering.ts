// The loop on every node that finds new events and due deliveries, and sends them concurrently.
import type { Heartbeats } from '../lib/heartbeats.ts';
import { startLoop } from '../lib/loop.ts';
import { attempt, claim, type DeliverDeps, type DueDelivery, MAX_IN_HAND, startDeliveryEnds } from './deliver.ts';
import { fanOut } from './fan-out.ts';
import { EVENTS_CHANNEL } from './store.ts';

/** New events of this process wake the loop; those of other nodes wait at most this long. */
const LOOK_EVERY_MS = 1_000;
/** Deliveries that end within this time cause one poll, not one each. */
const GATHER_MS = 10;
const LOOK_AFTER_FAILURE_MS = 1_000;
/** On a stop, deliveries in flight have this long to finish; then they are interrupted, and another node sends them again. */
const STOP_TIMEOUT_MS = 2_000;

export type DeliveringDeps = DeliverDeps & {
  readonly heartbeats?: Heartbeats | undefined;
  /** Runs before each poll. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

export function startDelivering(deps: DeliveringDeps): { stop(): Promise<void> } {
  const cutting = new AbortController();
  const inHand = new Set<Promise<void>>();
  const ends = startDeliveryEnds(deps);

  function send(delivery: DueDelivery): void {
    const sending = attempt(deps, ends, delivery, cutting.signal)
      .catch(error => {
        const { webhookId, id: deliveryId, attempts } = delivery;
        deps.log.warn('the outcome of a delivery was not written; it is sent again', {
          webhookId,
          deliveryId,
          attempt: attempts,
          error,
        });
      })
      .finally(() => {
        inHand.delete(sending);
        // The next one of its object may be sent now.
        loop.wake();
      });
    inHand.add(sending);
  }

  async function look(): Promise<void> {
    await deps.beforeWork?.();
    await fanOut(deps);
    const room = MAX_IN_HAND - inHand.size;
    const claimed = room > 0 ? await claim(deps, room) : [];
    for (const delivery of claimed) send(delivery);
  }

  const loop = startLoop({
    name: 'delivering to webhooks',
    task: look,
    pauseMs: LOOK_EVERY_MS,
    pauseAfterFailureMs: LOOK_AFTER_FAILURE_MS,
    minPauseMs: GATHER_MS,
    heartbeats: deps.heartbeats,
    log: deps.log,
  });
  deps.db.listen(EVENTS_CHANNEL, () => loop.wake());
  return {
    stop: async () => {
      await loop.stop();
      const timeout = setTimeout(() => cutting.abort(), STOP_TIMEOUT_MS);
      await Promise.all(inHand);
      clearTimeout(timeout);
    },
  };
}
