// The loop that runs on every node: looks for events and for deliveries that are due, and sends them side by side.
import { setTimeout as wait } from 'node:timers/promises';
import { attempt, claim, type DeliverDeps, MAX_IN_HAND } from './deliver.ts';
import { fanOut } from './fan-out.ts';
import type { Claimed } from './store-deliveries.ts';

const LOOK_EVERY_MS = 100;
const LOOK_AFTER_FAULT_MS = 1_000;
/** What is on its way when we stop may come to its end for so long; then it is cut short and sent again by another. */
const STOP_PATIENCE_MS = 2_000;

export function startDelivering(deps: DeliverDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const cutting = new AbortController();
  const inHand = new Set<Promise<void>>();
  let nudge = new AbortController();

  function send(delivery: Claimed): void {
    const sending = attempt(deps, delivery, cutting.signal)
      .catch(error => deps.log.warn('a delivery could not be ended and will be sent again', { error }))
      .finally(() => {
        inHand.delete(sending);
        // The next one of its object may go now.
        nudge.abort();
      });
    inHand.add(sending);
  }

  async function look(): Promise<boolean> {
    await fanOut(deps);
    const room = MAX_IN_HAND - inHand.size;
    const claimed = room > 0 ? await claim(deps, room) : [];
    for (const delivery of claimed) send(delivery);
    return claimed.length > 0;
  }

  async function takeTurns(): Promise<void> {
    while (!stopping.signal.aborted) {
      nudge = new AbortController();
      let restMs = LOOK_EVERY_MS;
      try {
        await look();
      } catch (error) {
        deps.log.warn('webhooks could not be served and will be tried again', { error });
        restMs = LOOK_AFTER_FAULT_MS;
      }
      await wait(restMs, undefined, { signal: AbortSignal.any([stopping.signal, nudge.signal]) }).catch(() => {});
    }
  }

  const turns = takeTurns();
  return {
    stop: async () => {
      stopping.abort();
      await turns;
      const impatience = setTimeout(() => cutting.abort(), STOP_PATIENCE_MS);
      await Promise.all(inHand);
      clearTimeout(impatience);
    },
  };
}
