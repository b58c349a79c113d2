// A reader of the event stream: it reconnects with Last-Event-ID whenever a node is lost, and must get every payment.
import { setTimeout as wait } from 'node:timers/promises';
import { randomOf } from '../../test/harness/random.ts';

type StreamReader = {
  /** The charges that were reported as paid. */
  readonly paid: ReadonlySet<string>;
  stop(): Promise<void>;
};

const AGAIN_MS = 200;
const PAID = 'charge.paid';

export function readStream(urls: () => readonly string[], seed: number): StreamReader {
  const paid = new Set<string>();
  const random = randomOf(seed, 0);
  const ending = new AbortController();
  let lastEventId: string | undefined;

  function take(message: string): void {
    const [, id] = /^id: (.*)$/m.exec(message) ?? [];
    const [, data] = /^data: (.*)$/m.exec(message) ?? [];
    lastEventId = id ?? lastEventId;
    if (data === undefined) return;
    const { type, objectId } = JSON.parse(data) as { type: string; objectId: string };
    if (type === PAID) paid.add(objectId);
  }

  async function follow(url: string): Promise<void> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const answer = await fetch(`${url}/events/stream`, { headers, signal: ending.signal });
    if (!answer.ok || !answer.body) return;
    let text = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const messages = (text + chunk).split('\n\n');
      text = messages.pop() ?? '';
      messages.forEach(take);
    }
  }

  async function followAll(): Promise<void> {
    while (!ending.signal.aborted) {
      const up = urls();
      // A node that is killed ends its streams in the middle.
      if (up.length > 0) await follow(random.pick(up)).catch(() => {});
      await wait(AGAIN_MS);
    }
  }

  const following = followAll();
  return {
    paid,
    stop: async () => {
      ending.abort();
      await following;
    },
  };
}
