// GET /events/stream as an iterator that connects again by itself and misses nothing.
import type { Event } from './generated/types.ts';
import { parseJson } from './json.ts';
import type { StreamedEvent } from './operation.ts';
import { isPassing, pauseMs, type Wait } from './retry.ts';
import { TrilhoError } from './trilho-error.ts';

/** The service sends something every 15 seconds. */
const SILENCE_MS = 45_000;

type Follow = {
  /** Opens the stream after a cursor; `stop` ends it. */
  open(after: string | undefined, stop: AbortSignal): Promise<Response>;
  readonly after: string | undefined;
  readonly wait: Wait;
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
};

/** Ends with an error that another connection does not change, and with the reason of the signal. */
export async function* followEvents(follow: Follow): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal, wait, retries } = follow;
  let cursor = follow.after;
  for (let failures = 0; ; failures++) {
    const stop = new AbortController();
    let retryAfterMs = 0;
    try {
      const response = await follow.open(cursor, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
      for await (const { id, data } of messagesOf(response, stop)) {
        failures = 0;
        cursor = id;
        if (data !== '') yield { event: parseJson(data) as Event, cursor: id };
      }
    } catch (error) {
      signal?.throwIfAborted();
      const failure = error instanceof TrilhoError ? error : ended(error);
      if (!isPassing(failure) || failures >= retries) throw failure;
      retryAfterMs = failure.retryAfterMs ?? 0;
    } finally {
      stop.abort();
    }
    // A stream that ends was ended by a node that stops.
    await wait(pauseMs(failures, retryAfterMs) ?? retryAfterMs, signal);
  }
}

const ended = (cause: unknown) => new TrilhoError('connection_failed', 'The stream of events has ended.', { cause });

type Message = { readonly id: string; readonly data: string };

/** The messages of server-sent events that have an id; a heartbeat has one, and no data. */
async function* messagesOf({ body }: Response, stop: AbortController): AsyncGenerator<Message> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const silence = setTimeout(() => stop.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = fieldOf(block, 'id');
      if (id !== '') yield { id, data: fieldOf(block, 'data') };
    }
  }
}

/** The service writes each field in one line. */
function fieldOf(block: string, name: string): string {
  const line = block.split('\n').find(each => each.startsWith(`${name}: `));
  return line?.slice(name.length + 2) ?? '';
}
