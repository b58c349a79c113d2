// trilho listen: forwards the events of a running service to a local port, signed as a webhook would be.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { EVENT_TYPES } from '../api/events.ts';
import type { Config } from '../config/config.ts';
import { messageBody, newSecret, secretText, signedHeaders } from '../events/sign.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';

export const DEFAULT_URL = 'http://127.0.0.1:3000';

const TRY_AGAIN_MS = 500;
const ANSWER_TIMEOUT_MS = 15_000;
/** The service sends a heartbeat every 15 seconds; after this time without one, the connection counts as dead. */
const SILENCE_MS = 45_000;

type Listening = {
  readonly url: string;
  readonly forward: string;
  readonly types: readonly string[];
  readonly secret: Buffer;
  /** Headers with the key, which a live service requires. */
  readonly credentials: Record<string, string>;
};

export async function listenCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  const listening = readListening(args);
  console.log(`Forwarding to ${listening.forward}, signed with ${secretText(listening.secret)}`);
  // It runs until it is interrupted or its standard output is closed.
  await Promise.race([listen(listening), new Promise(resolve => process.stdout.once('error', resolve))]);
  return 0;
}

function readListening(args: readonly string[]): Listening {
  const { options, faults } = readArguments(args, { neededOptions: ['forward'], options: ['types', 'url', 'key'] });
  const { forward, types, url = DEFAULT_URL, key } = options;
  for (const [option, given] of Object.entries({ forward, url })) {
    if (given !== undefined && !isHttp(given)) faults.push(`--${option} must be an http or https URL`);
  }
  const chosen = types === undefined ? EVENT_TYPES : types.split(',');
  const unknown = chosen.filter(type => !EVENT_TYPES.includes(type));
  if (unknown.length > 0) {
    faults.push(`--types has ${unknown.map(quoted).join(', ')}; trilho trigger --list prints the types there are`);
  }
  refuseFaults('listen', faults);
  const credentials: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  assert(forward !== undefined, 'a missing --forward is a fault');
  return { url: url.replace(/\/+$/, ''), forward, types: chosen, secret: newSecret(), credentials };
}

export function isHttp(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/**
 * Runs until the process ends. The cursor moves only when the local port has answered, so that nothing is lost or repeated when
 * either side goes away.
 */
async function listen(listening: Listening): Promise<never> {
  let cursor: string | undefined;
  let isComplaining = false;
  for (;;) {
    try {
      cursor ??= await endOfFeed(listening);
      for await (const { id, data } of readStream(listening, cursor)) {
        isComplaining = false;
        await forward(listening, data);
        cursor = id;
      }
    } catch (error) {
      if (error instanceof StartError) throw error;
      if (error instanceof UnknownCursor) {
        console.log('The service does not know this cursor any more; continuing with new events.');
        cursor = undefined;
      } else if (!isComplaining) {
        console.log(`Waiting for the service at ${listening.url}.`);
        isComplaining = true;
      }
    }
    await wait(TRY_AGAIN_MS);
  }
}

class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor';
}

async function endOfFeed({ url, credentials }: Listening): Promise<string> {
  const response = await fetch(`${url}/events?after=end&limit=1`, {
    headers: credentials,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  requireAccess(response);
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  const { cursor } = (await response.json()) as { cursor: string };
  return cursor;
}

/** A key that may not read events would be refused at every retry, so the command ends. */
function requireAccess({ status }: Response): void {
  if (status === 401 || status === 403) {
    throw new StartError(`The service answered ${status}: --key needs a key with the scope events:read.`);
  }
}

type StreamedEvent = { readonly id: string; readonly data: string };

/** The events after a cursor, until the stream ends or its heartbeat stops. */
async function* readStream({ url, credentials }: Listening, cursor: string): AsyncGenerator<StreamedEvent> {
  const cutting = new AbortController();
  const headers = { ...credentials, 'last-event-id': cursor };
  const response = await fetch(`${url}/events/stream`, { headers, signal: cutting.signal });
  requireAccess(response);
  if (response.status === 400) throw new UnknownCursor();
  if (!response.ok || !response.body) throw new Error(`the service answered ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const timeout = setTimeout(() => cutting.abort(), SILENCE_MS);
      const { done, value = '' } = await reader.read().finally(() => clearTimeout(timeout));
      if (done) return;
      const blocks = (text + value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (id !== undefined && data !== undefined) yield { id, data };
      }
    }
  } finally {
    cutting.abort();
  }
}

/** Forwards one event, and retries until the target accepts the connection. Any answer ends it, since the status is printed. */
async function forward({ forward: target, types, secret }: Listening, json: string): Promise<void> {
  const { id, type, occurredAt } = JSON.parse(json) as { id: string; type: string; occurredAt: string };
  if (!types.includes(type)) return;
  const body = messageBody({ type, occurredAt, json });
  for (let tries = 0; ; tries++) {
    try {
      const response = await fetch(target, {
        method: 'POST',
        headers: signedHeaders({ id, sentAt: new Date(), body }, [secret]),
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      await response.body?.cancel();
      console.log(`${type} ${id} ${response.status}`);
      return;
    } catch (error) {
      // The target has the event; sending it again would repeat it.
      if ((error as Error).name === 'TimeoutError') return console.log(`${type} ${id} no answer in time`);
      if (tries === 0) console.log(`${type} ${id} waits: ${target} does not answer`);
      await wait(TRY_AGAIN_MS);
    }
  }
}
