// Requests to a running sandbox.
import { StartError } from '../lib/errors.ts';

const DAY_MS = 86_400_000;

export type SandboxApi = {
  /** Business time, a number of days from now. */
  day(offset: number): string;
  // biome-ignore lint/suspicious/noExplicitAny: a caller takes from an answer what it needs.
  post(path: string, body?: unknown): Promise<any>;
  patch(path: string, body: unknown): Promise<unknown>;
  get(path: string): Promise<unknown>;
  remove(path: string): Promise<unknown>;
};

/** Days are counted from the sandbox's time when this is called. */
export async function openSandbox(url: string): Promise<SandboxApi> {
  async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await fetch(url + path, init).catch(() => {
      throw new StartError(`No service answers at ${url}.`);
    });
    const answer = (await response.json().catch(() => ({}))) as { detail?: string };
    if (response.ok) return answer;
    throw new StartError(`${path} answered ${response.status}: ${answer.detail ?? 'no reason given'}`);
  }
  function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return ask(path, { method, ...(body !== undefined && json) });
  }
  const { now } = (await ask('/sandbox/clock')) as { now: string };
  return {
    day: offset => new Date(Date.parse(now) + offset * DAY_MS).toISOString(),
    get: path => ask(path),
    post: (path, body) => send('POST', path, body),
    patch: (path, body) => send('PATCH', path, body),
    remove: path => send('DELETE', path),
  };
}
