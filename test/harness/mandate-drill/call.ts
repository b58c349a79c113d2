// Requests of an account to nodes that may be killed meanwhile: repeated with their key until one of them answers.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, toAnswer } from '../service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the drill reads only some fields.
type Json = any;

export type Call = {
  (method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Json>;
  /** Undefined when the service refuses it in the present state. */
  attempt(path: string, key: string): Promise<Json | undefined>;
  /** Reads it until it is so. */
  until(path: string, isSo: (json: Json) => boolean): Promise<Json>;
};

const AGAIN_MS = 200;
const MAX_TRIES = 3_000;
const REFUSED = 409;

export function callerOf(url: () => string, apiKey: string): Call {
  async function send(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const sent = fetch(url() + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const answer = await sent.then(toAnswer).catch(() => undefined);
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      await wait(AGAIN_MS);
    }
    return assert.fail(`${method} ${path} is not answered`);
  }

  async function call(method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Json> {
    const { status, text, json } = await send(method, path, body, key);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return json;
  }

  return Object.assign(call, {
    attempt: async (path: string, key: string) => {
      const { status, text, json } = await send('POST', path, {}, key);
      assert.ok(status < 300 || status === REFUSED, `POST ${path}: ${status} ${text}`);
      return status === REFUSED ? undefined : json;
    },
    until: async (path: string, isSo: (json: Json) => boolean) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const json = await call('GET', path);
        if (isSo(json)) return json;
        await wait(AGAIN_MS);
      }
      return assert.fail(`${path} does not come to it`);
    },
  });
}
