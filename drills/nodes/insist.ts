// Retries on several nodes, as a careful client does: a request without an answer, or with a temporary refusal, is sent again
// unchanged, to any running node. It gives up after a time in which every fault of a drill should have ended.
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../test/harness/random.ts';
import type { Ask, Asked } from './acts.ts';

type Insistent = {
  readonly ask: Ask;
  /** The number of retries. */
  repeats(): number;
};

type Options = {
  readonly random: Random;
  /** The nodes that are up, as far as is known. */
  urls(): readonly string[];
  /** Collects answers that no caller should get: anything but 2xx, 429 and 503. A 409 means that a repeat was not recognised. */
  readonly faults: string[];
  giveUp(): void;
};

/** Much longer than a fault lasts, also on a busy machine. */
export const PATIENCE_MS = 10 * 60_000;
const ANSWER_TIMEOUT_MS = 60_000;
const AGAIN_MS = 200;
const FOR_NOW = new Set([429, 503]);

export function insistOn({ random, urls, faults, giveUp }: Options): Insistent {
  let repeats = 0;

  const ask: Ask = async asked => {
    const limit = performance.now() + PATIENCE_MS;
    for (let attempt = 0; performance.now() < limit; attempt++) {
      if (attempt > 0) {
        repeats++;
        await wait(AGAIN_MS + random.below(AGAIN_MS));
      }
      const up = urls();
      const answer = up.length === 0 ? undefined : await send(random.pick(up), asked);
      if (!answer || FOR_NOW.has(answer.status)) continue;
      if (answer.status < 300) return JSON.parse(answer.text);
      faults.push(`${asked.name}: ${answer.status} ${answer.text}`);
      if (answer.status < 500) return undefined;
    }
    faults.push(`${asked.name}: not answered within ${PATIENCE_MS / 60_000} minutes`);
    giveUp();
    return undefined;
  };

  return { ask, repeats: () => repeats };
}

/** Undefined: it is unknown whether it was carried out. */
async function send(url: string, { path, caller, body, key }: Asked) {
  try {
    const answer = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...caller.headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}
